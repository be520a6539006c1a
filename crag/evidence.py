"""From grades to numbered evidence: which chunks, or which of their strips, reach the writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crag.currency import superseded
from crag.types import Evidence, Grade, Verdict


def select(grades: Sequence[Grade], texts: Mapping[str, str], limit: int) -> tuple[list[Evidence], list[Grade]]:
    """Number the best chunks as evidence: CORRECT ones first, AMBIGUOUS ones fill what room is left, those last that
    are marked as no longer current.

    `texts` holds refined text by chunk id; a chunk that has "" there lost all its strips. Returns the
    evidence and all grades with what became of them."""
    evidence: list[Evidence] = []
    told: list[Grade] = []
    order = sorted(grades, key=lambda g: (g.verdict is not Verdict.CORRECT, superseded(g.chunk), -g.score))
    for grade in order:
        text = texts.get(grade.chunk.id, grade.chunk.text)
        if grade.verdict is Verdict.INCORRECT and (not grade.graded or grade.adjudicated is not None):
            told.append(grade)
        elif grade.verdict is Verdict.INCORRECT:
            told.append(grade.explained("below the lower threshold"))
        elif not text:
            told.append(grade.explained("no strip of it passed"))
        elif len(evidence) >= limit:
            told.append(grade.explained(f"better evidence filled the {limit} places"))
        else:
            evidence.append(Evidence(len(evidence) + 1, grade.chunk, text, grade.score))
            told.append(grade.explained("evidence", kept=True))
    return evidence, told
