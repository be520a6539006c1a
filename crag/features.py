"""What calibration looks at besides the models: small, cheap signals of a question and its candidates.

A topical passage without the answer (a near-miss) reads much like the one with it. What often tells them apart is dull:
the year that was asked for, the name, the word that no other candidate has. Everything here is the standard library,
a few microseconds a word, and tolerates languages without spaces or capitals (their signals are simply absent).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

LOGIT_LIMIT = 9.0
"""Beyond this a probability is certain enough; the limit keeps 0.0 and 1.0 finite."""

_WORD = re.compile(r"\w+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_QUOTED = re.compile(r"[\"“„«`]([^\"”“»`]{2,80})[\"”»`]")
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
_ASKS_COUNT = re.compile(
    r"\bhow\s+(?:many|much|long|old|far|big|large|tall|high|often)\b|\bwhat\s+(?:number|percent)", re.I
)
_ASKS_DATE = re.compile(r"\bwhen\b|\b(?:what|which)\s+(?:year|date|day|month|time)\b", re.I)
_ASKS_PERSON = re.compile(r"\bwho(?:m|se)?\b", re.I)

_ENDINGS = tuple("ations ation ings ing ments ment ies ied ers er ed es ly s e y".split())
_STOP = frozenset(
    "a about after all also am an and any are as at be because been before being but by can could did do does "
    "doing for from get gets give go goes had has have having he her here hers him his how i if in into is it its "
    "just know like made make many may me might more most much must my need no not of on one or our out over "
    "please say she should so some such tell than that the their them then there these they this those through to "
    "too under up us use used using very want was we were what when where which while who whom whose why will "
    "with would you your".split()
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One retrieved chunk as the models see it: `passage` is heading path, newline, text; `raw` the grader's
    probability; `cosine` the embedder's. None or NaN where there is none."""

    passage: str
    raw: float | None = None
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    stems: frozenset[str]
    prefixes: frozenset[str]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    wants: re.Pattern[str] | None


def features(question: str, candidates: Sequence[Candidate]) -> list[dict[str, float]]:
    """One mapping a candidate, in order. A signal that does not exist (no grade, no vector) is left out, so that
    calibration can tell "unknown" from zero. The `set_` signals are those of all candidates together."""
    asked = _read(question)
    present = [_present(asked, candidate.passage) for candidate in candidates]
    weight = _weights(asked.stems, present)
    rows = [_row(asked, candidate, found, weight) for candidate, found in zip(candidates, present, strict=True)]
    together = set_features(rows)
    return [row | together for row in rows]


def set_features(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Signals of a whole retrieval: best, second, gap and mean of the best three by cosine and by grade, and whether
    both models prefer the same chunk (1) or not (0)."""
    out: dict[str, float] = {}
    for name in ("cosine", "logit"):
        values = sorted((row[name] for row in rows if name in row), reverse=True)
        if values:
            second = values[1] if len(values) > 1 else values[0]
            out |= {
                f"set_{name}_best": values[0],
                f"set_{name}_gap": values[0] - second,
                f"set_{name}_top3": sum(values[:3]) / len(values[:3]),
                f"set_{name}_spread": values[0] - sum(values) / len(values),
            }
    if rows and all("cosine" in row and "logit" in row for row in rows):
        best = max(range(len(rows)), key=lambda at: rows[at]["cosine"])
        out["set_agree"] = float(best == max(range(len(rows)), key=lambda at: rows[at]["logit"]))
    if rows:
        out["set_coverage_best"] = max(row["coverage"] for row in rows)
    return out


def logit(probability: float) -> float:
    """log(p / (1 - p)), held within LOGIT_LIMIT."""
    if probability <= 0.0 or probability >= 1.0:
        return LOGIT_LIMIT if probability >= 1.0 else -LOGIT_LIMIT
    return max(-LOGIT_LIMIT, min(LOGIT_LIMIT, math.log(probability / (1.0 - probability))))


def stem(word: str) -> str:
    """A light stem: enough for plurals and verb endings to meet, never shorter than three letters."""
    word = word.casefold()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _read(question: str) -> _Asked:
    words = _WORD.findall(question)
    stems = {stem(word) for word in words if len(word) > 1 and word.casefold() not in _STOP and not _CJK.search(word)}
    stems |= _bigrams(question)
    content = [word for word in words[1:] if word.casefold() not in _STOP]
    heading = words[:1] and words[0].casefold() not in _STOP and not any(word[0].islower() for word in content)
    names = [] if heading else [word for word in content if word[0].isupper()]
    names += _QUOTED.findall(question)
    wants = next(
        (
            found
            for asks, found in ((_ASKS_COUNT, _COUNT), (_ASKS_DATE, _DATE), (_ASKS_PERSON, _PERSON))
            if asks.search(question)
        ),
        None,
    )
    return _Asked(
        stems=frozenset(stems),
        prefixes=frozenset(one[:3] for one in stems),
        names=tuple(dict.fromkeys(name.casefold() for name in names)),
        numbers=tuple(dict.fromkeys(_NUMBER.findall(question))),
        wants=wants,
    )


def _present(asked: _Asked, passage: str) -> frozenset[str]:
    """The question's stems that stand in the passage. Only words that begin like one of them are stemmed."""
    words = {word for word in _WORD.findall(passage.casefold()) if word[:3] in asked.prefixes}
    found = {stem(word) for word in words}
    if _CJK.search(passage):
        found |= _bigrams(passage)
    return asked.stems & found


def _bigrams(text: str) -> set[str]:
    """Pairs of neighbouring characters, for scripts without spaces."""
    return {a + b for a, b in pairwise(text) if _CJK.match(a) and _CJK.match(b)}


def _weights(stems: frozenset[str], present: Sequence[frozenset[str]]) -> dict[str, float]:
    """Each stem's weight: the rarer among the candidates, the more it says (a word that none has says the most)."""
    size = len(present)
    return {one: 1.0 + math.log((size + 1) / (sum(one in found for found in present) + 1)) for one in stems}


def _row(asked: _Asked, candidate: Candidate, found: frozenset[str], weight: Mapping[str, float]) -> dict[str, float]:
    total = sum(weight.values())
    lower = candidate.passage.casefold()
    numbers = set(_NUMBER.findall(lower)) if asked.numbers else set()
    row = {
        "coverage": len(found) / len(asked.stems) if asked.stems else 1.0,
        "coverage_idf": sum(weight[one] for one in found) / total if total else 1.0,
        "missing_names": float(sum(name not in lower for name in asked.names)),
        "missing_numbers": float(sum(number not in numbers for number in asked.numbers)),
        "wanted_kind_missing": float(asked.wants is not None and not asked.wants.search(candidate.passage)),
        "asks_kind": float(asked.wants is not None),
        "question_words": math.log1p(len(asked.stems)),
        "passage_length": math.log1p(len(candidate.passage)),
    }
    if candidate.raw is not None and math.isfinite(candidate.raw):
        row["raw"] = candidate.raw
        row["logit"] = logit(candidate.raw)
    if candidate.cosine is not None and math.isfinite(candidate.cosine):
        row["cosine"] = candidate.cosine
    return row
