"""Signals that were tried for calibration and did not win on held-out questions. Kept so that the next fit, with other
models or more questions, can try them again."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from crag.text import content_words

_DATE = re.compile(
    r"\b(?:1\d|20)\d\d\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2}[./:]\d{2}|\b(?:days?|weeks?|months?|years?|hours?)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|half|once|twice)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b[A-Z][\w'’\-]+\s+(?:[A-Z][\w'’.\-]*\s+)*[A-Z][\w'’\-]+|@\w+|\bteam\b|\bmanager\b|\bofficer\b")
_KINDS = (
    (
        re.compile(r"\bhow\s+(?:many|much|long|old|far|big|large|tall|high|often)\b|\bwhat\s+(?:number|percent)", re.I),
        _COUNT,
    ),
    (re.compile(r"\bwhen\b|\b(?:what|which)\s+(?:year|date|day|month|time)\b", re.I), _DATE),
    (re.compile(r"\bwho(?:m|se)?\b", re.I), _PERSON),
)


def lost(question: str, passages: Sequence[str], rows: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    """More signals for each passage. `rows` are the shipped ones; `set_` is the same for all passages of a question."""
    asked = set(content_words(question))
    found = [asked & set(content_words(passage)) for passage in passages]
    rarity = {word: 1.0 + math.log((len(found) + 1) / (sum(word in own for own in found) + 1)) for word in asked}
    wants = next((kind for asks, kind in _KINDS if asks.search(question)), None)
    together = _of_the_set(rows)
    return [
        {
            "coverage": len(own) / len(asked) if asked else 1.0,
            "coverage_idf": sum(rarity[word] for word in own) / sum(rarity.values()) if asked else 1.0,
            "wanted_kind_missing": float(wants is not None and not wants.search(passage)),
            "asks_kind": float(wants is not None),
            "question_words": math.log1p(len(asked)),
            "passage_length": math.log1p(len(passage)),
        }
        | together
        for own, passage in zip(found, passages, strict=True)
    ]


def _of_the_set(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Best, gap, mean of the best three and spread of a whole retrieval, by cosine and by grade. A set of one has no
    gap and no spread."""
    out: dict[str, float] = {}
    for name in ("cosine", "logit"):
        values = sorted((row[name] for row in rows), reverse=True)
        out |= {f"set_{name}_best": values[0], f"set_{name}_top3": sum(values[:3]) / len(values[:3])}
        if len(values) > 1:
            out |= {
                f"set_{name}_gap": values[0] - values[1],
                f"set_{name}_spread": values[0] - sum(values) / len(values),
            }
    return out
