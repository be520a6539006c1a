"""What a language model's second opinion gains and costs: `python -m bench.adjudication [--questions 12]`.

Questions of the handbook's development half, answerable and not in equal parts; the 1.5B judgement model
(requirements/judgement-model.txt) on a real Ollama. Only the gate is looked at: which passages would lead to an answer.
It takes minutes, and wants a quiet machine.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adapters.onnx import OnnxEmbedder, OnnxGrader
from bench.datasets import Pool
from bench.handbook_pool import handbook
from bench.pools import PoolIndex
from bench.raw_scores import ROOT
from bench.run import llm_judge
from crag.adjudication import Adjudicator
from crag.calibration import Calibration, load_calibration
from crag.cascade import Limits
from crag.grading import Judge, band
from crag.llm.timeouts import Timeouts
from crag.types import EVERYONE, Band, Grade, Hit, SearchRequest, Verdict

SEED = "candor-adjudication"
LIMITS = Limits(best=8)
PATIENT = Timeouts(first_token=300, idle=60, total=400)
"""What a hurried question would lose is seen in the seconds; here everything is to be answered."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One question's grades before and after the second opinion; `alone` and `more` are seconds."""

    pool: Pool
    before: Sequence[Grade]
    after: Sequence[Grade]
    alone: float
    more: float

    @property
    def asked(self) -> int:
        return sum(grade.verdict is Verdict.AMBIGUOUS for grade in self.before)


def chosen(pools: Sequence[Pool], count: int) -> list[Pool]:
    """Half of them answerable, drawn once and for all."""
    drawn = sorted((pool for pool in pools if pool.dataset == "handbook"), key=lambda pool: pool.id)
    random.Random(SEED).shuffle(drawn)
    sides = [[pool for pool in drawn if pool.answerable is side] for side in (True, False)]
    return [pool for both in zip(*sides, strict=False) for pool in both][:count]


async def compared(pool: Pool, embedder: OnnxEmbedder, judge: Judge, adjudicator: Adjudicator) -> Compared:
    """Ask one question."""
    hits = await _hits(pool, embedder)
    start = time.perf_counter()
    before = await judge.grade(pool.question, hits, pool.question, LIMITS)
    graded = time.perf_counter()
    after = await adjudicator.settled(pool.question, before, None)
    return Compared(pool, before, after, graded - start, time.perf_counter() - graded)


async def _hits(pool: Pool, embedder: OnnxEmbedder) -> Sequence[Hit]:
    vector, everyone = await embedder.embed_query(pool.question), frozenset({EVERYONE})
    request = SearchRequest(pool.question, vector, len(pool.passages), 0.5, "", frozenset(), everyone)
    return await PoolIndex(pool, embedder).search(request)


def told(found: Sequence[Compared]) -> list[str]:
    """The figures as a table; a line a question was printed on the way."""
    lines = ["| | cross-encoder | with the second opinion |", "|---|---|---|"]
    for name, answerable in (("answerable", True), ("unanswerable", False)):
        some = [one for one in found if one.pool.answerable is answerable]
        for what, bands in (("pass the gate", (Band.CORRECT, Band.AMBIGUOUS)), ("are CORRECT", (Band.CORRECT,))):
            counts = [sum(band(grades) in bands for grades in side) for side in _sides(some)]
            lines.append(f"| {name} questions that {what} | {counts[0]} of {len(some)} | {counts[1]} of {len(some)} |")
    alone, whole = [one.alone for one in found], [one.alone + one.more for one in found]
    lines.append(f"| seconds a question, p50 / most | {_spread(alone)} | {_spread(whole)} |")
    lines.append(f"| calls a question, mean / most | 0 | {_calls(found)} |")
    return lines


def _sides(some: Sequence[Compared]) -> tuple[list[Sequence[Grade]], list[Sequence[Grade]]]:
    return [one.before for one in some], [one.after for one in some]


def _spread(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.1f} / {max(seconds):.1f}"


def _calls(found: Sequence[Compared]) -> str:
    return f"{statistics.mean(one.asked for one in found):.1f} / {max(one.asked for one in found)}"


def _line(one: Compared) -> str:
    label = "answerable" if one.pool.answerable else "unanswerable"
    said = ", ".join(f"{g.score:.2f}: {g.adjudicated:.2f}" for g in one.after if g.adjudicated is not None)
    return f"{one.pool.id} {label:12s} {band(one.before):9s} -> {band(one.after):9s} {one.more:6.1f} s  {said}"


async def measured(pools: Sequence[Pool], calibration: Calibration) -> list[Compared]:
    """All of them, one after the other."""
    grader = OnnxGrader(ROOT / "models" / "grader", threads=0, batch_tokens=1)
    with tempfile.TemporaryDirectory() as folder:
        async with (
            OnnxEmbedder(ROOT / "models" / "embedder", threads=0) as embedder,
            grader,
            llm_judge(Path(folder) / "ollama.log", PATIENT) as second,
        ):
            judge, adjudicator = Judge(grader, calibration), Adjudicator(second.grader, second.calibration)
            await second.grader.grade("Is it loaded?", ["Yes."])
            found = []
            for pool in pools:
                found.append(await compared(pool, embedder, judge, adjudicator))
                print(_line(found[-1]), file=sys.stderr, flush=True)
            return found


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    options.add_argument("--questions", type=int, default=12)
    count = options.parse_args().questions
    calibration = load_calibration(ROOT / "config" / "calibration.json")
    print(*told(asyncio.run(measured(chosen(handbook(), count), calibration))), sep="\n")


if __name__ == "__main__":
    main()
