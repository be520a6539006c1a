"""A table's row says little without its header: "Plan: Team; Price: 12 EUR" instead of "| Team | 12 EUR |"."""

from __future__ import annotations


def told_rows(text: str, table: str) -> str:
    """The rows of a text that begins with a Markdown table's row, one a line, each cell with its column's name from
    the first row of `table`; any other text as it is."""
    if not text.startswith("|"):
        return text
    rows, (header, *_) = _rows(text), _rows(table) or _rows(text)
    told = [
        "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(header, row, strict=False) if cell)
        for row in rows
        if row != header and not set("".join(row)) <= set("-: ")
    ]
    return "\n".join(told) or text


def _rows(text: str) -> list[list[str]]:
    lines = (line.strip() for line in text.splitlines())
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
