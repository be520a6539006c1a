"""How fast one question is searched and graded, alone and with others, and what the process weighs."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.app import App
from crag.cascade import Limits
from crag.grading import Judge
from crag.types import EVERYONE, SearchRequest


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of one question by stage."""

    embed: float
    search: float
    grade: float

    @property
    def total(self) -> float:
        return self.embed + self.search + self.grade


async def retrieve_and_grade(
    app: App, judge: Judge, question: str, tenant: str, candidates: int, graded: int | None
) -> Timing:
    """One question, no writer and no correction: embed, hybrid search, grade the best candidates (None: all)."""
    start = time.perf_counter()
    vector = await app.library.embedder.embed_query(question)
    embedded = time.perf_counter()
    request = SearchRequest(question, vector, candidates, 0.5, tenant, frozenset(), frozenset({EVERYONE}))
    hits = await app.library.index.search(request)
    found = time.perf_counter()
    await judge.grade(question, hits, question, Limits(graded))
    done = time.perf_counter()
    return Timing((embedded - start) * 1000, (found - embedded) * 1000, (done - found) * 1000)


async def timings(
    app: App,
    judge: Judge,
    questions: Sequence[str],
    tenant: str,
    *,
    at_once: int,
    candidates: int = 20,
    graded: int | None = None,
) -> list[Timing]:
    """All questions, `at_once` at a time."""
    gate = asyncio.Semaphore(at_once)

    async def one(question: str) -> Timing:
        async with gate:
            return await retrieve_and_grade(app, judge, question, tenant, candidates, graded)

    return list(await asyncio.gather(*(one(question) for question in questions)))


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def row(name: str, found: Sequence[Timing]) -> str:
    """A line of the table: p50 and p95 of each stage and of all."""
    cells = []
    for stage in ("embed", "search", "grade", "total"):
        values = [getattr(timing, stage) for timing in found]
        cells.append(f"{statistics.median(values):.0f} / {percentile(values, 0.95):.0f}")
    return f"| {name} | {len(found)} | {' | '.join(cells)} |"


def resident_mb(pid: str = "self") -> float:
    """Resident memory of a process in MB (Linux)."""
    status = Path("/proc", pid, "status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1000
