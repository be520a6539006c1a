"""The writer that needs no LLM: it quotes the strips that answer best, in reading order, each with its citation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from crag.citations import defused_quote
from crag.ports import Grader
from crag.strips import strips
from crag.tables import told_rows
from crag.types import Evidence, Strip

MODEL = "extractive"
MAX_STRIPS = 3
MAX_CHARACTERS = 700

CLOSE = 0.5
"""A further strip is quoted if its probability is at least this share of the best one's."""

MAX_GRADED = 24
"""Strips graded at most, the best passages' first."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    evidence: Evidence
    strip: Strip
    score: float


class ExtractiveWriter:
    """Quotes; satisfies crag.ports.Writer. `grader` finds the strips; with one strip nothing is graded."""

    model = MODEL

    def __init__(self, grader: Grader) -> None:
        self._grader = grader

    async def write(self, question: str, evidence: Sequence[Evidence]) -> AsyncIterator[str]:
        """One paragraph a quoted passage. Raises ModelError where the grader fails."""
        chosen = await self._choose(question, evidence)
        for at, candidate in enumerate(chosen):
            yield ("\n\n" if at else "") + f"{_readable(candidate)} [{candidate.evidence.number}]"

    async def _choose(self, question: str, evidence: Sequence[Evidence]) -> list[_Candidate]:
        pieces = [(e, s) for e in evidence for s in strips(e.text)][:MAX_GRADED]
        if not pieces:
            return []
        scores = [1.0]
        if len(pieces) > 1:
            judged = await self._grader.grade(question, [_in_context(e, s) for e, s in pieces])
            scores = [j.score if j.score is not None and j.score == j.score else 0.0 for j in judged]
        ranked = sorted(
            (_Candidate(e, s, score * e.score) for (e, s), score in zip(pieces, scores, strict=True)),
            key=lambda c: -c.score,
        )
        chosen: list[_Candidate] = []
        said: set[str] = set()
        for candidate in ranked:
            length = sum(len(c.strip.text) for c in chosen) + len(candidate.strip.text)
            close = not chosen or candidate.score >= CLOSE * chosen[0].score
            if close and (not chosen or length <= MAX_CHARACTERS) and candidate.strip.text not in said:
                chosen.append(candidate)
                said.add(candidate.strip.text)
            if len(chosen) == MAX_STRIPS:
                break
        return sorted(chosen, key=lambda c: (c.evidence.number, c.strip.span))


def _in_context(evidence: Evidence, strip: Strip) -> str:
    return (
        " > ".join(evidence.chunk.headings or (evidence.chunk.title,)) + "\n" + told_rows(strip.text, _table(evidence))
    )


def _readable(candidate: _Candidate) -> str:
    return defused_quote(told_rows(candidate.strip.text, _table(candidate.evidence))).strip()


def _table(evidence: Evidence) -> str:
    return "\n".join(line for line in evidence.chunk.text.splitlines() if line.lstrip().startswith("|"))
