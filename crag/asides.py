"""Side rules: what a page says of a special case, in a sentence that begins with "If ..." or under a heading like
"While you're away", when the question doesn't name the case. They read as close to it as the rule itself does."""

from __future__ import annotations

import re

from crag.text import content_words, words
from crag.types import Chunk

_CASES = "if when while unless during after before once wenn falls während bevor nachdem sobald".split()
_OTHERS = "who whose where why wer wo warum".split()
_ASKS = frozenset([*_OTHERS, *"how what which when wie was welche welcher welches wann".split()])
_CONDITION = re.compile(rf"\W*(?:{'|'.join(_CASES)})\b[^,:\n]*,", re.IGNORECASE)


def aside(question: str, strip: str, chunk: Chunk) -> bool:
    """Whether a strip of a chunk is about a case, or stands under a heading about a case or another thing to ask, of
    which the question has no word that the headings above don't have too."""
    *above, nearest = chunk.headings or (chunk.title,)
    asked = set(content_words(question)) - set(content_words(" ".join(above)))
    condition = _CONDITION.match(strip)
    cases = [nearest] if above and _turns_aside(nearest, question) else []
    cases += [condition.group()] if condition else []
    return any(not asked & set(content_words(case)) for case in cases)


def _turns_aside(heading: str, question: str) -> bool:
    """Whether a heading opens with a case, or with a question word where the question has others."""
    opens = next(iter(words(heading)), "")
    said = {word.partition("'")[0] for word in words(question)}
    return opens not in said and (opens in _CASES or (opens in _OTHERS and bool(said & _ASKS)))
