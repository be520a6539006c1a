"""A journal in memory. Two over the same `Kept` are a bot before and after its restart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from bot.journal import Job, Recorded
from crag.corrections import Correction
from crag.platform import Incoming, JobPhase, JobView, Place
from crag.types import Reply


@dataclass
class Kept:
    """What a database would hold."""

    claimed: set[str] = field(default_factory=set)
    open: dict[tuple[str, ...], tuple[int, Incoming]] = field(default_factory=dict)
    replies: dict[str, Recorded] = field(default_factory=dict)
    votes: dict[tuple[str, str], tuple[bool, str]] = field(default_factory=dict)
    corrections: dict[tuple[str, str, str], tuple[Correction, tuple[str, ...]]] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    counters: Counter[tuple[str, date]] = field(default_factory=Counter)
    texts: dict[str, str] = field(default_factory=dict)
    processes: int = 0


class FakeJournal:
    """Satisfies bot.desk.ports.Journal."""

    def __init__(self, kept: Kept | None = None) -> None:
        self.kept = kept or Kept()
        self.kept.processes += 1
        self._process = self.kept.processes
        self.lost = 0
        self.waiting = 0
        self.problem = ""

    async def claim(self, keys: Sequence[str], incoming: Incoming | None = None) -> bool:
        if self.kept.claimed & set(keys):
            return False
        self.kept.claimed.update(keys)
        if incoming:
            await self.open(incoming)
        return True

    async def open(self, incoming: Incoming) -> None:
        self.kept.open[incoming.keys] = (self._process, incoming)

    async def settle(self, keys: Sequence[str]) -> None:
        self.kept.open.pop(tuple(keys), None)

    async def pending(self, platform: str) -> list[Incoming]:
        found = [
            incoming
            for process, incoming in self.kept.open.values()
            if process != self._process and incoming.place.platform == platform
        ]
        for incoming in found:
            await self.open(incoming)
        return found

    def record(self, incoming: Incoming, reply: Reply) -> None:
        self.kept.replies[reply.trace.id] = Recorded(incoming, reply, 0.0)

    async def reply(self, id: str) -> Recorded | None:
        return self.kept.replies.get(id)

    def vote(self, reply: str, person: str, *, helpful: bool, reason: str = "") -> None:
        self.kept.votes[reply, person] = (helpful, reason)

    async def correct(
        self, reply: str, platform: str, person: str, correction: Correction, sources: Sequence[str]
    ) -> None:
        self.kept.corrections[reply, platform, person] = (correction, tuple(sources))

    async def withdraw(self, reply: str, platform: str, person: str) -> bool:
        return self.kept.corrections.pop((reply, platform, person), None) is not None

    async def start_job(self, view: JobView, person: str, place: Place) -> None:
        self.kept.jobs[view.id] = Job(view, person, place, 0.0, 0.0)

    async def update_job(self, view: JobView) -> None:
        job = self.kept.jobs[view.id]
        self.kept.jobs[view.id] = Job(view, job.person, job.place, job.started, job.updated)

    async def unfinished_jobs(self) -> list[Job]:
        return [job for job in self.kept.jobs.values() if job.view.phase in (JobPhase.QUEUED, JobPhase.RUNNING)]

    async def last_job(self) -> Job | None:
        return [*self.kept.jobs.values()][-1] if self.kept.jobs else None

    def bump(self, name: str, day: date, by: int = 1) -> None:
        self.kept.counters[name, day] += by

    async def count(self, name: str, day: date) -> int:
        return self.kept.counters[name, day]

    async def get(self, name: str) -> str | None:
        return self.kept.texts.get(name)

    async def put(self, name: str, value: str) -> None:
        self.kept.texts[name] = value
