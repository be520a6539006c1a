"""Refining (CRAG's decompose-then-recompose): chunks into strips, strips graded again, only the good ones stay."""

from __future__ import annotations

from crag.text import sentences
from crag.types import Strip

MIN_STRIP = 60
"""Characters. A shorter piece says too little alone: it joins its neighbour, and a chunk of one strip is kept whole."""

MAX_STRIP = 360
"""Characters. Enough for two or three sentences, little enough that the grader sees one thought."""


def strips(text: str) -> list[Strip]:
    """Cut a chunk's text into strips of whole sentences, list items or table rows; one strip if it is short. A table's
    header rows join its first row, a list's introduction its first item, a heading what follows."""
    out: list[Strip] = []
    open_ended = False
    for piece in sentences(text):
        last = out[-1] if out else None
        joined = piece.span[1] - last.span[0] if last else 0
        if (
            last
            and joined <= MAX_STRIP
            and (open_ended or len(last.text) < MIN_STRIP or len(piece.text) < MIN_STRIP // 2)
        ):
            out[-1] = _between(text, last.span[0], piece.span[1])
        else:
            out.append(piece)
        open_ended = _leads_on(piece.text)
    return out


def _leads_on(piece: str) -> bool:
    return piece.endswith(":") or piece.startswith("#") or (piece.startswith("|") and set(piece) <= set("|-: \t"))


def _between(text: str, start: int, end: int) -> Strip:
    return Strip(text[start:end], (start, end))


def recompose(text: str, kept: list[Strip]) -> str:
    """The kept strips in reading order; neighbours keep what stood between them, a gap is marked by an ellipsis."""
    parts: list[str] = []
    end = 0
    for strip in sorted(kept, key=lambda s: s.span):
        between = text[end : strip.span[0]]
        if parts:
            parts.append(between if not between.strip() else " … ")
        parts.append(strip.text)
        end = strip.span[1]
    return "".join(parts)
