"""The database, SQLite or PostgreSQL: opening, migrating, mending, and one transaction at a time."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Executable, create_engine, event, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from bot.journal import mending
from bot.journal.errors import JournalUnavailable, is_damage, translated
from bot.journal.migrations import migrate
from bot.journal.runs import LOCKS, FileRuns, Runs, SessionRuns
from bot.journal.statements import Statements
from crag.errors import SettingsError

BUSY_S = 2.0
"""How long SQLite waits while another process writes."""
LIMIT_S = 5.0
CHECK_S = 1.0
PREPARE_S = 600.0
"""The longest for one transaction; for seeing whether we count as alive; and for migrating, or reading through a
damaged file."""
_POSTGRESQL: dict[str, object] = {"connect_timeout": 3, "tcp_user_timeout": 5000}
"""libpq: seconds, and milliseconds until a silent connection counts as dead."""
_SQLITE: dict[str, object] = {"timeout": BUSY_S, "isolation_level": None}
"""No transactions of the driver's own: they begin as reading ones, and fail at once if another process wrote."""

_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg"}

Rows = Sequence[Any]


class Database:
    """`name` is how people know it, without a password; `make` builds its statements. `write`, `read` and `prepare`
    raise JournalUnavailable, `write` RecordRefused too. Raises SettingsError for an URL that is none of ours."""

    def __init__(self, url: str) -> None:
        parsed = _parsed(url)
        self.file = Path(parsed.database or "") if parsed.get_backend_name() == "sqlite" else None
        self.name = str(self.file or parsed.set(drivername="postgresql").render_as_string())
        self.run = secrets.randbelow(2**31)
        self._url = parsed
        self._damaged = False
        if self.file:
            self.make = Statements(sqlite.insert, self.run)
            self.runs: Runs = FileRuns(self.file, self.run)
            self._engine = create_async_engine(parsed, connect_args=_SQLITE)
            event.listen(self._engine.sync_engine, "connect", _on_connect)
            event.listen(self._engine.sync_engine, "begin", _on_begin)
        else:
            self.make = Statements(postgresql.insert, self.run)
            self.runs = SessionRuns(parsed, self.run, _POSTGRESQL)
            self._engine = create_async_engine(parsed, connect_args=_POSTGRESQL, pool_pre_ping=True)
        self._reading = self._engine.execution_options(reading=True)

    async def prepare(self) -> str:
        """Migrate, mend what is damaged, and see that a write works. Returns what people should know of it, or ""."""
        async with self._translated(PREPARE_S):
            await self._engine.dispose()
            told = await asyncio.to_thread(self._prepare)
        async with self._translated():
            with suppress(SQLAlchemyError, TimeoutError):
                async with asyncio.timeout(CHECK_S):
                    await self.runs.check()
            await self.runs.hold()
        self._damaged = False
        return told

    async def write(self, groups: Sequence[Sequence[Executable]]) -> list[int]:
        """Run all in one transaction. Returns for each group how many rows it changed."""
        if not any(groups):
            return [0] * len(groups)
        async with self._translated():
            async with self._engine.begin() as connection:
                return [sum([await _changed(connection, statement) for statement in group]) for group in groups]

    async def claim(
        self, keys: frozenset[str], at: float, then: Callable[[set[str]], Sequence[Executable]]
    ) -> set[str]:
        """Claim keys and, in the same transaction, run what follows `then` from those that were free. Returns these."""
        async with self._translated():
            async with self._engine.begin() as connection:
                free = {row.key for row in await connection.execute(self.make.claim(keys, at))}
                for statement in then(free):
                    await connection.execute(statement)
                return free

    async def returning(self, statement: Executable) -> Rows:
        """Run a statement that changes rows and returns them."""
        async with self._translated():
            async with self._engine.begin() as connection:
                return (await connection.execute(statement)).all()

    async def read(self, statement: Executable) -> Rows:
        async with self._translated():
            async with self._reading.connect() as connection:
                return (await connection.execute(statement)).all()

    async def still_held(self) -> None:
        """See that this process still counts as alive."""
        async with self._translated():
            await self.runs.check()

    async def dead(self, runs: set[int]) -> set[int]:
        """Those of the runs whose process has ended."""
        async with self._translated():
            return await self.runs.dead(runs)

    async def forget_deleted(self) -> None:
        """What was deleted leaves SQLite's log too, unless another process is reading just now."""
        if self.file:
            async with self._translated():
                await asyncio.to_thread(mending.empty_log, self.file, BUSY_S)

    def set_asides(self) -> list[Path]:
        """The damaged files that were kept."""
        return mending.set_asides(self.file) if self.file else []

    async def close(self) -> None:
        await self.runs.release()
        await self._engine.dispose()

    @asynccontextmanager
    async def _translated(self, limit_s: float = LIMIT_S) -> AsyncIterator[None]:
        try:
            with translated(self.name):
                async with asyncio.timeout(limit_s):
                    yield
        except JournalUnavailable as error:
            self._damaged |= error.damaged
            raise

    def _prepare(self) -> str:
        """Blocks. One process at a time: SQLite can't switch to its log, nor be set aside, under another's hands."""
        if not self.file:
            self._migrate()
            return ""
        told = ""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with mending.alone(self.file):
            if self._damaged and mending.is_damaged(self.file):
                told = mending.set_aside(self.file)
            mending.create(self.file)
            try:
                self._migrate()
            except Exception as error:
                if not is_damage(error):
                    raise
                told = mending.set_aside(self.file)
                mending.create(self.file)
                self._migrate()
        return told

    def _migrate(self) -> None:
        """Under a lock of the database's, so that two bots may start at once; with a write, to see that it works."""
        driver = "sqlite" if self.file else self._url.drivername
        engine = create_engine(
            self._url.set(drivername=driver), poolclass=NullPool, connect_args=_SQLITE if self.file else _POSTGRESQL
        )
        if self.file:
            event.listen(engine, "connect", _on_first_connect)
            event.listen(engine, "begin", _on_begin)
        try:
            with engine.begin() as connection:
                if not self.file:
                    connection.execute(text("set local lock_timeout = '10s'"))
                    connection.execute(text("select pg_advisory_xact_lock(:locks, -1)"), {"locks": LOCKS})
                migrate(connection)
                connection.execute(self.make.put("opened", str(self.run)))
        finally:
            engine.dispose()


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        parsed = URL.create("none")
    driver = _DRIVERS.get(parsed.drivername)
    if driver is None or not parsed.database or parsed.database == ":memory:":
        shown = parsed.render_as_string(hide_password=True)
        raise SettingsError(
            f"CANDOR_JOURNAL__URL is {shown!r}, but must be sqlite:///PATH or postgresql://USER:PASSWORD@HOST/DATABASE."
        )
    return parsed.set(drivername=driver)


async def _changed(connection: AsyncConnection, statement: Executable) -> int:
    result = await connection.execute(statement, execution_options={"preserve_rowcount": True})
    return max(0, result.rowcount)


def _on_connect(connection: Any, _: object) -> None:
    """Set up a new SQLite connection: no write waits for the disk (it outlives a crash of ours, not always one of the
    machine), and what is deleted is overwritten."""
    cursor = connection.cursor()
    for pragma in ("synchronous=NORMAL", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _on_first_connect(connection: Any, _: object) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    _on_connect(connection, _)


def _on_begin(connection: Connection) -> None:
    """A transaction that will write says so at its start: then SQLite waits for another's end instead of failing."""
    reading = connection.get_execution_options().get("reading")
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
