"""The journal's face. Every method may be called from anywhere on the loop, also at once."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import date

from bot.journal.records import Job, Recorded, Votes
from crag.platform import Incoming, JobView, Place
from crag.types import Reply

Clock = Callable[[], float]
"""Seconds since 1970."""


@asynccontextmanager
async def open_journal(url: str, *, retention_days: int, clock: Clock = time.time) -> AsyncIterator[Journal]:
    """A journal over `sqlite:///PATH` or `postgresql://USER:PASSWORD@HOST/DATABASE`. Migrates the database first, safe
    beside another bot that starts. If the database can't be used now, the journal opens all the same and goes on trying
    (`problem` says what is wrong). On leaving, what waits is written, for at most some seconds. Raises SettingsError if
    the URL is none of these."""
    raise NotImplementedError
    yield Journal()


class Journal:
    """What was asked, answered, voted and done."""

    @property
    def lost(self) -> int:
        """How many writes were given up since the start: for metrics."""
        raise NotImplementedError

    @property
    def waiting(self) -> int:
        """How many writes wait: for metrics."""
        raise NotImplementedError

    @property
    def problem(self) -> str:
        """A sentence that says why nothing can be written right now, "" where all is well. For status, not for
        readiness: questions are answered without the journal."""
        raise NotImplementedError

    async def claim(self, keys: Sequence[str]) -> bool:
        """Whether this question is ours to answer: True if none of the keys was ever claimed, by any process. Atomic,
        and durable over a restart. Where the database fails, this process' memory decides, within a second."""
        raise NotImplementedError

    async def open(self, incoming: Incoming) -> None:
        """Remember a question as accepted and not answered yet."""
        raise NotImplementedError

    async def settle(self, keys: Sequence[str]) -> None:
        """The question with these keys was answered, refused or given up: it isn't pending any more."""
        raise NotImplementedError

    async def pending(self, platform: str) -> list[Incoming]:
        """Questions that a process accepted and left unanswered when it ended or was killed, oldest first. Each is
        handed out once, to one process; those of a process that still runs aren't. Not claimed again: their keys are.
        `open` it again if it is to outlive this process too."""
        raise NotImplementedError

    def record(self, incoming: Incoming, reply: Reply, shown: str) -> None:
        """Keep a question and its reply with the whole trace, secrets blacked out. Returns at once. `shown` is the
        platform's id of the message that shows the reply, "" for none."""
        raise NotImplementedError

    async def reply(self, id: str) -> Recorded | None:
        """A past reply by its trace's id. None where there is none, or it was written by a version whose records can't
        be read any more. The caller checks `incoming.place`."""
        raise NotImplementedError

    def vote(self, reply: str, person: str, *, helpful: bool, reason: str = "") -> None:
        """Count this person's vote under a reply (its trace's id); it replaces an earlier one. Returns at once."""
        raise NotImplementedError

    async def votes(self, reply: str) -> Votes:
        """The votes under a reply, those just cast included."""
        raise NotImplementedError

    async def start_job(self, view: JobView, person: str, place: Place) -> None:
        """A job begins (queued or running). `person` is the id of who started it."""
        raise NotImplementedError

    async def update_job(self, view: JobView) -> None:
        """How a job is now. Cheap, but not needed for every document."""
        raise NotImplementedError

    async def unfinished_jobs(self) -> list[Job]:
        """Jobs that are queued or running in the journal, though their process has ended. `update_job` settles them."""
        raise NotImplementedError

    async def last_job(self) -> Job | None:
        """The job that was started last, by any process."""
        raise NotImplementedError

    def bump(self, name: str, day: date, by: int = 1) -> None:
        """Add to a daily counter, such as the calls to a language model. Returns at once."""
        raise NotImplementedError

    async def count(self, name: str, day: date) -> int:
        """A daily counter, over all processes that share the database; those of this process alone where it fails."""
        raise NotImplementedError

    async def get(self, name: str) -> str | None:
        """A small text that outlives the process; None where there is none (or the database fails)."""
        raise NotImplementedError

    async def put(self, name: str, value: str) -> None:
        """Keep a small text."""
        raise NotImplementedError
