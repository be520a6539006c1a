"""Grading: raw opinions -> calibrated scores -> verdicts -> the band of a retrieval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from crag.calibration import Calibration
from crag.currency import superseded
from crag.features import Candidate, features
from crag.ports import Embedder, Grader
from crag.types import Band, Chunk, Grade, Hit, Verdict

UNREADABLE = "the grader's output could not be read"
OUTDATED = "marked as no longer current, so never CORRECT"


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
        """Grade every hit of one search in one batch. What can't be read is AMBIGUOUS; so is, at best, a document that
        says of itself that it no longer holds."""
        scored = await self.score(question, [h.chunk.passage for h in hits], [h.cosine for h in hits])
        return [self._graded(hit, s, query) for hit, s in zip(hits, scored, strict=True)]

    def _graded(self, hit: Hit, scored: Scored, query: str) -> Grade:
        score = self.calibration.lower if scored.score is None else scored.score
        grade = Grade(
            chunk=hit.chunk,
            score=score,
            verdict=Verdict.AMBIGUOUS if scored.score is None else self.calibration.verdict(score),
            raw=scored.raw,
            cosine=hit.cosine,
            reason=scored.reason,
            query=query,
            retriever=hit.retriever,
        )
        if grade.verdict is Verdict.CORRECT and superseded(hit.chunk):
            return explained(replace(grade, verdict=Verdict.AMBIGUOUS), kept=False, why=OUTDATED)
        return grade

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
    """The verdict of the whole: the best that any chunk has. An unreadable grade never lifts it."""
    verdicts = {g.verdict for g in readable(grades)}
    return next((v for v in (Verdict.CORRECT, Verdict.AMBIGUOUS) if v in verdicts), Band.INCORRECT)


def strategy(grades: Sequence[Grade]) -> str:
    """How many chunks passed: "all", "some" or "none"."""
    passed = sum(g.verdict is not Verdict.INCORRECT for g in grades)
    return "none" if not passed else "all" if passed == len(grades) else "some"


def merged(first: Sequence[Grade], more: Sequence[Grade]) -> list[Grade]:
    """Both, best first, no chunk twice (the better score counts, and any before an unreadable one)."""
    best: dict[str, Grade] = {}
    for grade in (*first, *more):
        known = best.get(grade.chunk.id)
        if known is None or (grade.raw is not None, grade.score) > (known.raw is not None, known.score):
            best[grade.chunk.id] = grade
    return sorted(best.values(), key=lambda g: -g.score)


def explained(grade: Grade, *, kept: bool, why: str) -> Grade:
    """The grade with what became of its chunk; the grader's own reason stays in front."""
    return replace(grade, kept=kept, reason=f"{grade.reason}; {why}" if grade.reason else why)
