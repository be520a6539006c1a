"""A reindex job, with the real indexer over a store in memory."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from bot.jobs import telling as room
from bot.jobs.reindexing import Order, Reindexing
from crag.errors import ScreenError, SearchError
from crag.indexing import Indexer
from crag.platform import JobPhase, JobView, Person
from tests.crag.test_indexing import ParagraphChunker
from tests.fakes.journal import FakeJournal
from tests.fakes.memory_index import MemoryDatabase, MemoryStore
from tests.fakes.models import FakeEmbedder
from tests.fakes.platform import CHANNEL
from tests.fakes.source import FakeSource

FILES: dict[str, str | Exception] = {
    "handbook/leave.md": "Five days carry over.",
    "handbook/pay.md": "Salaries are paid on the last working day.",
}


class Bench:
    """Jobs over one database; `views` are what was shown. A store may be held up at its first write, at `gate`."""

    def __init__(self) -> None:
        self.source = FakeSource(dict(FILES))
        self.database = MemoryDatabase()
        self.embedder = FakeEmbedder()
        self.journal = FakeJournal()
        self.views: list[JobView] = []
        self.stores: list[MemoryStore] = []
        self.refusal: Exception | None = None
        self.jobs = Reindexing(self.opening, self.journal, pace_s=0.01)

    @asynccontextmanager
    async def opening(self, sources: Sequence[str], tenant: str) -> AsyncIterator[Indexer]:
        self.stores.append(MemoryStore(self.database, tenant=tenant))
        yield Indexer(self.source, ParagraphChunker(), self.embedder, self.stores[-1])

    async def show(self, view: JobView) -> None:
        if self.refusal:
            raise self.refusal
        self.views.append(view)

    def start(self, *, full: bool = False, dry_run: bool = False) -> bool:
        order = Order(("handbook",), "local", full, dry_run, Person("UADMIN"), CHANNEL)
        return self.jobs.start(order, self.show)

    async def finished(self, **options: bool) -> JobView:
        assert self.start(**options)
        await self.jobs.idle()
        assert self.jobs.now
        return self.jobs.now


async def test_a_job_tells_its_counts_and_names_what_it_removed_and_what_failed() -> None:
    bench = Bench()
    view = await bench.finished()
    assert (view.phase, view.added, view.generation) == (JobPhase.DONE, 2, "Memory_0")
    del bench.source.files["handbook/pay.md"]
    bench.source.files["handbook/leave.md"] = "Six days carry over."
    bench.source.files["handbook/broken.md"] = ZeroDivisionError()
    view = await bench.finished()
    assert (view.added, view.changed, view.removed) == (0, 1, 1)
    assert view.removed_paths == ("handbook/pay.md",)
    assert view.failed == (("handbook/broken.md", "It can't be read (ZeroDivisionError)."),)
    assert view.duration_s > 0
    assert bench.views[-1] == view


async def test_progress_is_shown_at_a_pace_and_the_end_always() -> None:
    bench = Bench()
    bench.source.files.update({f"handbook/{n}.md": f"Paragraph {n}." for n in range(200)})
    began = asyncio.get_running_loop().time()
    view = await bench.finished()
    seconds = asyncio.get_running_loop().time() - began
    assert bench.views[-1] == view
    assert view.done == view.total == 202
    assert 1 <= len(bench.views) <= seconds / 0.01 + 2


async def test_one_job_at_a_time() -> None:
    bench = Bench()
    bench.embedder.delay = 0.05
    assert bench.start()
    assert not bench.start()
    await asyncio.sleep(0.01)
    assert not bench.start()
    assert len(bench.stores) == 1
    await bench.jobs.close()


async def test_a_dry_run_changes_nothing() -> None:
    bench = Bench()
    view = await bench.finished(dry_run=True)
    assert (view.dry_run, view.added, view.generation) == (True, 2, "")
    assert bench.database.generations == {}


async def test_a_cancelled_job_says_so_and_the_old_index_stays() -> None:
    bench = Bench()
    await bench.finished()
    before = bench.database.alias
    bench.embedder.delay = 60
    bench.start(full=True)
    await asyncio.sleep(0.02)
    assert bench.jobs.cancel()
    await bench.jobs.idle()
    assert not bench.jobs.cancel()
    assert bench.views[-1].phase is JobPhase.CANCELLED
    assert "It was cancelled" in bench.views[-1].error
    assert bench.database.alias == before
    assert bench.database.holder == ""
    assert (await bench.journal.unfinished_jobs()) == []


async def test_a_job_that_is_cancelled_before_it_began_says_so_too() -> None:
    bench = Bench()
    bench.start()
    assert bench.jobs.cancel()
    await bench.jobs.idle()
    assert bench.views[-1].phase is JobPhase.CANCELLED


async def test_stopping_candor_stops_the_job_and_says_so() -> None:
    bench = Bench()
    bench.embedder.delay = 60
    bench.start()
    await asyncio.sleep(0.02)
    await bench.jobs.close()
    assert bench.views[-1].phase is JobPhase.CANCELLED
    assert bench.views[-1].error.startswith("Candor is stopping.")
    assert bench.journal.kept.jobs[bench.views[-1].id].view == bench.views[-1]


async def test_a_failure_is_told_in_a_sentence() -> None:
    bench = Bench()
    bench.database.holder = "Tenant other"
    view = await bench.finished()
    assert view.phase is JobPhase.FAILED
    assert view.error.startswith("Tenant other is indexing right now.")
    bench.database.holder = ""

    def down(operation: str) -> None:
        if operation == "publish":
            raise SearchError("Weaviate is down.")

    bench.database.on_call = down
    view = await bench.finished()
    assert view.error == "Weaviate is down. Nothing was indexed."


async def test_a_mistake_of_ours_is_not_shown_as_it_is() -> None:
    bench = Bench()
    bench.database.on_call = lambda operation: [][1] if operation == "draft" else None
    view = await bench.finished()
    assert view.phase is JobPhase.FAILED
    assert view.error.startswith("Something went wrong on my side")


async def test_what_cannot_be_shown_does_not_stop_the_job() -> None:
    bench = Bench()
    bench.refusal = ScreenError("The channel is gone.")
    assert (await bench.finished()).phase is JobPhase.DONE
    bench.refusal = ZeroDivisionError()
    assert (await bench.finished()).phase is JobPhase.DONE


async def test_a_screen_that_hangs_does_not_keep_the_job_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "GOING_S", 0.01)
    monkeypatch.setattr(room, "LAST_S", 0.01)
    bench = Bench()

    async def hang(view: JobView) -> None:
        await asyncio.Event().wait()

    bench.show = hang  # type: ignore[method-assign]
    assert (await asyncio.wait_for(bench.finished(), 2)).phase is JobPhase.DONE


async def test_a_job_that_a_crash_cut_off_is_settled_and_reported() -> None:
    bench = Bench()
    await bench.journal.start_job(JobView("j1", JobPhase.RUNNING, ("handbook",)), "UADMIN", CHANNEL)
    after = Reindexing(bench.opening, FakeJournal(bench.journal.kept))
    await after.recover()
    assert [(view.id, view.phase) for view in after.crashed] == [("j1", JobPhase.FAILED)]
    assert "Candor ended before this job did" in after.crashed[0].error
    assert (await bench.journal.unfinished_jobs()) == []
