"""Grading: raw opinions -> calibrated scores -> verdicts -> the band of a retrieval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from crag.calibration import Calibration
from crag.features import Candidate, features
from crag.ports import Embedder, Grader
from crag.types import Band, Chunk, Grade, Hit, Verdict

UNREADABLE = "the grader's output could not be read"


@dataclass(frozen=True, slots=True)
class Scored:
    """One passage's calibrated score (0..1), or None where nothing readable came back."""

    score: float | None
    raw: float | None
    reason: str


class Judge:
    """A grader together with the calibration that makes its scores mean something."""

    def __init__(self, grader: Grader, calibration: Calibration) -> None:
        self.grader = grader
        self.calibration = calibration

    async def score(self, question: str, passages: Sequence[str], cosines: Sequence[float | None]) -> list[Scored]:
        """Score passages in one batch. Raises ModelError or LanguageModelError."""
        judgements = await self.grader.grade(question, passages)
        raws = [j.score if j.score is not None and math.isfinite(j.score) else None for j in judgements]
        rows = features(question, [Candidate(p, r, c) for p, r, c in zip(passages, raws, cosines, strict=True)])
        return [
            Scored(None, None, judgement.reason or UNREADABLE)
            if raw is None
            else Scored(self.calibration.score(row), raw, judgement.reason)
            for judgement, raw, row in zip(judgements, raws, rows, strict=True)
        ]

    async def grade(self, question: str, hits: Sequence[Hit], query: str) -> list[Grade]:
        """Grade every hit of one search in one batch. What can't be read is AMBIGUOUS."""
        scored = await self.score(question, [h.chunk.passage for h in hits], [h.cosine for h in hits])
        return [
            Grade(
                chunk=hit.chunk,
                score=self.calibration.lower if s.score is None else s.score,
                verdict=Verdict.AMBIGUOUS if s.score is None else self.calibration.verdict(s.score),
                raw=s.raw,
                cosine=hit.cosine,
                reason=s.reason,
                query=query,
                retriever=hit.retriever,
            )
            for hit, s in zip(hits, scored, strict=True)
        ]

    async def passage(self, question: str, text: str, embedder: Embedder) -> Grade:
        """Grade one text that need not be indexed. Raises ModelError or LanguageModelError."""
        asked, (given,) = await embedder.embed_query(question), await embedder.embed_passages([text])
        cosine = sum(a * b for a, b in zip(asked, given, strict=True))
        chunk = Chunk("given", "given", "the given text", "", (), text, (0, len(text)), "")
        return (await self.grade(question, [Hit(chunk, 1.0, cosine)], question))[0]


def readable(grades: Sequence[Grade]) -> list[Grade]:
    """The grades that rest on something the grader said."""
    return [g for g in grades if g.raw is not None]


def band(grades: Sequence[Grade]) -> Band:
    """The verdict of the whole: that of the best chunk. An unreadable grade never lifts it."""
    best = max(readable(grades), key=lambda g: g.score, default=None)
    return best.verdict if best else Band.INCORRECT


def strategy(grades: Sequence[Grade]) -> str:
    """How many chunks passed: "all", "some" or "none"."""
    passed = sum(g.verdict is not Verdict.INCORRECT for g in grades)
    return "none" if not passed else "all" if passed == len(grades) else "some"


def merged(first: Sequence[Grade], more: Sequence[Grade]) -> list[Grade]:
    """Both, best first, no chunk twice (the better score counts)."""
    best: dict[str, Grade] = {}
    for grade in (*first, *more):
        known = best.get(grade.chunk.id)
        if known is None or grade.score > known.score:
            best[grade.chunk.id] = grade
    return sorted(best.values(), key=lambda g: -g.score)


def explained(grade: Grade, *, kept: bool, why: str) -> Grade:
    """The grade with what became of its chunk; the grader's own reason stays in front."""
    return replace(grade, kept=kept, reason=f"{grade.reason}; {why}" if grade.reason else why)
