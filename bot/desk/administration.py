"""What admins may do from chat. Every method asks first whether this person is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.desk import words
from bot.desk.budget import Budget
from bot.desk.line import Line
from bot.desk.places import Places
from bot.desk.ports import Index, Journal
from bot.jobs.reindexing import Order, Reindexing
from bot.jobs.telling import Show
from bot.watched import Watched
from config.settings import Settings
from crag import wording
from crag.errors import CandorError
from crag.platform import JobPhase, JobView, Person, Place, PlatformBot, SourceView, StatusView


@dataclass(frozen=True, slots=True)
class Parts:
    """What the status tells about. `embedder` is the fingerprint of the one that runs, `warning` says that thresholds
    and models don't fit; `bots` are the open platforms by name."""

    index: Index
    embedder: str
    warning: str
    line: Line
    budget: Budget
    journal: Journal
    reindexing: Reindexing
    bots: dict[str, PlatformBot]
    models: Sequence[Watched] = ()


class Administration:
    """Status, sources, reindex, cancel."""

    def __init__(self, settings: Settings, places: Places, parts: Parts) -> None:
        self._settings = settings
        self._places = places
        self._parts = parts

    async def status(self, person: Person, place: Place) -> StatusView | str:
        """See crag.platform.Desk."""
        if not self._places.may_admin(place, person):
            return wording.ADMINS_ONLY
        problems: list[str] = [self._parts.warning] if self._parts.warning else []
        lines = [*await self._indexed(place, problems), *await self._work(problems)]
        lines += [(name, "connected" if bot.connected else "not connected") for name, bot in self._parts.bots.items()]
        problems += [f"{name} is not connected." for name, bot in self._parts.bots.items() if not bot.connected]
        problems += [words.model_failed(model.model, why) for model in self._parts.models if (why := model.problem)]
        if why := self._parts.journal.problem:
            problems.append(why)
        return StatusView(tuple(lines), tuple(problems))

    async def sources(self, person: Person, place: Place) -> tuple[SourceView, ...] | str:
        """See crag.platform.Desk."""
        if not self._places.may_admin(place, person):
            return wording.ADMINS_ONLY
        chosen = self._settings.sources
        if not chosen:
            return words.NO_SOURCES
        return tuple(SourceView(name, str(source.path), source.corpus) for name, source in chosen.items())

    async def reindex(
        self, person: Person, place: Place, *, sources: tuple[str, ...], full: bool, dry_run: bool, show: Show
    ) -> str:
        """See crag.platform.Desk. Waits for nothing."""
        if not self._places.may_admin(place, person):
            return wording.ADMINS_ONLY
        known = tuple(self._settings.sources)
        if not known:
            return words.NO_SOURCES
        if unknown := tuple(name for name in sources if name not in known):
            return words.unknown_sources(unknown, known)
        chosen = tuple(dict.fromkeys(sources)) or known
        order = Order(chosen, self._places.tenant(place), full, dry_run, person, place)
        return "" if self._parts.reindexing.start(order, show) else words.ONE_AT_A_TIME

    async def cancel(self, person: Person, place: Place, job: str) -> str:
        """See crag.platform.Desk."""
        if not self._places.may_admin(place, person):
            return wording.ADMINS_ONLY
        if self._parts.reindexing.cancel(job):
            return words.CANCELLING
        return words.JOB_IS_OVER if job else words.NOTHING_TO_CANCEL

    async def _indexed(self, place: Place, problems: list[str]) -> list[tuple[str, str]]:
        try:
            live = await self._parts.index.live(self._places.tenant(place))
        except CandorError as error:
            problems.append(str(error))
            return [("index", "can't be reached")]
        if live is None:
            problems.append("Nothing is indexed yet. Run `/candor reindex`, or `candor index PATH`.")
            return [("index", "empty")]
        if live.embedder != self._parts.embedder:
            problems.append("The index was built with another embedder. Run `/candor reindex --full`.")
        return [
            ("index", wording.indexed(live)),
            ("generation", f"{live.name}, made {live.created}"),
            ("embedder", self._parts.embedder),
        ]

    async def _work(self, problems: list[str]) -> list[tuple[str, str]]:
        parts, chosen = self._parts, self._settings
        lines = [("questions", f"{parts.line.running} being answered, {parts.line.waiting} waiting")]
        if chosen.uses_language_model:
            lines.append(("language model calls today", f"{await parts.budget.used():,} of {parts.budget.limit:,}"))
        for crashed in parts.reindexing.crashed:
            problems.append(f"Reindex {crashed.id} ({', '.join(crashed.sources)}): {crashed.error}")
        if running := parts.reindexing.running:
            lines.append(("reindex", _job(running)))
        elif last := await parts.journal.last_job():
            lines.append(("last reindex", _job(last.view)))
        return lines


def _job(view: JobView) -> str:
    """One line."""
    named = f"{view.id} ({', '.join(view.sources)}{', dry run' if view.dry_run else ''})"
    match view.phase:
        case JobPhase.QUEUED | JobPhase.RUNNING:
            return f"{named}: {view.done} of {view.total} documents read"
        case JobPhase.DONE:
            counts = f"{view.added} added, {view.changed} changed, {view.removed} removed, {len(view.failed)} failed"
            return f"{named}: {counts}, in {view.duration_s:.1f} s"
        case _:
            return f"{named}: {view.phase.value}. {view.error}"
