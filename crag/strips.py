"""Refining (CRAG's decompose-then-recompose): chunks into strips, strips graded again, only the good ones stay."""

from __future__ import annotations

from crag.text import has_words, sentences
from crag.types import Strip

MIN_STRIP = 60
"""Characters. A shorter piece says too little alone: it joins its neighbour, and a chunk of one strip is kept whole."""

MAX_STRIP = 360
"""Characters. Enough for two or three sentences, little enough that the grader sees one thought."""

GAP = "…"
"""What stands for the strips that were left out."""


def strips(text: str) -> list[Strip]:
    """Cut a chunk's text into strips of whole sentences, list items or table rows; one strip if it is short. A table's
    header rows join its first row, a list's introduction its first item, a heading what follows; what is short joins
    what follows, or at the end of a paragraph what stands before it. Nothing is joined over a gap ("…")."""
    out: list[Strip] = []
    apart = True
    for piece in sentences(text):
        if not has_words(piece.text) and not piece.text.startswith("|"):
            apart = apart or piece.text == GAP
            continue
        if out and not apart and _belongs(text, out[-1], piece):
            out[-1] = _between(text, out[-1].span[0], piece.span[1])
        else:
            out.append(piece)
        apart = False
    if (
        len(out) > 1
        and len(out[-1].text) < MIN_STRIP
        and GAP not in (last := _between(text, out[-2].span[0], out[-1].span[1])).text
    ):
        out[-2:] = [last]
    return out


def _belongs(text: str, last: Strip, piece: Strip) -> bool:
    if piece.span[1] - last.span[0] > MAX_STRIP:
        return False
    same_paragraph = "\n\n" not in text[last.span[1] : piece.span[0]]
    short = len(last.text) < MIN_STRIP or (same_paragraph and len(piece.text) < MIN_STRIP // 2)
    return short or _leads_on(last.text.rpartition("\n")[2])


def _leads_on(piece: str) -> bool:
    return piece.endswith(":") or piece.startswith("#") or (piece.startswith("|") and set(piece) <= set("|-: \t"))


def _between(text: str, start: int, end: int) -> Strip:
    return Strip(text[start:end], (start, end))


def recompose(text: str, kept: list[Strip]) -> str:
    """The kept strips in reading order; neighbours keep what stood between them, a gap is marked by an ellipsis in a
    paragraph of its own."""
    parts: list[str] = []
    end = 0
    for strip in sorted(kept, key=lambda s: s.span):
        between = text[end : strip.span[0]]
        if parts:
            parts.append(between if not between.strip() else f"\n\n{GAP}\n\n")
        parts.append(strip.text)
        end = strip.span[1]
    return "".join(parts)
