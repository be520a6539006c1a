"""Text of documents, models and people on its way to a terminal."""

from __future__ import annotations

import re

from crag.text import clean

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor moves, erasing
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS: titles, links
    r"|\x1b[ -/]*[0-~]"
)
_DIRECTION = re.compile("[\u200e\u200f\u061c]")


def safe(text: str) -> str:
    """The text without anything that a terminal would obey: escape sequences go whole, then every control character,
    hidden character and direction mark (ECMA-48; garak: ansiescape). New lines and tabs stay."""
    return _DIRECTION.sub("", clean(_SEQUENCE.sub("", text)).replace("\u2028", "\n").replace("\u2029", "\n"))


def safe_line(text: str) -> str:
    """The same on one line: for titles, paths and links."""
    return " ".join(safe(text).split())
