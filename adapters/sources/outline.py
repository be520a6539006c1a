"""The block structure of Markdown - headings, tables, code - by markdown-it, and what follows from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt

_BLOCKS = MarkdownIt("commonmark").enable("table")
_BLOCKS.core.ruler.disable(["inline"])  # only where the blocks are; what is in them costs most of the time
_INLINE = MarkdownIt("commonmark")
_MAX_HEADING = 150
_MAX_INLINE = 2_000
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `lines` is [first, last) of its own lines."""

    level: int
    text: str
    lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Block:
    """A table or a code fence; `lines` is [first, last)."""

    is_table: bool
    lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Outline:
    """Headings, and what had better stay whole, in order. Only what stands at the top level counts."""

    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]


def outline(markdown: str) -> Outline:
    headings: list[Heading] = []
    blocks: list[Block] = []
    tokens = _BLOCKS.parse(markdown)
    for at, token in enumerate(tokens):
        if token.level or token.map is None:
            continue
        lines = (token.map[0], token.map[1])
        if token.type == "heading_open":
            headings.append(Heading(int(token.tag[1:]), plain(tokens[at + 1].content), lines))
        elif token.type in ("table_open", "fence"):
            blocks.append(Block(token.type == "table_open", lines))
    return Outline(tuple(headings), tuple(blocks))


def plain(inline: str) -> str:
    """A line of Markdown as a reader sees it."""
    tokens = _INLINE.parseInline(inline[:_MAX_INLINE])[0].children or []
    shown = (token.content if token.type in ("text", "code_inline") else " " for token in tokens if token.nesting == 0)
    return " ".join("".join(shown).split())[:_MAX_HEADING].rstrip()


def slugs(headings: Iterable[str]) -> Iterator[str]:
    """Anchors as GitHub makes them: lower-case, punctuation gone, spaces to hyphens, -1, -2 for those that repeat."""
    seen: dict[str, int] = {}
    for heading in headings:
        base = _NOT_IN_SLUG.sub("", heading.strip().lower()).replace(" ", "-")
        slug = base
        while slug in seen:
            seen[base] += 1
            slug = f"{base}-{seen[base]}"
        seen[slug] = 0
        yield slug
