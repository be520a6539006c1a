"""The refine action: chunks into strips, strips graded again, only those above the lower threshold stay, and those with
an item that says it is about what was asked while its neighbours are about something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crag.definitions import matter
from crag.grading import Judge
from crag.strips import recompose, strips
from crag.subjects import stands_out
from crag.types import Grade, Strip


async def refined(question: str, grades: Sequence[Grade], judge: Judge) -> tuple[dict[str, str], list[Grade]]:
    """The text that is left of each chunk by its id ("" where no strip passed), and the grades with their strips.

    A chunk of a single strip is kept whole; if no strip of any chunk survives, the ranking stays as it was ({}).
    All strips go to the grader in one batch. Raises ModelError or LanguageModelError."""
    cut = [strips(g.chunk.text) for g in grades]
    pairs = [(grade, strip) for grade, pieces in zip(grades, cut, strict=True) if len(pieces) > 1 for strip in pieces]
    if not pairs:
        return {}, list(grades)
    scored = await judge.score(question, [_passage(g, s) for g, s in pairs], [g.cosine for g, _ in pairs])
    verdicts = [
        (grade.chunk.id, strip, s.score if s.score is not None else judge.calibration.lower)
        for (grade, strip), s in zip(pairs, scored, strict=True)
    ]
    texts: dict[str, str] = {}
    told: list[Grade] = []
    for grade, pieces in zip(grades, cut, strict=True):
        if len(pieces) <= 1:
            told.append(grade)
            continue
        own = [(strip, score) for chunk, strip, score in verdicts if chunk == grade.chunk.id]
        kept = [
            strip
            for strip, score in own
            if score >= judge.calibration.lower or stands_out(matter(question), strip.text, grade.chunk)
        ]
        texts[grade.chunk.id] = recompose(grade.chunk.text, kept) if kept else ""
        told.append(replace(grade, strips=tuple((s.text, score, s in kept) for s, score in own)))
    survived = any(texts.values()) or any(len(pieces) <= 1 for pieces in cut)
    return (texts, told) if survived else ({}, told)


def _passage(grade: Grade, strip: Strip) -> str:
    return " > ".join(grade.chunk.headings or (grade.chunk.title,)) + "\n" + strip.text
