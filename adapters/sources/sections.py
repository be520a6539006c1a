"""A document's text under each of its headings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from adapters.sources.outline import outline, slugs
from crag.types import Document


@dataclass(frozen=True, slots=True)
class Section:
    """What stands between a heading and the next: [start, end) in characters, with the tables in it. `headings` is the
    path, the document's title first; `anchor` leads to the nearest."""

    headings: tuple[str, ...]
    anchor: str
    start: int
    end: int
    tables: tuple[tuple[int, int], ...] = ()


def sections(document: Document) -> Iterator[Section]:
    text = document.text
    found = outline(text)
    lines = line_starts(text, 0, len(text))
    tables = [(lines[first], lines[last]) for first, last in found.tables]
    anchors = list(slugs(heading.text for heading in found.headings))
    bodies = [0, *(lines[heading.lines[1]] for heading in found.headings)]
    ends = [*(lines[heading.lines[0]] for heading in found.headings), len(text)]
    path: list[tuple[int, str]] = []
    for number, (start, end) in enumerate(zip(bodies, ends, strict=True)):
        if number:
            heading = found.headings[number - 1]
            path = [*((level, name) for level, name in path if level < heading.level), (heading.level, heading.text)]
        inside = []
        while tables and tables[0][0] < end:
            inside.append(tables.pop(0))
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
