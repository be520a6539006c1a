"""Markdown of documents and answers, where it is shown by something that isn't a full reader of Markdown."""

from __future__ import annotations

import re

_RULE = re.compile(r"[\s:|+=-]*")
_BLOCK_MARK = re.compile(r"\s*(?:[-*+•]|#{1,6}|\|)\s+|\s*\d{1,3}[.)]\s+")
_CELL_END = re.compile(r"(?<!\\)\|")
_FENCE_AND_MARK = re.compile(r"^([ \t]*(?:```|~~~))[ \t]+((?:\[\d{1,3}\])+)[ \t]*$", re.MULTILINE)


def gist(text: str) -> str:
    """What Markdown says, without its marks, on one line; a dot stands between list items and between table rows."""
    told = ""
    for row in text.splitlines():
        if _RULE.fullmatch(row) or row.lstrip().startswith(("```", "~~~")):
            continue
        mark = _BLOCK_MARK.match(row)
        numbered = mark is not None and mark[0].strip()[0].isdigit()
        cells = _CELL_END.split(row if numbered else row[mark.end() if mark else 0 :].lstrip("> "))
        joint = " · " if mark else " "
        told += (joint if told else "") + ", ".join(cell.strip() for cell in cells if cell.strip())
    return " ".join(re.sub(r"\*\*|`", "", told).split())


def with_marks_below_code(text: str) -> str:
    """A citation behind a code block goes on a line of its own: after its fence it would keep the block open."""
    return _FENCE_AND_MARK.sub(r"\1\n\2", text)
