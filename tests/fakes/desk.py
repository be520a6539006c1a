"""A desk without an engine: it answers every question in the way it is told, and notes all that an adapter brings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from crag import wording
from crag.corrections import Correction
from crag.errors import ScreenError
from crag.events import State
from crag.platform import (
    Handover,
    Incoming,
    JobPhase,
    JobView,
    Person,
    Place,
    Screen,
    SourceView,
    StatusView,
)
from crag.types import Reply, Trace

REFUSED = "Only Candor's admins may do this."


@dataclass
class FakeDesk:
    """`reply` is what each question gets (with a trace id of its own: r1, r2, ...), after `stages` and `pieces`;
    `refusal` is a notice instead; `gate`, where it is given, holds every question back after its stages. `job` are the
    views a reindex tells. Admins are those with an id or a group in `admins`."""

    reply: Reply
    served: bool = True
    follow_ups: bool = False
    admins: frozenset[str] = frozenset()
    stages: tuple[State, ...] = (State.SEARCH,)
    pieces: tuple[str, ...] = ()
    pause_s: float = 0.0
    refusal: str = ""
    gate: asyncio.Event | None = None
    handover: Handover | str = "No channel is set up for this."
    job: tuple[JobView, ...] = (JobView("j1", JobPhase.DONE, ("handbook",)),)
    received: list[Incoming] = field(default_factory=list)
    asked: list[Incoming] = field(default_factory=list)
    duplicates: list[Incoming] = field(default_factory=list)
    graded: list[Incoming] = field(default_factory=list)
    replies: dict[str, Reply] = field(default_factory=dict)
    votes: list[tuple[str, str, bool, str]] = field(default_factory=list)
    noted: str = "Noted, thank you."
    corrections: list[tuple[str, str, Correction | None]] = field(default_factory=list)
    handed_over: list[tuple[str, str]] = field(default_factory=list)
    jobs: list[tuple[tuple[str, ...], bool, bool]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    cancelled_jobs: list[str] = field(default_factory=list)
    failures: list[ScreenError] = field(default_factory=list)

    def serves(self, place: Place) -> bool:
        return self.served

    def follows_up(self, place: Place) -> bool:
        return self.follow_ups

    @asynccontextmanager
    async def receiving(self, incoming: Incoming, *, within_s: float = 0.2) -> AsyncIterator[bool]:
        self.received.append(incoming)
        yield True

    async def ask(self, incoming: Incoming, screen: Screen) -> None:
        known = {key for earlier in self.asked for key in earlier.keys}
        if known & set(incoming.keys):
            self.duplicates.append(incoming)
            return
        self.asked.append(incoming)
        try:
            await self._show(incoming, screen)
        except ScreenError as error:
            self.failures.append(error)

    async def _show(self, incoming: Incoming, screen: Screen) -> None:
        if self.refusal:
            await screen.notice(self.refusal)
            return
        for state in self.stages:
            await screen.stage(state)
        if self.gate is not None:
            await self.gate.wait()
        for piece in self.pieces:
            await screen.piece(piece)
            await asyncio.sleep(self.pause_s)
        await screen.reply(self._made(incoming))

    def _made(self, incoming: Incoming) -> Reply:
        number = f"r{len(self.replies) + 1}"
        trace: Trace = replace(self.reply.trace, id=number)
        made = replace(self.reply, trace=trace, question=replace(self.reply.question, text=incoming.text))
        self.replies[number] = made
        return made

    async def grade(self, incoming: Incoming) -> Reply | str:
        self.graded.append(incoming)
        return self.refusal or self._made(incoming)

    async def recall(self, reply: str, place: Place, person: Person) -> Reply | str:
        return self.refusal or self.replies.get(reply) or wording.GONE

    async def vote(self, reply: str, place: Place, person: Person, *, helpful: bool, reason: str = "") -> str:
        self.votes.append((reply, person.id, helpful, reason))
        return "Thank you, that helps."

    async def correct(self, reply: str, place: Place, person: Person, correction: Correction | None) -> str:
        self.corrections.append((reply, person.id, correction))
        return self.noted

    async def hand_over(self, reply: str, place: Place, person: Person) -> Handover | str:
        self.handed_over.append((reply, person.id))
        return self.handover

    def may_admin(self, person: Person, place: Place) -> bool:
        return person.id in self.admins or bool(person.groups & self.admins)

    async def status(self, person: Person, place: Place) -> StatusView | str:
        if not self.may_admin(person, place):
            return REFUSED
        return StatusView((("Index", "31 documents"),), ("The journal is full.",))

    async def sources(self, person: Person, place: Place) -> tuple[SourceView, ...] | str:
        return (SourceView("handbook", "docs", "default"),) if self.may_admin(person, place) else REFUSED

    async def reindex(
        self,
        person: Person,
        place: Place,
        *,
        sources: tuple[str, ...],
        full: bool,
        dry_run: bool,
        show: Callable[[JobView], Awaitable[None]],
    ) -> str:
        if not self.may_admin(person, place):
            return REFUSED
        self.jobs.append((sources, full, dry_run))
        for view in self.job:
            await show(view)
        return ""

    async def cancel(self, person: Person, place: Place, job: str = "") -> str:
        if not self.may_admin(person, place):
            return REFUSED
        self.cancelled.append(person.id)
        self.cancelled_jobs.append(job)
        return "Stopping the job."
