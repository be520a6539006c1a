"""From grades to numbered evidence: which chunks, or which of their strips, reach the writer, and what is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from crag.currency import superseded
from crag.text import STOP_WORDS, content_words, stem, words
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


def gap(question: str, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """The question's own words that stand nowhere in the evidence, in the question's spelling; at most four. Short
    lower-case words and contractions are left out: "got" and "when's" are no gaps."""
    known = {word for item in evidence for word in content_words(item.chunk.passage + " " + item.text)}
    seen: dict[str, str] = {}
    explained = re.sub(r"[^\W_]+ (?=\([^()]+\))", "", question)  # "PTO (paid time off)": its long form counts
    for match in re.finditer(r"[^\W_]+(?:['’-][^\W_]+)*", explained):
        word = match.group()
        bare = words(word)
        telling = len(word) >= 5 or any(c.isdigit() or c.isupper() for c in word[match.start() == 0 :])
        if not telling or "'" in word or "’" in word or all(w in STOP_WORDS or len(w) < 3 for w in bare):
            continue
        stems = [stem(w) for w in bare]
        if not any(s in known for s in stems):
            seen.setdefault(stems[0], word)
    return tuple(seen.values())[:4]
