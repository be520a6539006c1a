"""Questions and replies for the journal's tests."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from sqlalchemy import create_engine, make_url

from crag.platform import Entry, Incoming, JobPhase, JobView, Person, Place
from crag.types import Reply, Turn
from tests.adapters.console import samples

CHANNEL = Place("slack", "T1", "C1")
DAY_S = 86_400.0


class Clock:
    """Seconds since 1970, as a test wants them."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


def incoming(
    key: str = "k1",
    *,
    person: str = "U1",
    text: str = "How many days carry over?",
    place: Place = CHANNEL,
    history: tuple[Turn, ...] = (),
) -> Incoming:
    keys = (key, f"{key}-message")
    return Incoming(
        keys, place, Person(person, frozenset({"G1"})), Entry.MENTION, text, history, "17.1", "https://x/17"
    )


def reply(id: str = "r1", asked: Incoming | None = None) -> Reply:
    """An answer to this question."""
    answered = samples.answered()
    question = replace(answered.question, text=asked.text, asker=asked.person.id, history=asked.history) if asked else (
        answered.question
    )  # fmt: skip
    return replace(answered, question=question, trace=replace(answered.trace, id=id))


def job(id: str = "j1", phase: JobPhase = JobPhase.RUNNING) -> JobView:
    return JobView(id, phase, ("handbook",), total=31, failed=(("a.pdf", "too many pages"),))


async def until(holds: Callable[[], bool], limit_s: float = 10.0) -> None:
    """Wait for it; fails where it doesn't come to hold."""

    async def ask() -> bool:
        return holds()

    await eventually(ask, True, limit_s)


async def eventually(ask: Callable[[], Awaitable[object]], expected: object, limit_s: float = 10.0) -> None:
    """Ask until this is the answer; fails where it never is."""
    end = time.monotonic() + limit_s
    while (found := await ask()) != expected:
        assert time.monotonic() < end, f"{found} in the end, not {expected}"
        await asyncio.sleep(0.02)


def execute(url: str, statement: str) -> None:
    """Do something to the database behind the journal's back."""
    driver = "sqlite" if url.startswith("sqlite") else "postgresql+psycopg"
    engine = create_engine(make_url(url).set(drivername=driver))
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql(statement)
    finally:
        engine.dispose()


def file_of(url: str) -> Path:
    return Path(make_url(url).database or "")


def count(file: Path, table: str) -> int:
    """How many rows an SQLite table has."""
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute(f"select count(*) from {table}").fetchone()[0])
