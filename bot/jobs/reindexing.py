"""Reindexing the configured sources: one job at a time, told as it goes on, remembered over a crash."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Protocol

from bot.jobs.telling import Show, Telling
from bot.journal import Job
from crag.errors import CandorError
from crag.indexing import Indexer, IndexReport, Progress
from crag.platform import JobPhase, JobView, Person, Place

log = logging.getLogger(__name__)

CRASHED = "Candor ended before this job did. The old index answers on; start it again."
STOPPED = "Candor is stopping. The old index answers on; start it again afterwards."
CANCELLED = "It was cancelled. The old index answers on; what had been deleted is no longer found."
BROKEN = "Something went wrong on my side; the log has the details. The old index answers on."

Opening = Callable[[Sequence[str], str], AbstractAsyncContextManager[Indexer]]
"""Opens the writing side for some sources, by name, and a tenant: a store of its own."""


class Jobs(Protocol):
    """What is needed of the journal."""

    async def start_job(self, view: JobView, person: str, place: Place) -> None: ...

    async def update_job(self, view: JobView) -> None: ...

    async def unfinished_jobs(self) -> list[Job]: ...


@dataclass(frozen=True, slots=True)
class Order:
    """Who asked for what, where."""

    sources: tuple[str, ...]
    tenant: str
    full: bool
    dry_run: bool
    person: Person
    place: Place


class Reindexing:
    """`pace_s` is the shortest time between two views that are shown."""

    def __init__(self, opening: Opening, journal: Jobs, *, pace_s: float = 1.0) -> None:
        self._opening = opening
        self._journal = journal
        self._pace_s = pace_s
        self._task: asyncio.Task[None] | None = None
        self._work: asyncio.Task[IndexReport] | None = None
        self._why = ""
        self.now: JobView | None = None
        self.crashed: tuple[JobView, ...] = ()

    @property
    def running(self) -> JobView | None:
        """The job that runs, None where none does."""
        return self.now if self._task and not self._task.done() else None

    async def recover(self) -> None:
        """Settle the jobs that an earlier process left unfinished; `crashed` keeps them for the status."""
        left = [job.view for job in await self._journal.unfinished_jobs()]
        self.crashed = tuple(replace(view, phase=JobPhase.FAILED, error=CRASHED) for view in left)
        for view in self.crashed:
            await self._journal.update_job(view)

    def start(self, order: Order, show: Show) -> bool:
        """Whether the job began: False where one runs already. Returns at once; `show` tells the rest."""
        if self.running:
            return False
        self._why = ""
        self.now = JobView(uuid.uuid4().hex[:8], JobPhase.QUEUED, order.sources, order.dry_run)
        telling = Telling(show, self._pace_s)
        self._work = asyncio.create_task(self._indexed(order, telling), name="reindex")
        self._task = asyncio.create_task(self._run(order, telling, self._work), name="reindex job")
        return True

    def cancel(self, job: str = "") -> bool:
        """Whether this job, by its id, was there to stop ("": whichever runs). It ends soon, and `show` says so."""
        return job in ("", self.now.id if self.now else "") and self._stop(CANCELLED)

    async def close(self, within_s: float = 10.0) -> None:
        """Stop the running job, and wait until it has said so."""
        self._stop(STOPPED)
        await self.idle(within_s)
        if self._task:
            self._task.cancel()

    async def idle(self, within_s: float | None = None) -> None:
        """Wait until no job runs, or for so long."""
        if self._task and not self._task.done():
            await asyncio.wait([self._task], timeout=within_s)

    def _stop(self, why: str) -> bool:
        if not self.running or not self._work:
            return False
        self._why = self._why or why
        return self._work.cancel()

    async def _run(self, order: Order, telling: Telling, work: asyncio.Task[IndexReport]) -> None:
        began = time.monotonic()
        async with telling:
            self._is(telling, phase=JobPhase.RUNNING)
            await self._journal.start_job(self._view, order.person.id, order.place)
            try:
                ended = {**_counts(await work), "phase": JobPhase.DONE}
            except asyncio.CancelledError:
                ended = {"phase": JobPhase.CANCELLED, "error": self._why or STOPPED}
            except CandorError as error:
                ended = {"phase": JobPhase.FAILED, "error": str(error)}
            except Exception:
                log.exception("a reindex job failed")
                ended = {"phase": JobPhase.FAILED, "error": BROKEN}
            self._is(telling, **{"duration_s": time.monotonic() - began, **ended})
            _logged(self._view)
            await self._journal.update_job(self._view)

    async def _indexed(self, order: Order, telling: Telling) -> IndexReport:
        def on_progress(progress: Progress) -> None:
            self._is(telling, done=progress.done, total=progress.total)

        async with self._opening(order.sources, order.tenant) as indexer:
            return await indexer.run(full=order.full, dry_run=order.dry_run, on_progress=on_progress)

    @property
    def _view(self) -> JobView:
        assert self.now is not None  # noqa: S101 - `start` has set it
        return self.now

    def _is(self, telling: Telling, **changes: object) -> None:
        self.now = replace(self._view, **changes)  # type: ignore[arg-type]
        telling.view = self.now


def _logged(view: JobView) -> None:
    """All documents by name: chat shows the first few."""
    for path, reason in view.failed:
        log.warning("reindex %s: %s could not be read: %s", view.id, path, reason)
    for path in view.removed_paths:
        log.info("reindex %s: %s %s removed", view.id, path, "would be" if view.dry_run else "is")


def _counts(report: IndexReport) -> dict[str, object]:
    return {
        "added": len(report.added),
        "changed": len(report.changed),
        "removed": len(report.removed),
        "unchanged": len(report.unchanged),
        "failed": tuple((failure.path, failure.reason) for failure in report.failed),
        "removed_paths": report.removed,
        "generation": report.generation,
        "duration_s": report.duration_s,
    }
