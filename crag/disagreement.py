"""Whether documents contradict each other on what was asked: nearly the same said with another figure.

Told only where little else can be meant, since two figures mostly belong to two things. Near-duplicates that describe
two members of a family (two offices, two products) share a word of their titles, or a heading, and are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from crag.currency import superseded
from crag.facts import MONTHS, uniform
from crag.strips import strips
from crag.tables import in_words
from crag.text import content_words
from crag.types import Evidence

ALIKE = 0.5
"""The share of words from which on two statements speak of the same thing."""

ASKED = 2
"""Words of the question that both must have, no less than half of them, and none that only one has."""

_MONTH = "|".join(MONTHS)
_FIGURE = re.compile(rf"([£$€¥])\s?(\d[\d.]*)|(\d[\d.:]*)\s?(%|{_MONTH}|[^\W\d_]+)")


def alike(one: str, other: str) -> bool:
    """Whether two statements say nearly the same, numbers apart."""
    mine, theirs = _things(one), _things(other)
    return len(mine & theirs) >= ALIKE * max(1, min(len(mine), len(theirs)))


def disagreements(
    question: str, said: Sequence[tuple[str, Evidence]], evidence: Sequence[Evidence]
) -> list[tuple[Evidence, Evidence]]:
    """Pairs (what a statement of an answer was taken from, what says otherwise), each once."""
    asked = set(content_words(question))
    found: dict[tuple[str, str], tuple[Evidence, Evidence]] = {}
    for statement, source in said:
        for other in evidence:
            pair = source.chunk.document, other.chunk.document
            if pair in found or pair[::-1] in found or not _comparable(source, other):
                continue
            if any(_contradict(asked, statement, source, line, other) for line in _statements(other)):
                found[pair] = (source, other)
    return list(found.values())


def _comparable(one: Evidence, other: Evidence) -> bool:
    if one.chunk.document == other.chunk.document or superseded(one.chunk) or superseded(other.chunk):
        return False
    mine, theirs = one.chunk, other.chunk
    family = mine.title != theirs.title and bool(set(content_words(mine.title)) & set(content_words(theirs.title)))
    return not family and not (mine.headings[1:] and mine.headings[-1] == theirs.headings[-1])


def _contradict(asked: set[str], statement: str, source: Evidence, line: str, other: Evidence) -> bool:
    both = asked & set(_in_place(statement, source))
    if both != asked & set(_in_place(line, other)) or len(both) < max(ASKED, len(asked) / 2):
        return False
    if not alike(statement, line):
        return False
    mine, theirs = _figures(statement), _figures(line)
    return any(not mine[unit] & theirs[unit] for unit in mine.keys() & theirs.keys())


def _in_place(text: str, evidence: Evidence) -> list[str]:
    return content_words(f"{' '.join(evidence.chunk.headings or (evidence.chunk.title,))} {text}")


def _statements(evidence: Evidence) -> Iterator[str]:
    """Its strips, table rows each on its own."""
    for strip in strips(evidence.text):
        yield from in_words(strip.text, evidence.chunk.text).split("\n")


def _things(text: str) -> set[str]:
    return {word for word in content_words(uniform(text)) if not word[0].isdigit()}


def _figures(text: str) -> dict[str, set[str]]:
    """The numbers of a text by what they count: "£", "%", "day", "June"."""
    found: dict[str, set[str]] = {}
    for sign, amount, number, unit in _FIGURE.findall(uniform(text)):
        for what in [sign] if sign else content_words(unit) or ["%"] * (unit == "%"):
            found.setdefault(what, set()).add((amount or number).rstrip(".:"))
    return found
