"""A table's row says little without its header: "Plan: Team; Price: 12 EUR" instead of "| Team | 12 EUR |"."""

from __future__ import annotations

import itertools
import re

_TABLE = re.compile(r"(?:^[ \t]*\|[^\n]*\n?)+", re.MULTILINE)


def told_rows(text: str, around: str) -> str:
    """The rows of a text that begins with a row of a Markdown table, one a line; any other text as it is.

    `around` is the text that it was cut from: the header is the row above the last dashes there before it. A row whose
    header was cut off tells its cells: "Team: 12 EUR, monthly"."""
    if not text.startswith("|"):
        return text
    header = _header(text, around)
    lines = [row for row in _rows(text) if row != header and not _ruled(row)]
    told = [_told(row, header) for row in lines if any(row)]
    return "\n".join(f"- {line}" for line in told) or text


def _told(row: list[str], header: list[str]) -> str:
    if not header:
        first, *others = [cell for cell in row if cell]
        return f"{first}: {', '.join(others)}" if others else first
    pairs = itertools.zip_longest(header, row, fillvalue="")
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _header(text: str, around: str) -> list[str]:
    start = around.find(text.partition("\n")[0])
    rows = _rows(around[: max(start, 0)]) + _rows(text)
    above = [row for row, ruled in itertools.pairwise(rows) if _ruled(ruled)]
    return above[-1] if above else []


def _ruled(row: list[str]) -> bool:
    return bool(row) and set("".join(row)) <= set("-: ") and "-" in "".join(row)


def _rows(text: str) -> list[list[str]]:
    lines = (line.strip() for line in text.splitlines())
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


def told(text: str) -> str:
    """All tables of a text in words, one row a line; "" where it has none."""
    return "\n".join(told_rows(table.strip(), table) for table in _TABLE.findall(text))


def in_words(text: str, around: str) -> str:
    """The text with each of its tables in words, wherever it stands. `around` as in `told_rows`."""
    return _TABLE.sub(lambda m: told_rows(m.group().strip(), around) + "\n" * m.group().endswith("\n"), text)
