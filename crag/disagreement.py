"""Whether documents contradict each other on what was asked: nearly the same said with another figure.

Told only where little else can be meant, since two figures mostly belong to two things. Near-duplicates that describe
two members of a family (two offices, two products) share a word of their titles, or a heading, and are left alone.
Compared are single statements: a sentence's clauses, and each cell of a table's row with what the row is about. Among
the statements with figures of the example handbook and of a real one (246 pages) 32 pairs are alike enough, whatever is
asked; of those the question has to be about both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crag.citations import without_links
from crag.currency import superseded
from crag.facts import MONTHS, uniform
from crag.tables import in_words
from crag.text import content_words, sentences
from crag.types import Evidence

ALIKE = 0.5
"""The share of the shorter statement's words from which on two speak of the same thing."""

SHARED = 3
"""Words that they must share at least: two short statements have two in common soon."""

ASKED = 0.5
"""The share of the question's words that both must have in their place, headings included."""

_MONTH = "|".join(MONTHS)
_FIGURE = re.compile(rf"([£$€¥])\s?(\d[\d.]*)|(\d[\d.:]*)\s?(%|{_MONTH}|[^\W\d_]+)")
_ROW = re.compile(r"- [^\n;]+; [^\n;]+: ")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What a statement of an answer was taken from, what says otherwise, and the figure that each gives: "£120"."""

    one: Evidence
    figure: str
    other: Evidence
    instead: str


def disagreements(
    question: str, said: Sequence[tuple[str, Evidence]], evidence: Sequence[Evidence]
) -> list[Disagreement]:
    """The first contradiction of each two documents. Read are whole passages, also what refining left out of them."""
    found: dict[frozenset[str], Disagreement] = {}
    for text, source in said:
        for other in evidence:
            pair = frozenset((source.chunk.document, other.chunk.document))
            if pair not in found and (figures := contradiction(question, text, source, _whole(other), other)):
                found[pair] = Disagreement(source, figures[0], other, figures[1])
    return list(found.values())


def contradiction(question: str, text: str, source: Evidence, line: str, other: Evidence) -> tuple[str, str] | None:
    """The two figures in which a text of one passage and a text of another contradict each other, None where they
    don't. Tables are told in words."""
    if not _comparable(source, other):
        return None
    asked = set(content_words(question))
    theirs = list(_statements(line, asked))
    for mine in _statements(text, asked):
        for statement in theirs:
            if (figures := _differing(mine, statement)) and _about(asked, mine, source, statement, other):
                return figures
    return None


def _comparable(one: Evidence, other: Evidence) -> bool:
    if one.chunk.document == other.chunk.document or superseded(one.chunk) or superseded(other.chunk):
        return False
    mine, theirs = one.chunk, other.chunk
    family = mine.title != theirs.title and bool(set(content_words(mine.title)) & set(content_words(theirs.title)))
    return not family and not (mine.headings[1:] and mine.headings[-1] == theirs.headings[-1])


def _whole(evidence: Evidence) -> str:
    return in_words(evidence.chunk.text, evidence.chunk.text)


def _statements(text: str, asked: set[str]) -> Iterator[str]:
    """What a text says one by one; of a sentence in parts, or a row, only what has most of the question's words: who
    asks for Altenbrück doesn't ask for what the same row says of Stennick."""
    for sentence in sentences(without_links(text)):
        parts = sentence.text.split("; ")
        if _ROW.match(sentence.text):
            parts = [f"{parts[0]}; {cell}" for cell in parts[1:]]
        shared = [len(asked & set(content_words(part))) for part in parts]
        yield from (part for part, words in zip(parts, shared, strict=True) if words == max(shared))


def _differing(one: str, other: str) -> tuple[str, str] | None:
    """Two figures of one unit where the texts are alike and have none of it in common."""
    mine, theirs = _figures(one), _figures(other)
    units = [unit for unit in mine if unit in theirs and not mine[unit].keys() & theirs[unit].keys()]
    if not units or not _alike(_things(one) - mine.keys(), _things(other) - theirs.keys()):
        return None
    return next(iter(mine[units[0]].values())), next(iter(theirs[units[0]].values()))


def _alike(mine: set[str], theirs: set[str]) -> bool:
    return len(mine & theirs) >= max(SHARED, ALIKE * min(len(mine), len(theirs)))


def _about(asked: set[str], one: str, source: Evidence, other: str, against: Evidence) -> bool:
    """Whether the question is about both: what of it stands in one statement must stand in the other or above it."""
    mine, theirs = _in_place(one, source), _in_place(other, against)
    own, others = asked & set(content_words(one)), asked & set(content_words(other))
    return own <= theirs and others <= mine and len(asked & mine & theirs) >= max(1, ASKED * len(asked))


def _in_place(text: str, evidence: Evidence) -> set[str]:
    return set(content_words(f"{' '.join(evidence.chunk.headings or (evidence.chunk.title,))} {text}"))


def _things(text: str) -> set[str]:
    return {word for word in content_words(uniform(text)) if not word[0].isdigit()}


def _figures(text: str) -> dict[str, dict[str, str]]:
    """The numbers of a text by what they count ("£", "%", "day", "June"), each with its spelling."""
    found: dict[str, dict[str, str]] = {}
    for match in _FIGURE.finditer(uniform(text)):
        sign, amount, number, unit = match.groups()
        for what in [sign] if sign else content_words(unit) or ["%"] * (unit == "%"):
            found.setdefault(what, {}).setdefault((amount or number).rstrip(".:"), match.group().rstrip(".:"))
    return found
