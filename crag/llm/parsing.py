"""Reading what a model stated. What can't be read is None: never the generous reading.

"INCORRECT" contains "CORRECT", "Not supported" contains "supported"; JSON comes in fences, after prose, or cut in half.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping

from crag.types import Judgement, Verdict

UNSTATED = 0.5
"""The confidence of a grade that states none: a bare CORRECT then stays just above the default upper cut-off."""

_EDGES = " \t\r\n.,:;!*_`\"'“”‘’()-"
_WORDS = {
    "correct": Verdict.CORRECT,
    "yes": Verdict.CORRECT,
    "ambiguous": Verdict.AMBIGUOUS,
    "incorrect": Verdict.INCORRECT,
    "no": Verdict.INCORRECT,
    "not correct": Verdict.INCORRECT,
}
_NO = re.compile(r"no\b(?!\s+(?:doubt|question|problem))", re.IGNORECASE)


def parse_judgement(text: str) -> Judgement:
    """A stated grade as a probability: 0.5 is no opinion, the confidence pulls it to 1 (CORRECT) or 0 (INCORRECT).
    Judgement(None, why) where it can't be read or says two things."""
    objects = [o for o in json_objects(text) if "grade" in o]
    if objects:
        return _from_object(objects[-1]) if len({str(o["grade"]) for o in objects}) == 1 else _unreadable(text)
    if "{" in text:
        return _unreadable(text)
    verdict = _WORDS.get(" ".join(text.strip(_EDGES).split()).casefold())
    if verdict:
        return Judgement(_probability(verdict, None), f"said {verdict}")
    if _NO.match(text.strip(_EDGES)):
        return Judgement(0.0, "said no")
    return _unreadable(text)


def json_objects(text: str) -> Iterator[Mapping[str, object]]:
    """Every complete JSON object in a text, outermost first, whatever stands around them."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


def parse_text(text: str, field: str) -> str | None:
    """The string that a JSON answer carries in `field`, None where there is none to read."""
    found = [o[field] for o in json_objects(text) if isinstance(o.get(field), str)]
    value = " ".join(str(found[0]).split()) if len(found) == 1 else ""
    return value or None


def yes_probability(first_token: Mapping[str, float]) -> float | None:
    """P(Yes) / (P(Yes) + P(No)) over all spellings of the two words. None where together they have less than half of
    the probability: then the model was about to say something else."""
    mass = {"yes": 0.0, "no": 0.0}
    for token, probability in first_token.items():
        word = token.strip("\u2581\u0120" + _EDGES).casefold()
        if word in mass and math.isfinite(probability):
            mass[word] += probability
    both = mass["yes"] + mass["no"]
    return min(1.0, mass["yes"] / both) if both >= 0.5 else None


def _from_object(stated: Mapping[str, object]) -> Judgement:
    try:
        verdict = Verdict(str(stated["grade"]).strip().upper())
    except ValueError:
        return _unreadable(str(stated["grade"]))
    reason = stated.get("reason")
    words = " ".join(reason.split())[:200] if isinstance(reason, str) else ""
    return Judgement(_probability(verdict, _confidence(stated.get("confidence"))), words or f"said {verdict}")


def _confidence(stated: object) -> float | None:
    """In 0..1; percentages are understood; None where nothing or nonsense was stated."""
    if isinstance(stated, bool) or not isinstance(stated, int | float | str):
        return None
    try:
        value = float(str(stated).strip().rstrip("%"))
    except ValueError:
        return None
    value = value / 100 if 1 < value <= 100 else value
    return value if 0 <= value <= 1 else None


def _probability(verdict: Verdict, confidence: float | None) -> float:
    """Without a stated confidence an INCORRECT is believed, a CORRECT by half."""
    if verdict is Verdict.INCORRECT:
        return 0.5 - 0.5 * (1.0 if confidence is None else confidence)
    if verdict is Verdict.CORRECT:
        return 0.5 + 0.5 * (UNSTATED if confidence is None else confidence)
    return 0.5


def _unreadable(text: str) -> Judgement:
    said = " ".join(text.split())
    return Judgement(None, f"can't read its verdict: “{said[:80]}{'…' if len(said) > 80 else ''}”")
