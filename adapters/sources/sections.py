"""A document's text under each of its headings."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from adapters.sources.outline import outline, slugs
from crag.types import Document


class Whole(NamedTuple):
    """A table or a code fence, [start, end) in characters, which had better stay in one piece."""

    start: int
    end: int
    is_table: bool


@dataclass(frozen=True, slots=True)
class Section:
    """What stands between a heading and the next: [start, end) in characters. `headings` is the
    path, the document's title first; `anchor` leads to the nearest."""

    headings: tuple[str, ...]
    anchor: str
    start: int
    end: int
    wholes: tuple[Whole, ...] = ()


def sections(document: Document) -> Iterator[Section]:
    text = document.text
    found = outline(text)
    lines = line_starts(text, 0, len(text))
    wholes = deque(Whole(lines[block.lines[0]], lines[block.lines[1]], block.is_table) for block in found.blocks)
    anchors = list(slugs(heading.text for heading in found.headings))
    bodies = [0, *(lines[heading.lines[1]] for heading in found.headings)]
    ends = [*(lines[heading.lines[0]] for heading in found.headings), len(text)]
    path: list[tuple[int, str]] = []
    for number, (start, end) in enumerate(zip(bodies, ends, strict=True)):
        if number:
            heading = found.headings[number - 1]
            path = [*((level, name) for level, name in path if level < heading.level), (heading.level, heading.text)]
        inside = []
        while wholes and wholes[0].start < end:
            inside.append(wholes.popleft())
        anchor = _anchor(anchors[number - 1], document.path) if number else ""
        yield Section(_names(document.title, path), anchor, start, end, tuple(inside))


def line_starts(text: str, start: int, end: int) -> list[int]:
    """Where each line begins within [start, end), then `end`."""
    starts = [start]
    at = text.find("\n", start, end)
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1, end)
    return starts if starts[-1] == end else [*starts, end]


def line_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """[start, end) of each line, its line feed included."""
    return list(pairwise(line_starts(text, start, end)))


def _names(title: str, path: list[tuple[int, str]]) -> tuple[str, ...]:
    names = [name for _, name in path if name]
    if names and names[0].casefold() == title.casefold():
        names = names[1:]
    return (title, *names)


def _anchor(slug: str, path: str) -> str:
    """PDF viewers open `#page=3`."""
    if path.lower().endswith(".pdf") and slug.startswith("page-"):
        return slug.replace("page-", "page=", 1)
    return slug
