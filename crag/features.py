"""What calibration looks at: the two models' opinions, and two dull signals that tell near-misses apart.

A topical passage without the answer (a near-miss) reads much like the one with it. What it often lacks is the year or
the name that was asked for. More were tried and lost: `bench.lost_signals`, measured by `bench.fit_calibration`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from crag.text import STOP_WORDS

LOGIT_LIMIT = 9.0
"""Beyond this a probability is certain enough; the limit keeps 0.0 and 1.0 finite."""

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_QUOTED = re.compile(r"[\"“„«`]([^\"”“»`]{2,80})[\"”»`]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One retrieved chunk as the models see it: `passage` is heading path, newline, text; `raw` the grader's
    probability; `cosine` the embedder's. None or NaN where there is none."""

    passage: str
    raw: float | None = None
    cosine: float | None = None


def features(question: str, candidates: Sequence[Candidate]) -> list[dict[str, float]]:
    """One mapping a candidate, in order. A signal that does not exist (no grade, no vector) is left out, so that
    calibration can tell "unknown" from zero.

    `missing_names` counts the question's names and quoted terms that the passage lacks, `missing_numbers` its numbers.
    """
    names, numbers = _names(question), tuple(dict.fromkeys(_NUMBER.findall(question)))
    return [_row(candidate, names, numbers) for candidate in candidates]


def logit(probability: float) -> float:
    """log(p / (1 - p)), held within LOGIT_LIMIT."""
    if probability <= 0.0 or probability >= 1.0:
        return LOGIT_LIMIT if probability >= 1.0 else -LOGIT_LIMIT
    return max(-LOGIT_LIMIT, min(LOGIT_LIMIT, math.log(probability / (1.0 - probability))))


def _names(question: str) -> tuple[str, ...]:
    """Words with a capital inside of the question, and what stands in quotes, case-folded."""
    words = _WORD.findall(question)
    inner = [word for word in words[1:] if word.casefold() not in STOP_WORDS]
    heading = words[:1] and words[0].casefold() not in STOP_WORDS and not any(word[0].islower() for word in inner)
    names = [] if heading else [word for word in inner if word[0].isupper()]  # A Heading Like This names nobody
    return tuple(dict.fromkeys(name.casefold() for name in (*names, *_QUOTED.findall(question))))


def _row(candidate: Candidate, names: Sequence[str], numbers: Sequence[str]) -> dict[str, float]:
    lower = candidate.passage.casefold()
    there = set(_NUMBER.findall(lower)) if numbers else set()
    row = {
        "missing_names": float(sum(name not in lower for name in names)),
        "missing_numbers": float(sum(number not in there for number in numbers)),
    }
    if candidate.raw is not None and math.isfinite(candidate.raw):
        row["raw"] = candidate.raw
        row["logit"] = logit(candidate.raw)
    if candidate.cosine is not None and math.isfinite(candidate.cosine):
        row["cosine"] = candidate.cosine
    return row
