"""Which processes live: each holds a lock that its end releases, however it ends. So a question that a killed process
left is known as such at once, and one that another process is answering is left alone."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from sqlalchemy import URL, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from bot.journal.mending import alone

LOCKS = 0x43414E44
"""The class of our advisory locks in PostgreSQL: "CAND"."""

_HELD = text(
    "select objid::bigint from pg_locks where locktype = 'advisory' and granted and classid::bigint = :locks "
    "and database = (select oid from pg_database where datname = current_database())"
)


class Runs(Protocol):
    """`run` is this process' number."""

    async def hold(self) -> None:
        """Take this run's lock, if it isn't held. Raises what the database, or the disk, raises."""
        ...

    async def check(self) -> None:
        """See that it is still held; raises if not, and then `hold` takes it anew."""
        ...

    async def dead(self, runs: Collection[int]) -> set[int]:
        """Those of the runs whose process has ended."""
        ...

    async def release(self) -> None: ...


class FileRuns:
    """Beside an SQLite file: a locked file for each run."""

    def __init__(self, database: Path, run: int) -> None:
        self._database = database
        self._run = run
        self._held: int | None = None

    async def hold(self) -> None:
        if self._held is None:
            self._held = await asyncio.to_thread(self._hold)

    async def check(self) -> None:
        """It is, until this process ends."""

    async def dead(self, runs: Collection[int]) -> set[int]:
        return {run for run in runs if run != self._run and self._is_dead(run)}

    async def release(self) -> None:
        if self._held is not None:
            self._path(self._run).unlink(missing_ok=True)
            os.close(self._held)
            self._held = None

    def _hold(self) -> int | None:
        """While no other process does the same: a file that was only just made isn't a dead one's."""
        with alone(self._database):
            for left in self._database.parent.glob(f"{self._database.name}-run-*"):
                self._is_dead(int(left.name.rpartition("-")[2]))
            return _locked(self._path(self._run), os.O_CREAT)

    def _is_dead(self, run: int) -> bool:
        path = self._path(run)
        try:
            descriptor = _locked(path)
        except FileNotFoundError:
            return True
        if descriptor is None:
            return False
        path.unlink(missing_ok=True)
        os.close(descriptor)
        return True

    def _path(self, run: int) -> Path:
        return self._database.with_name(f"{self._database.name}-run-{run}")


class SessionRuns:
    """In PostgreSQL: an advisory lock of a connection that does nothing else."""

    def __init__(self, url: URL, run: int, connect_args: dict[str, object]) -> None:
        self._engine = create_async_engine(
            url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args=connect_args
        )
        self._run = run
        self._connection: AsyncConnection | None = None
        self._holding = asyncio.Lock()

    async def hold(self) -> None:
        """Not waited for: only a session of ours that the server hasn't missed yet can have it."""
        async with self._holding:
            if self._connection is None:
                self._connection = await self._engine.connect()
                await self._ask("select pg_try_advisory_lock(:locks, :run)", {"locks": LOCKS, "run": self._run})

    async def check(self) -> None:
        async with self._holding:
            await self._ask("select 1", {})

    async def _ask(self, what: str, values: dict[str, int]) -> None:
        if self._connection is None:
            return
        try:
            await self._connection.execute(text(what), values)
        except BaseException:
            await self.release()
            raise

    async def dead(self, runs: Collection[int]) -> set[int]:
        async with self._engine.connect() as connection:
            held = await connection.scalars(_HELD, {"locks": LOCKS})
            return set(runs) - set(held) - {self._run}

    async def release(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(SQLAlchemyError):
                await connection.close()


def _locked(path: Path, flags: int = 0) -> int | None:
    """The descriptor of the file, locked; None where another process has it."""
    descriptor = os.open(path, os.O_RDWR | flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
