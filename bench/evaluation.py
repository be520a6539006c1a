"""How often the whole engine is right, wrong and needlessly silent on a question set.

A *false answer* is an answer to an unanswerable question, or an answer to an answerable one that cites none of its
expected sources. A *needless abstention* is an "I don't know" to an answerable question.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crag.engine import Engine
from crag.types import Abstention, Answer, Question, Reply, Turn


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of a question file. `sources` are display paths of the documents that answer it, all needed together
    for a multi-document question; empty where nothing answers it."""

    id: str
    kind: str
    text: str
    sources: frozenset[str]
    history: tuple[Turn, ...]
    split: str

    @property
    def answerable(self) -> bool:
        return bool(self.sources)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question with its reply. `ranked` are the document paths of the graded chunks, best first."""

    asked: Asked
    reply: Reply
    ranked: tuple[str, ...]

    @property
    def answered(self) -> bool:
        return isinstance(self.reply.body, Answer)

    @property
    def cited(self) -> frozenset[str]:
        body = self.reply.body
        return frozenset(c.chunk.path for c in body.citations) if isinstance(body, Answer) else frozenset()

    @property
    def false_answer(self) -> bool:
        return self.answered and not (self.cited & self.asked.sources)

    @property
    def needless(self) -> bool:
        return self.asked.answerable and isinstance(self.reply.body, Abstention)

    @property
    def hit_at_5(self) -> bool:
        return bool(self.asked.sources & set(self.ranked[:5]))

    @property
    def right_citations(self) -> float:
        return len(self.cited & self.asked.sources) / len(self.cited) if self.cited else 0.0


def load(path: Path) -> list[Asked]:
    """Read a question file (JSON lines; examples/README.md has the format)."""
    with path.open(encoding="utf-8") as lines:
        return [_asked(json.loads(line)) for line in lines if line.strip()]


def _asked(row: dict[str, Any]) -> Asked:
    turns = tuple(
        Turn(said.split(": ", 1)[-1], by_bot=said.startswith("bot:")) for said in map(str, row.get("history", ()))
    )
    return Asked(row["id"], row["kind"], row["question"], frozenset(row["sources"]), turns, row.get("split", ""))


async def ask_all(engine: Engine, questions: Sequence[Asked], tenant: str) -> list[Outcome]:
    """Ask one after the other, as timings count."""
    outcomes = []
    for asked in questions:
        reply = await engine.answer(Question(asked.text, history=asked.history, tenant=tenant))
        ranked = tuple(dict.fromkeys(g.chunk.path for g in sorted(reply.trace.grades, key=lambda g: -g.score)))
        outcomes.append(Outcome(asked, reply, ranked))
    return outcomes


@dataclass(frozen=True, slots=True)
class Figures:
    """Rates of one group of questions, 0..1, with their counts."""

    questions: int
    answerable: int
    hit_at_5: float
    answered: float
    false_answers: float
    needless_abstentions: float
    citation_precision: float
    p50_ms: float


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """`hit_at_5` and `needless_abstentions` are shares of the answerable questions, `answered` and `false_answers` of
    all, `citation_precision` of the citations of the answered answerable ones."""
    answerable = [o for o in outcomes if o.asked.answerable]
    cited = [o.right_citations for o in answerable if o.answered]
    return Figures(
        questions=len(outcomes),
        answerable=len(answerable),
        hit_at_5=_share([o.hit_at_5 for o in answerable]),
        answered=_share([o.answered for o in outcomes]),
        false_answers=_share([o.false_answer for o in outcomes]),
        needless_abstentions=_share([o.needless for o in answerable]),
        citation_precision=statistics.fmean(cited) if cited else 0.0,
        p50_ms=statistics.median(o.reply.trace.timings["total"] for o in outcomes) if outcomes else 0.0,
    )


def auroc(outcomes: Sequence[Outcome]) -> float:
    """How well the best chunk's score tells answerable from unanswerable questions: 0.5 is chance, 1.0 perfect."""
    scores = [(o.asked.answerable, max((g.score for g in o.reply.trace.grades), default=0.0)) for o in outcomes]
    yes, no = [s for a, s in scores if a], [s for a, s in scores if not a]
    wins = sum((y > n) + 0.5 * (y == n) for y in yes for n in no)
    return wins / (len(yes) * len(no)) if yes and no else 0.0


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0


def reasons(outcomes: Sequence[Outcome]) -> Counter[str]:
    """Abstentions by reason code."""
    return Counter(o.reply.body.reason.value for o in outcomes if isinstance(o.reply.body, Abstention))
