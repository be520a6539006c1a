"""Questions for what an abbreviation stands for, and the texts that say it.

A grader trained on questions and prose thinks little of a glossary's row and much of a passage that uses the word, so
here the words decide: a row or an item that has the abbreviation in front, or a long form beside it in brackets.
"""

from __future__ import annotations

import re

from crag.glossary import written_out
from crag.subjects import items
from crag.text import words

_TERM = r"[\"'“„«‘]?(?P<term>[^\W_][\w–&/-]{0,11})[\"'”“»’]?(?:\s*\([^()]*\))?"
_WHAT = r"\b(?:what(?:['’]?s| is| are| was)?)"
_ASKED = [
    rf"\bwhat (?:does|do|did) (?:an? |the )?{_TERM} (?:stand for|mean|abbreviate)",
    rf"{_WHAT} (?:the )?(?:meaning|long form|full form) of {_TERM}",
    rf"{_WHAT} {_TERM} (?:short for|an abbreviation (?:of|for))",
    rf"\bwofür steht {_TERM}",
    rf"\bwas (?:heißt|bedeutet) {_TERM}",
]
_NAMED = [rf"{_WHAT} (?:an? )?{_TERM}", rf"\bwas ist (?:eine? )?{_TERM}", rf"^{_TERM}"]
"""Ways that ask for much else too: only with the abbreviation in capitals."""

_ASKS = [re.compile(rf"{way}\s*[?.!]*$", re.IGNORECASE) for way in _ASKED]
_NAMES = [re.compile(rf"{way}\s*[?.!]*$", re.IGNORECASE) for way in _NAMED]


def term(question: str) -> str:
    """The word that a question wants written out, in its spelling; "" where it asks for something else."""
    asked = question.strip()
    for ways, only_capitals in ((_ASKS, False), (_NAMES, True)):
        for way in ways:
            if (found := way.search(asked)) and (not only_capitals or _abbreviates(found["term"])):
                return found["term"]
    return ""


def matter(question: str) -> str:
    """What has to stand in front of an item that answers: the term alone, else all of the question."""
    return term(question) or question


def defines(sought: str, text: str) -> bool:
    """Whether a text writes an abbreviation out, however either is spelled."""
    sought = sought.casefold()
    if not sought or sought not in text.casefold():
        return False
    lines = (_parts(text[slice(*item.span)]) for group in items(text) for item in group)
    if any(short.casefold() == sought and _abbreviates(short) and len(words(long)) > 1 for short, long in lines):
        return True
    return any(short.casefold() == sought for short, _ in written_out(text))


def _abbreviates(word: str) -> bool:
    """Two capitals, or one and a figure: "eAU", "F1"."""
    return sum(c.isupper() for c in word) + any(c.isdigit() for c in word) > 1


def _parts(item: str) -> tuple[str, str]:
    """A row of two cells, or a label and what follows; two empty ones for any other item."""
    if item.lstrip().startswith("|"):
        cells = [cell.strip(" *`") for cell in item.strip().strip("|").split("|")]
        return (cells[0], cells[1]) if len(cells) == 2 else ("", "")
    short, colon, long = item.strip().lstrip("-*+• ").partition(":")
    return (short.strip(" *`"), long) if colon else ("", "")
