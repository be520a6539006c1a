"""Whether documents contradict each other on what was asked: nearly the same said with another figure.

Told only where little else can be meant, since two figures mostly belong to two things. Near-duplicates that describe
two members of a family (two offices, two products) share a word of their titles, or a heading, and are left alone.
Compared are single statements: a sentence's clauses, and each cell of a table's row with what the row is about. Among
2,500 statements of the example handbook and of a real one (246 pages) 36 pairs differ and are alike enough, whatever
is asked; of those the question has to be about both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
_KIND = r"(?:working|calendar|business|full|paid)\s+"
_FIGURE = re.compile(rf"([£$€¥])\s?(\d[\d.]*)|(\d[\d.:]*)\s?(?:{_KIND})?(%|{_MONTH}|[^\W\d_]+)")
_ROW = re.compile(r"- [^\n;]+; [^\n;]+: ")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What a statement of an answer was taken from, what says otherwise, and the figure that each gives: "£120"."""

    one: Evidence
    figure: str
    other: Evidence
    instead: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause, or a cell of a row: its words' stems, those that are no figure or what one counts, and its figures by
    what they count ("£", "%", "day", "June"), each number with its spelling."""

    words: frozenset[str]
    things: frozenset[str]
    figures: Mapping[str, Mapping[str, str]]


def disagreements(
    question: str, said: Sequence[tuple[str, Evidence]], evidence: Sequence[Evidence]
) -> list[Disagreement]:
    """The first contradiction of each two documents. Read are whole passages, also what refining left out of them."""
    found: dict[frozenset[str], Disagreement] = {}
    whole = [(other, statements(in_words(other.chunk.text, other.chunk.text))) for other in evidence]
    for text, source in said:
        mine = statements(text)
        for other, theirs in whole:
            pair = frozenset((source.chunk.document, other.chunk.document))
            if pair not in found and (figures := contradiction(question, mine, source, theirs, other)):
                found[pair] = Disagreement(source, figures[0], other, figures[1])
    return list(found.values())


Told = Sequence[Sequence[Statement]]
"""What a text says: the statements of each of its sentences and rows."""


def contradiction(question: str, mine: Told, source: Evidence, theirs: Told, other: Evidence) -> tuple[str, str] | None:
    """The two figures in which texts of two passages contradict each other, None where they don't."""
    if not _comparable(source, other):
        return None
    asked = set(content_words(question))
    own, others = _above(source), _above(other)
    against = list(_asked_for(theirs, asked))
    for one in _asked_for(mine, asked):
        for statement in against:
            figures = _differing(one, statement)
            if figures and _about(asked, one.words, own, statement.words, others):
                return figures
    return None


def statements(text: str) -> Told:
    """What a text says with figures. Tables are told in words."""
    told: list[list[Statement]] = []
    for sentence in sentences(without_links(text)):
        parts = sentence.text.split("; ")
        if _ROW.match(sentence.text):
            parts = [f"{parts[0]}; {cell}" for cell in parts[1:]]
        told.append([_statement(part) for part in parts])
    return [line for line in told if any(one.figures for one in line)]


def _statement(text: str) -> Statement:
    uniformly = uniform(text)
    figures: dict[str, dict[str, str]] = {}
    for match in _FIGURE.finditer(uniformly):
        sign, amount, number, unit = match.groups()
        for what in [sign] if sign else content_words(unit) or ["%"] * (unit == "%"):
            figures.setdefault(what, {}).setdefault((amount or number).rstrip(".:"), match.group().rstrip(".:"))
    rest = content_words(_FIGURE.sub(" ", uniformly))
    things = {word for word in rest if not word[0].isdigit()} - figures.keys()
    return Statement(frozenset(content_words(text)), frozenset(things), figures)


def _asked_for(told: Told, asked: set[str]) -> Iterator[Statement]:
    """Of each sentence or row what has most of the question's words: who asks for Altenbrück doesn't ask for what the
    same row says of Stennick."""
    for line in told:
        most = max(len(asked & one.words) for one in line)
        yield from (one for one in line if one.figures and len(asked & one.words) == most)


def _comparable(one: Evidence, other: Evidence) -> bool:
    if one.chunk.document == other.chunk.document or superseded(one.chunk) or superseded(other.chunk):
        return False
    mine, theirs = one.chunk, other.chunk
    family = mine.title != theirs.title and bool(set(content_words(mine.title)) & set(content_words(theirs.title)))
    return not family and not (mine.headings[1:] and mine.headings[-1] == theirs.headings[-1])


def _differing(one: Statement, other: Statement) -> tuple[str, str] | None:
    """Two figures of one unit where the statements are alike and have none of it in common."""
    mine, theirs = one.figures, other.figures
    units = [unit for unit in mine if unit in theirs and not mine[unit].keys() & theirs[unit].keys()]
    least = max(SHARED, ALIKE * min(len(one.things), len(other.things)))
    if not units or len(one.things & other.things) < least:
        return None
    return next(iter(mine[units[0]].values())), next(iter(theirs[units[0]].values()))


def _about(asked: set[str], one: frozenset[str], above: set[str], other: frozenset[str], above_other: set[str]) -> bool:
    """Whether the question is about both: what of it stands in one statement must stand in the other or above it."""
    mine, theirs = one | above, other | above_other
    inside = asked & one <= theirs and asked & other <= mine
    return inside and len(asked & mine & theirs) >= max(1, ASKED * len(asked))


def _above(evidence: Evidence) -> set[str]:
    return set(content_words(" ".join(evidence.chunk.headings or (evidence.chunk.title,))))
