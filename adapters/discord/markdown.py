"""An answer's Markdown in parts that fit a message each. Fences are closed and opened again where a part ends, tables
repeat their header, and no link is cut."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from adapters.discord.escaping import STOP, prose
from crag.markup import with_marks_below_code

WIDE = 44
"""Columns that a table may take side by side: what a phone shows without breaking a line of code. A wider one is told
row by row."""
LEAST = 600
"""Characters that must be left in a part for a block that is broken to begin in it."""

_FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})\s*([^`]*)$")
_ITEM = re.compile(r"\s*[-*] ")
_LANGUAGE = re.compile(r"^[A-Za-z0-9_+#.-]{1,20}$")
_ATOM = re.compile(r"\[\[\d+\]\]\(<[^>]*>\)|(`+)(?!`).+?(?<!`)\1(?!`)|\s+|[^\s`\[]+|.", re.DOTALL)
_CELL = re.compile(r"(?<!\\)\|")


def parts(text: str, links: Mapping[int, str], most: int) -> list[str]:
    """The text in as few parts of at most `most` characters as its blocks allow; [] for no text. `links` has the
    address of each citation."""
    found: list[str] = []
    current = ""
    for block in _blocks(_tight(with_marks_below_code(text).strip().splitlines()), links, most):
        room = most - len(current) - 1
        for piece in [block] if isinstance(block, str) else block.pieces(most, room):
            joined = f"{current}\n{piece}" if current else piece
            if len(joined) <= most:
                current = joined
                continue
            found.append(current.rstrip())
            current = piece
    found.append(current.rstrip())
    return [part for part in found if part.strip()]


def _tight(lines: Sequence[str]) -> list[str]:
    """Without empty lines between list items: Discord would show them."""
    around = zip(["", *lines], lines, [*lines[1:], ""], strict=False)
    return [line for before, line, after in around if line.strip() or not (_ITEM.match(before) and _ITEM.match(after))]


def _blocks(lines: Sequence[str], links: Mapping[int, str], most: int) -> Iterator[str | _Code]:
    """Lines, none longer than `most`; code blocks and tables."""
    at = 0
    while at < len(lines):
        if fence := _FENCE.match(lines[at]):
            block = _fenced(lines, at, fence)
            at += block.taken
            yield block
        elif taken := _table_height(lines[at:]):
            yield from _table([_cells(line) for line in lines[at : at + taken] if not _is_rule(line)], links, most)
            at += taken
        else:
            yield from broken(prose(lines[at], links), most)
            at += 1


@dataclass(frozen=True, slots=True)
class _Code:
    """Lines between fences. `head` is repeated in each piece; `taken` counts the lines of the source."""

    lines: Sequence[str]
    language: str = ""
    head: Sequence[str] = field(default=())
    taken: int = 0

    def pieces(self, most: int, room: int) -> Iterator[str]:
        """Pieces of at most `most` characters; one that has to be broken anyway begins in the `room` that is left."""
        start = "\n".join([f"```{self.language}", *self.head])
        around = len(start) + len("\n\n```")
        broken = around + sum(len(line) + 1 for line in self.lines) > most
        left = (room if broken and room >= LEAST else most) - around
        held: list[str] = []
        for line in itertools.chain.from_iterable(_cut_hard(line, most - around) for line in self.lines or [""]):
            if held and len(line) + 1 > left:
                yield "\n".join([start, *held, "```"])
                held, left = [], most - around
            held.append(line)
            left -= len(line) + 1
        yield "\n".join([start, *held, "```"])


def _fenced(lines: Sequence[str], at: int, fence: re.Match[str]) -> _Code:
    """The block that begins at `at`; one that is never closed goes to the end."""
    mark, info = fence.groups()
    closing = re.compile(rf"^\s{{0,3}}{re.escape(mark[0])}{{{len(mark)},}}\s*$")
    end = next((n for n in range(at + 1, len(lines)) if closing.match(lines[n])), len(lines))
    language = info.split()[0] if info.split() else ""
    inner = [line.replace("```", f"``{STOP}`") for line in lines[at + 1 : end]]
    return _Code(inner, language if _LANGUAGE.match(language) else "", taken=min(end + 1, len(lines)) - at)


def _table_height(lines: Sequence[str]) -> int:
    """How many of the lines are a table: a header, a rule below it, rows."""
    if len(lines) < 2 or "|" not in lines[0] or "|" not in lines[1] or not _is_rule(lines[1]):
        return 0
    return next((n for n in range(2, len(lines)) if "|" not in lines[n]), len(lines))


def _is_rule(line: str) -> bool:
    return "-" in line and set(line) <= set(" \t:|-")


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(inner)]


def _table(rows: list[list[str]], links: Mapping[int, str], most: int) -> Iterator[str | _Code]:
    """Columns side by side where a phone can show them, else each row as an item that names its columns."""
    header = rows[0]
    rows = [(row + [""] * len(header))[: len(header)] for row in rows]
    plain = [[_unmarked(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*plain, strict=True)]
    if sum(widths) + 3 * (len(widths) - 1) <= WIDE:
        lines = [
            " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in plain
        ]
        rule = "-+-".join("-" * width for width in widths)
        yield _Code(lines[1:], head=(lines[0], rule))
        return
    for row in rows[1:]:
        told = "; ".join(f"**{_unmarked(name)}:** {cell}" for name, cell in zip(header, row, strict=True) if cell)
        yield from broken(prose(f"- {told}", links), most)


def _unmarked(cell: str) -> str:
    return " ".join(re.sub(r"\*\*|`", "", cell).split())


def broken(line: str, most: int) -> Iterator[str]:
    """A line in pieces, broken between words; a link or code stays whole, and bold goes on in the next piece."""
    if len(line) <= most:
        yield line
        return
    room = most - len("****")
    held = ""
    for atom in itertools.chain.from_iterable(_cut_hard(match.group(), room) for match in _ATOM.finditer(line)):
        if len(held) + len(atom) > room and held.strip():
            bold = held.count("**") % 2 == 1
            yield held.rstrip() + "**" * bold
            held = "**" * bold + atom.lstrip()
        else:
            held += atom
    if held.strip():
        yield held


def _cut_hard(text: str, most: int) -> list[str]:
    return [text[at : at + most] for at in range(0, len(text), most)] or [""]
