"""One task writes for the whole process: what waits goes into one transaction, and nobody waits for the disk."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import Executable

from bot.journal.database import Database
from bot.journal.errors import JournalUnavailable, RecordRefused
from crag.errors import CandorError

log = logging.getLogger(__name__)

BATCH = 50
RECORDS = 200
"""How many records may wait: one has about 50 kB."""
SMALL = 10_000
"""How many claims, votes and the like may wait."""
TRIES = 3
"""How often a database that is well otherwise may fail on the same write before that is given up."""
RETRY_S = 2.0
QUIET_S = 60.0
"""The shortest time between two complaints in the log."""

Build = Callable[[], Sequence[Executable]]


@dataclass(slots=True, eq=False)
class _Write:
    """`done` becomes the number of rows changed, 0 if it was given up."""

    build: Build
    bulky: bool = False
    done: asyncio.Future[int] = field(default_factory=asyncio.Future)
    tries: int = 0


@dataclass(slots=True, eq=False)
class _Claim:
    """`done` becomes whether nobody had any of the keys; it is cancelled where the database can't tell. `opening` is
    then run too, in the same transaction."""

    keys: frozenset[str]
    at: float
    opening: Callable[[], Executable] | None = None
    done: asyncio.Future[bool] = field(default_factory=asyncio.Future)
    tries: int = 0


Waiting = TypeVar("Waiting", _Write, _Claim)


class Writer:
    """`problem` says why nothing can be written now, or is empty; `lost` counts what was given up; `prepared` is set
    once the database was tried, `well` while it works."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._claims: deque[_Claim] = deque()
        self._writes: deque[_Write] = deque()
        self._bulky = 0
        self._work = asyncio.Event()
        self._complained = float("-inf")
        self.lost = 0
        self.problem = "The journal is being opened."
        self.prepared = asyncio.Event()
        self.well = asyncio.Event()

    @property
    def waiting(self) -> int:
        return len(self._claims) + len(self._writes)

    def put(self, build: Build, *, bulky: bool = False) -> asyncio.Future[int]:
        """Write soon, after all that was put before. `build` runs in a thread. If too much waits, it is given up."""
        write = _Write(build, bulky)
        if len(self._writes) >= SMALL or (bulky and self._bulky >= RECORDS):
            self._give_up(write, "Too much waits to be written to the journal.")
        else:
            self._bulky += bulky
            self._writes.append(write)
            self._work.set()
        return write.done

    def claim(
        self, keys: frozenset[str], at: float, opening: Callable[[], Executable] | None = None
    ) -> asyncio.Future[bool]:
        """Claim soon, before all else; later, where the database fails now. `opening` runs in a thread; its statement
        goes along where the keys were free."""
        claim = _Claim(keys, at, opening)
        if len(self._claims) < SMALL:
            self._claims.append(claim)
            self._work.set()
        else:
            self._give_up(claim, "Too much waits to be written to the journal.")
        return claim.done

    def broke(self, error: JournalUnavailable) -> None:
        """The database failed: it is prepared anew before the next write."""
        self.problem = str(error)
        self.well.clear()
        self._work.set()
        self._complain(self.problem)

    async def drain(self, limit_s: float) -> None:
        """Wait until all that was put before is written, or for so long."""
        await asyncio.wait([self.put(lambda: [])], timeout=limit_s)

    async def run(self) -> None:
        """Write until cancelled; then what still waits is lost."""
        try:
            while True:
                if self.problem:
                    await self._prepare()
                await self._work.wait()
                try:
                    await self._turn()
                except JournalUnavailable as error:
                    self.broke(error)
        finally:
            if self.waiting:
                self.lost += self.waiting
                log.warning("Candor ends before %d records were written to the journal.", self.waiting)

    async def _prepare(self) -> None:
        """Until it works."""
        failed = False
        while self.problem:
            try:
                told = await self._database.prepare()
            except Exception as error:
                failed = True
                if not isinstance(error, JournalUnavailable):
                    log.debug("the journal can't be prepared", exc_info=error)
                    error = JournalUnavailable(_words(error))
                self.broke(error)
                self.prepared.set()
                await asyncio.sleep(RETRY_S)
            else:
                self.problem = ""
                self.prepared.set()
                self.well.set()
                if told:
                    log.warning(told)
                elif failed:
                    log.warning("The journal works again; %d records are lost.", self.lost)

    async def _turn(self) -> None:
        while self._claims:  # all of them: what settles a question comes after what opens it
            await self._claim(_taken(self._claims))
        if self._writes:
            await self._write(_taken(self._writes))
        if not self.waiting and not self.problem:
            self._work.clear()

    async def _claim(self, batch: list[_Claim]) -> None:
        keys = frozenset[str]().union(*(claim.keys for claim in batch))

        def opened(free: set[str]) -> list[Executable]:
            return [made for made, new in zip(openings, _new(batch, free), strict=True) if made is not None and new]

        try:
            openings = await asyncio.to_thread(lambda: [claim.opening and claim.opening() for claim in batch])
            free = await self._database.claim(keys, batch[0].at, opened)
        except BaseException as error:
            for claim in batch:
                claim.done.cancel()
            self._put_back(self._claims, batch, error)
            return
        for claim, new in zip(batch, _new(batch, free), strict=True):
            if not claim.done.done():
                claim.done.set_result(new)

    async def _write(self, batch: list[_Write]) -> None:
        try:
            built = await asyncio.to_thread(lambda: [_built(write) for write in batch])
            changed = await self._database.write([[] if isinstance(made, Exception) else made for made in built])
        except BaseException as error:
            self._put_back(self._writes, batch, error)
            return
        for write, made, rows in zip(batch, built, changed, strict=True):
            if isinstance(made, Exception):
                self._give_up(write, _words(made))
            elif not write.done.done():
                write.done.set_result(rows)
            self._bulky -= write.bulky

    def _put_back(self, queue: deque[Waiting], batch: list[Waiting], error: BaseException) -> None:
        """In front, to be tried one by one; except what was tried often enough, or alone and refused. Raises the error
        again where it is about more than this batch."""
        refused = isinstance(error, Exception) and not isinstance(error, JournalUnavailable)
        if refused and not isinstance(error, RecordRefused):
            log.error("writing to the journal failed", exc_info=error)
        for waiting in reversed(batch):
            waiting.tries += isinstance(error, Exception)
            if waiting.tries >= TRIES or (refused and len(batch) == 1):
                self._give_up(waiting, _words(error))
                self._bulky -= isinstance(waiting, _Write) and waiting.bulky
            else:
                queue.appendleft(waiting)
        if not refused:
            raise error

    def _give_up(self, waiting: _Write | _Claim, why: str) -> None:
        self.lost += 1
        if isinstance(waiting, _Claim):
            waiting.done.cancel()
        elif not waiting.done.done():
            waiting.done.set_result(0)
        self._complain(why)

    def _complain(self, why: str) -> None:
        """At most once a minute: a broken disk mustn't fill the log too."""
        now = time.monotonic()
        if now - self._complained >= QUIET_S:
            self._complained = now
            log.warning("%s %d records are lost so far.", why, self.lost)


def _taken(queue: deque[Waiting]) -> list[Waiting]:
    """The next batch; what failed before is tried alone."""
    batch = [queue.popleft()]
    while queue and len(batch) < BATCH and not batch[-1].tries and not queue[0].tries:
        batch.append(queue.popleft())
    return batch


def _new(batch: Sequence[_Claim], free: set[str]) -> Iterator[bool]:
    """For each claim, whether all of its keys were free; the first of two with the same key has it."""
    left = set(free)
    for claim in batch:
        yield claim.keys <= left
        left -= claim.keys


def _built(write: _Write) -> Sequence[Executable] | Exception:
    try:
        return write.build()
    except Exception as error:
        return error


def _words(error: BaseException) -> str:
    if isinstance(error, CandorError):
        return str(error)
    return f"Something can't be written to the journal: {type(error).__name__}: {error}."
