"""What was asked and stands nowhere in the evidence: the words that a reader would miss.

Questions say most things in other words than documents do ("leftover vacation", "unused days"), so only what names
something counts: numbers, names, and nouns as far as their place gives them away. On examples/questions.jsonl a gap is
named under 21 % of the right answers (any longer word: 72 %) and under 30 % of the false ones (50 %).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from crag.definitions import matter
from crag.facts import GERMAN
from crag.text import STOP_WORDS, content_words, stem, words
from crag.types import Evidence

MOST = 4
"""Words that are named at most."""

SHORTEST = 5
"""Letters of a lower-case word that counts."""

_PIECE = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\s\w]")
_LONG_FORM = re.compile(r"[^\W_]+ (?=\([^()]+\))")
_CODE = re.compile(r"[a-z]\d|\d[a-z]")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_BEFORE_A_NOUN = frozenset(
    """
    a an the my our your his her its their this these those of for on in with at by per any which what no each every
    another about from without as do does did can could may must should will would are
    """.split()
)
_VAGUE = frozenset(
    """
    amount annual average costs daily different early extra first general himself herself itself hours kind limit lots
    maximum middle minimum minute minutes moment money month monthly months myself normal number numbers other others
    ourselves parts people person place point price process reason result right rules second sides standard start stuff
    themselves thing things third times today tomorrow total usual weeks weekly words years yearly yesterday yourself
    """.split()
)


def gap(question: str, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """The question's telling words that the evidence doesn't have, in the question's spelling."""
    known = {word for item in evidence for word in content_words(f"{item.chunk.passage} {item.text}")}
    found: dict[str, str] = {}
    for word in _telling(_LONG_FORM.sub("", matter(question))):  # "PTO (paid time off)": its long form counts
        stems = [stem(w) for w in words(word)]
        if not any(s in known for s in stems):
            found.setdefault(stems[0], word)
    return tuple(found.values())[:MOST]


def _telling(question: str) -> Iterator[str]:
    """The words that name something. German writes nouns with a capital, so there no other word does."""
    german = any(word in GERMAN for word in words(question))
    before, begins = "", True
    for piece in _PIECE.findall(question):
        if not piece[0].isalnum():
            before, begins = "", piece in ".?!:"
            continue
        named = any(c.isdigit() or (c.isupper() and not (begins and at == 0)) for at, c in enumerate(piece))
        if _means_something(piece) and (named or (not german and before in _BEFORE_A_NOUN and _may_be_noun(piece))):
            yield piece
        before, begins = piece.lower(), False


def _means_something(piece: str) -> bool:
    """Contractions and ordinals don't: "when's" is no gap, and "2nd" stands there as "second"."""
    if "'" in piece or "’" in piece or _ORDINAL.fullmatch(piece):
        return False
    return any(w not in STOP_WORDS and (len(w) >= 3 or _CODE.fullmatch(w)) for w in words(piece))


def _may_be_noun(piece: str) -> bool:
    return len(piece) >= SHORTEST and piece not in _VAGUE and not piece.endswith(("ly", "est", "ed"))
