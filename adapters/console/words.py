"""Text on a terminal or a pipe that is broken between words only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text


def print_words(out: Console, text: Text) -> None:
    """A link or a path that is longer than a line stays in one piece, so that a terminal can open it."""
    for line in text.split("\n", allow_blank=True):
        for part in line.divide(_breaks(line.plain, out.width)):
            part.rstrip()
            out.print(part, soft_wrap=True)


def print_line(out: Console, text: Text) -> None:
    """The same on a terminal; what reads a pipe breaks lines itself."""
    if out.is_terminal:
        print_words(out, text)
    else:
        out.print(text, soft_wrap=True)


def _breaks(line: str, width: int) -> Iterator[int]:
    """Where a new line has to begin."""
    start = 0
    for word in re.finditer(r"\S+", line):
        if line[start : word.start()].strip() and cell_len(line[start : word.end()]) > width:
            yield (start := word.start())
