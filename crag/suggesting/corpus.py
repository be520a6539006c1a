"""What swaps need to know of all passages: which names stand side by side, and which numbers are used."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from crag.suggesting.passages import Names, plain
from crag.types import Chunk

EVERYWHERE = 0.04
"""A name in more than this share of the passages is the team's own, or as good as that: nothing is swapped for it."""
_NAME = r"[A-ZÀ-Þ][\w'-]*\w(?: [A-ZÀ-Þ][\w'-]*\w| \d{1,2}\b)?"
_PAIR = re.compile(rf"(?<![.!?] )(?<!^)\b({_NAME}) (?:and|or) ({_NAME})\b(?! [A-Z])")
_JOINED = re.compile(r"\b([A-ZÀ-Þ]\w+)(?= ([A-ZÀ-Þ]\w+))")
VERSION = re.compile(r"(?<![\w-])([A-ZÀ-Þ][a-zà-ÿ]+ |[A-Z]{1,4}-?)(\d{1,2})\b")
YEAR = re.compile(r"\b(19|20)\d\d\b")
_CALENDAR = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|"
    r"Thursday|Friday|Saturday|Sunday)\b"
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """What swaps need to know of all passages: `names`; for a name those that stand beside it ("Stennick or
    Altenbrück"); for a row of versions ("Tellow ") the highest; the years that are mentioned; and names that follow
    each other ("Larder Core")."""

    names: Names
    beside: Mapping[str, frozenset[str]]
    highest: Mapping[str, int]
    years: frozenset[int]
    joined: frozenset[str]

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> Corpus:
        kept = list(chunks)
        names = Names.of(kept)
        beside: dict[str, set[str]] = defaultdict(set)
        highest: dict[str, int] = {}
        years: set[int] = set()
        joined: set[str] = set()
        for chunk in kept:
            text = plain(chunk.passage)
            joined.update(" ".join(pair) for pair in _JOINED.findall(text))
            years.update(int(found[0]) for found in YEAR.finditer(text))
            for one, other in _PAIR.findall(text):
                if _alike(one, other) and _named(one, names) and _named(other, names):
                    beside[one].add(other)
                    beside[other].add(one)
            for row, number in VERSION.findall(text):
                highest[row] = max(int(number), highest.get(row, 0))
        common = {name for name in beside if sum(name in c.text for c in kept) > max(EVERYWHERE * len(kept), 10)}
        swaps = {name: frozenset(others - common) for name, others in beside.items() if name not in common}
        return cls(names, swaps, highest, frozenset(years), frozenset(joined))


def _alike(one: str, other: str) -> bool:
    """Two names of one shape: two abbreviations, two words, two versions."""
    return one != other and [w.isupper() for w in one.split()] == [w.isupper() for w in other.split()]


def _named(text: str, names: Names) -> bool:
    said = text.split()
    return not _CALENDAR.match(text) and (said[0] in names.known or said[0].isupper()) and len(said[0]) > 1
