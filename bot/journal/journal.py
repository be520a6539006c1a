"""The journal's face. Every method may be called from anywhere on the loop, also at once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import date, timedelta

from sqlalchemy import Executable, select

from bot.journal import records
from bot.journal.database import Database, Rows
from bot.journal.errors import JournalUnavailable, RecordRefused
from bot.journal.records import Job, Recorded, Votes
from bot.journal.statements import outdated
from bot.journal.tables import counters, jobs, open_questions, remembered, replies, votes
from bot.journal.writer import Writer
from crag.corrections import Correction
from crag.platform import Incoming, JobView, Place
from crag.types import Reply

log = logging.getLogger(__name__)

Clock = Callable[[], float]
"""Seconds since 1970."""

WAIT_S = 0.8
"""The longest that anyone waits for the database before going on without it."""
OPEN_S = 10.0
CLOSE_S = 5.0
CLOSE_BROKEN_S = 2.0
"""How long the end waits for what is to be written; the second where the database fails anyway."""
HELD_S = 15.0
TIDY_S = 3600.0
PORTION = 200
"""How many old rows go in one transaction."""
KEYS = 20_000
"""How many claimed keys this process remembers by itself."""
DAY_S = 86_400.0
REASON = 2000
"""How much is kept of a reason, in characters."""


@asynccontextmanager
async def open_journal(url: str, *, retention_days: int, clock: Clock = time.time) -> AsyncIterator[Journal]:
    """A journal over `sqlite:///PATH` or `postgresql://USER:PASSWORD@HOST/DATABASE`. Migrates the database first, safe
    beside another bot that starts. If the database can't be used now, the journal opens all the same and goes on trying
    (`problem` says what is wrong). On leaving, what waits is written, for at most some seconds. Raises SettingsError if
    the URL is none of these."""
    journal = Journal(Database(url), retention_days, clock)
    tasks = [asyncio.create_task(journal._writer.run()), asyncio.create_task(journal._keep())]
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(OPEN_S):
                await journal._writer.prepared.wait()
        yield journal
    finally:
        tasks[1].cancel()
        await journal._writer.drain(CLOSE_BROKEN_S if journal.problem else CLOSE_S)
        for task in (*tasks, *journal._reading):
            task.cancel()
        await asyncio.gather(*tasks, *journal._reading, return_exceptions=True)
        await journal._database.close()


class Journal:
    """What was asked, answered, voted and done."""

    def __init__(self, database: Database, retention_days: int, clock: Clock) -> None:
        self._database = database
        self._make = database.make
        self._writer = Writer(database)
        self._retention_s = retention_days * DAY_S
        self._clock = clock
        self._claimed: OrderedDict[str, None] = OrderedDict()
        self._counted: dict[tuple[str, date], int] = {}
        self._reading: set[asyncio.Task[Rows]] = set()

    @property
    def lost(self) -> int:
        """How many writes were given up since the start: for metrics."""
        return self._writer.lost

    @property
    def waiting(self) -> int:
        """How many writes wait: for metrics."""
        return self._writer.waiting

    @property
    def problem(self) -> str:
        """A sentence that says why nothing can be written right now, "" where all is well. For status, not for
        readiness: questions are answered without the journal."""
        return self._writer.problem

    async def claim(self, keys: Sequence[str], incoming: Incoming | None = None) -> bool:
        """Whether this question is ours to answer: True if none of the keys was ever claimed, by any process. Atomic,
        and durable over a restart. Where the database fails, this process' memory decides, within a second. With
        `incoming` the question is remembered in the same moment, as by `open`: none is claimed and then lost."""
        wanted = frozenset(key.replace("\0", "") for key in keys)
        new = wanted.isdisjoint(self._claimed)
        self._claimed.update(dict.fromkeys(wanted))
        while len(self._claimed) > KEYS:
            self._claimed.popitem(last=False)
        at = self._clock()
        claimed = self._writer.claim(wanted, at, (lambda: self._make.open(incoming, at)) if incoming else None)
        if new and not self.problem:
            await asyncio.wait([claimed], timeout=WAIT_S)
            if claimed.done() and not claimed.cancelled():
                return claimed.result()
        return new

    async def open(self, incoming: Incoming) -> None:
        """Remember a question as accepted and not answered yet."""
        at = self._clock()
        await self._written(lambda: [self._make.open(incoming, at)])

    async def settle(self, keys: Sequence[str]) -> None:
        """The question with these keys was answered, refused or given up: it isn't pending any more."""
        self._writer.put(lambda: [self._make.settle(keys)])

    async def pending(self, platform: str) -> list[Incoming]:
        """Questions that a process accepted and left unanswered when it ended or was killed, oldest first. Each is
        handed out once, to one process, which has accepted it then; those of a process that still runs aren't. Not
        claimed again: their keys are. Waits until the database works, however long."""
        await self._writer.well.wait()
        with self._reported():
            await self._writer.drain(WAIT_S)
            mine = open_questions.c.platform == platform
            rows = await self._database.read(select(open_questions.c.run).where(mine).distinct())
            dead = await self._database.dead({row.run for row in rows})
            taken = await self._database.returning(self._make.take(platform, dead)) if dead else ()
            found = [records.incoming_of(row.incoming) for row in sorted(taken, key=lambda row: row.at)]
            return [incoming for incoming in found if incoming is not None]
        return []

    def record(self, incoming: Incoming, reply: Reply) -> None:
        """Keep a question and its reply with the whole trace, secrets blacked out. Returns at once."""
        at = self._clock()
        self._writer.put(lambda: [self._make.record(incoming, reply, at)], bulky=True)

    async def reply(self, id: str) -> Recorded | None:
        """A past reply by its trace's id. None where there is none, or it was written by a version whose records can't
        be read any more. The caller checks `incoming.place`."""
        rows = await self._read(select(replies).where(replies.c.id == id))
        return records.recorded(rows[0]) if rows else None

    def vote(self, reply: str, person: str, *, helpful: bool, reason: str = "") -> None:
        """Count this person's vote under a reply (its trace's id); it replaces an earlier one. Returns at once."""
        at = self._clock()
        self._writer.put(lambda: [self._make.vote(reply, person, helpful, reason[:REASON], at)])

    async def votes(self, reply: str) -> Votes:
        """The votes under a reply, those just cast included."""
        rows = await self._read(select(votes).where(votes.c.reply == reply).order_by(votes.c.at))
        helpful = sum(row.helpful for row in rows)
        reasons = tuple(row.reason for row in rows if row.reason and not row.helpful)
        return Votes(helpful, len(rows) - helpful, reasons)

    async def correct(
        self, reply: str, platform: str, person: str, correction: Correction, sources: Sequence[str]
    ) -> None:
        """Keep what this person says a reply (its trace's id) should have been; it replaces what they said before.
        `sources` are the documents that answer, by path or address."""
        at = self._clock()
        await self._written(lambda: [self._make.correct(reply, platform, person, correction, sources, at)])

    async def withdraw(self, reply: str, platform: str, person: str) -> bool:
        """Drop this person's correction. Whether there was one."""
        gone = self._writer.put(lambda: [self._make.withdraw(reply, platform, person)])
        await asyncio.wait([gone], timeout=WAIT_S)
        return not gone.done() or gone.result() > 0

    async def start_job(self, view: JobView, person: str, place: Place) -> None:
        """A job begins (queued or running). `person` is the id of who started it."""
        at = self._clock()
        await self._written(lambda: [self._make.start_job(view, person, place, at)])

    async def update_job(self, view: JobView) -> None:
        """How a job is now. Cheap, but not needed for every document."""
        at = self._clock()
        self._writer.put(lambda: [self._make.update_job(view, at)])

    async def unfinished_jobs(self) -> list[Job]:
        """Jobs that are queued or running in the journal, though their process has ended. `update_job` settles them."""
        rows = await self._read(self._make.unfinished_jobs())
        dead: set[int] = set()
        with self._reported():
            dead = await self._database.dead({row.run for row in rows}) if rows else dead
        found = [records.job(row) for row in rows if row.run in dead]
        return [job for job in found if job is not None]

    async def last_job(self) -> Job | None:
        """The job that was started last, by any process."""
        rows = await self._read(select(jobs).order_by(jobs.c.started.desc()).limit(1))
        return records.job(rows[0]) if rows else None

    def bump(self, name: str, day: date, by: int = 1) -> None:
        """Add to a daily counter, such as the calls to a language model. Returns at once."""
        self._counted = {key: value for key, value in self._counted.items() if key[1] >= day - timedelta(days=2)}
        self._counted[name, day] = self._counted.get((name, day), 0) + by
        self._writer.put(lambda: [self._make.bump(name, day, by)])

    async def count(self, name: str, day: date) -> int:
        """A daily counter, over all processes that share the database; those of this process alone where it fails."""
        which = counters.c.name == name, counters.c.day == day.isoformat()
        rows = await self._read(select(counters.c.value).where(*which))
        return max(self._counted.get((name, day), 0), rows[0].value if rows else 0)

    async def get(self, name: str) -> str | None:
        """A small text that outlives the process; None where there is none (or the database fails)."""
        rows = await self._read(select(remembered.c.value).where(remembered.c.name == name))
        return str(rows[0].value) if rows else None

    async def put(self, name: str, value: str) -> None:
        """Keep a small text."""
        await self._written(lambda: [self._make.put(name, value)])

    async def tidy(self) -> int:
        """Delete what is older than the retention, in small portions. Returns how many rows went. Runs by itself, at
        the start and every hour."""
        before = self._clock() - self._retention_s
        gone = 0
        while not self.problem:
            deleted = await self._writer.put(lambda: outdated(before, PORTION))
            gone += deleted
            if not deleted:
                break
            await asyncio.sleep(0.05)
        return gone

    async def _keep(self) -> None:
        """Stay known as alive, and tidy up."""
        tidied = float("-inf")
        while True:
            await self._writer.well.wait()
            with self._reported():
                await self._database.still_held()
            if time.monotonic() - tidied >= TIDY_S:
                await self.tidy()
                tidied = time.monotonic()
            await asyncio.sleep(HELD_S)

    async def _written(self, build: Callable[[], Sequence[Executable]]) -> None:
        """Wait until it is written, but not long, and not for a database that fails anyway."""
        done = self._writer.put(build)
        if not self.problem:
            await asyncio.wait([done], timeout=WAIT_S)

    async def _read(self, statement: Executable) -> Rows:
        """What was put before included. Nothing where the database fails or is slow."""
        if self.problem:
            return ()
        reading = asyncio.create_task(self._rows(statement))
        self._reading.add(reading)
        reading.add_done_callback(self._reading.discard)
        await asyncio.wait([reading], timeout=2 * WAIT_S)
        return reading.result() if reading.done() else ()

    async def _rows(self, statement: Executable) -> Rows:
        with self._reported():
            await self._writer.drain(WAIT_S)
            return await self._database.read(statement)
        return ()

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """A failing database is the writer's to mend; here it is as if nothing was found."""
        try:
            yield
        except JournalUnavailable as error:
            self._writer.broke(error)
        except RecordRefused as refused:
            log.debug("%s", refused)
