"""Grading: raw opinions -> calibrated scores -> verdicts -> the band of a retrieval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from crag.adjudication import Adjudicator
from crag.calibration import Calibration
from crag.cascade import UNLIMITED, Limits, by_similarity, judged
from crag.currency import superseded
from crag.definitions import defines, term
from crag.features import Candidate, features
from crag.ports import Embedder, Grader
from crag.types import Band, Chunk, Grade, Hit, Judgement, Verdict

UNREADABLE = "the grader's output could not be read"
OUTDATED = "marked as no longer current, so never CORRECT"
DEFINES = "it says what “{term}” stands for"
BELOW = "not graded: ranked below the best {best} by similarity"
OUT_OF_TIME = "not graded: time ran out"
PORTION = 4
"""Passages in one call, so that time that runs out costs no more than these."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One passage's calibrated score (0..1), or None where nothing readable came back."""

    score: float | None
    raw: float | None
    reason: str


class Judge:
    """A grader together with the calibration that makes its scores mean something. `portion` is how many chunks it is
    handed at once; `adjudicator` gives a second opinion on what is left AMBIGUOUS."""

    def __init__(
        self,
        grader: Grader,
        calibration: Calibration,
        *,
        portion: int = PORTION,
        adjudicator: Adjudicator | None = None,
    ) -> None:
        self.grader = grader
        self.calibration = calibration
        self.adjudicator = adjudicator
        self._portion = portion

    async def score(self, question: str, passages: Sequence[str], cosines: Sequence[float | None]) -> list[Scored]:
        """Score passages in one batch. Raises ModelError or LanguageModelError."""
        judgements = await self.grader.grade(question, passages)
        return self._scored(question, list(zip(passages, cosines, judgements, strict=True)))

    async def score_strips(self, question: str, passages: Sequence[str], embedder: Embedder) -> list[Scored]:
        """Like `score`, each passage with its own cosine. Raises ModelError or LanguageModelError."""
        return await self.score(question, passages, await _cosines(question, passages, embedder))

    def _scored(self, question: str, read: Sequence[tuple[str, float | None, Judgement]]) -> list[Scored]:
        """From (passage, cosine, judgement) of all that were read: what is told by comparing is told of these only."""
        raws = [j.score if j.score is not None and math.isfinite(j.score) else None for _, _, j in read]
        rows = features(question, [Candidate(p, raw, c) for (p, c, _), raw in zip(read, raws, strict=True)])
        return [
            Scored(None, None, judgement.reason or UNREADABLE)
            if raw is None
            else Scored(self.calibration.score(row), raw, judgement.reason)
            for (_, _, judgement), raw, row in zip(read, raws, rows, strict=True)
        ]

    async def grade(self, question: str, hits: Sequence[Hit], query: str, limits: Limits = UNLIMITED) -> list[Grade]:
        """Grade the hits of one search, the nearest first, within the limits; what is beyond them is INCORRECT. What
        can't be read is AMBIGUOUS; so is, at best, a document that says of itself that it no longer holds. What writes
        the abbreviation out that was asked for is graded first, and CORRECT. Raises ModelError or LanguageModelError.
        """
        sought = term(question)
        ranked = sorted(by_similarity(hits), key=lambda hit: not defines(sought, hit.chunk.text))
        chosen = ranked[: limits.best]
        passages = [hit.chunk.passage for hit in chosen]
        found = await judged(self.grader, question, passages, portion=self._portion, ends=limits.ends)
        read = [(hit, judgement) for hit, judgement in zip(chosen, found, strict=True) if judgement is not None]
        scored = self._scored(question, [(hit.chunk.passage, hit.cosine, judgement) for hit, judgement in read])
        grades = [self._graded(hit, s, query) for (hit, _), s in zip(read, scored, strict=True)]
        if self.adjudicator:
            grades = await self.adjudicator.settled(question, grades, limits.ends)
        grades = [_defining(grade, sought) for grade in grades]
        late = [_ungraded(hit, query, OUT_OF_TIME) for hit, one in zip(chosen, found, strict=True) if one is None]
        below = [_ungraded(hit, query, BELOW.format(best=limits.best)) for hit in ranked[len(chosen) :]]
        return [*map(_capped, grades), *late, *below]

    def _graded(self, hit: Hit, scored: Scored, query: str) -> Grade:
        score = self.calibration.lower if scored.score is None else scored.score
        return Grade(
            chunk=hit.chunk,
            score=score,
            verdict=Verdict.AMBIGUOUS if scored.score is None else self.calibration.verdict(score),
            raw=scored.raw,
            cosine=hit.cosine,
            reason=scored.reason,
            query=query,
            retriever=hit.retriever,
        )

    async def passage(self, question: str, text: str, embedder: Embedder) -> Grade:
        """Grade one text that need not be indexed. Raises ModelError or LanguageModelError."""
        (cosine,) = await _cosines(question, [text], embedder)
        chunk = Chunk("given", "given", "the given text", "", (), text, (0, len(text)), "")
        return (await self.grade(question, [Hit(chunk, 1.0, cosine)], question))[0]


async def _cosines(question: str, passages: Sequence[str], embedder: Embedder) -> list[float]:
    asked, given = await embedder.embed_query(question), await embedder.embed_passages(passages)
    return [sum(a * b for a, b in zip(asked, one, strict=True)) for one in given]


def _ungraded(hit: Hit, query: str, why: str) -> Grade:
    return Grade(
        hit.chunk,
        0.0,
        Verdict.INCORRECT,
        cosine=hit.cosine,
        reason=why,
        query=query,
        retriever=hit.retriever,
        graded=False,
    )


def _defining(grade: Grade, sought: str) -> Grade:
    if grade.raw is None or not defines(sought, grade.chunk.text):
        return grade
    return replace(grade, verdict=Verdict.CORRECT).explained(DEFINES.format(term=sought))


def _capped(grade: Grade) -> Grade:
    """What says of itself that it no longer holds is never CORRECT, whoever judged it."""
    if grade.verdict is Verdict.CORRECT and superseded(grade.chunk):
        return replace(grade, verdict=Verdict.AMBIGUOUS).explained(OUTDATED)
    return grade


def readable(grades: Sequence[Grade]) -> list[Grade]:
    """The grades that rest on something the grader said."""
    return [g for g in grades if g.raw is not None]


def band(grades: Sequence[Grade]) -> Band:
    """The verdict of the whole: the best that any chunk has. An unreadable grade never lifts it."""
    verdicts = {g.verdict for g in readable(grades)}
    return next((v for v in (Verdict.CORRECT, Verdict.AMBIGUOUS) if v in verdicts), Band.INCORRECT)


def strategy(grades: Sequence[Grade]) -> str:
    """How many of the graded chunks passed: "all", "some" or "none"."""
    graded = [g for g in grades if g.graded]
    passed = sum(g.verdict is not Verdict.INCORRECT for g in graded)
    return "none" if not passed else "all" if passed == len(graded) else "some"


def merged(first: Sequence[Grade], more: Sequence[Grade]) -> list[Grade]:
    """Both, best first, no chunk twice (the better score counts, and any before an unreadable one)."""
    best: dict[str, Grade] = {}
    for grade in (*first, *more):
        known = best.get(grade.chunk.id)
        if known is None or (grade.raw is not None, grade.score) > (known.raw is not None, known.score):
            best[grade.chunk.id] = grade
    return sorted(best.values(), key=lambda g: -g.score)
