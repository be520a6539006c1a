"""Discord's numbers, in characters; over one of them a message is refused whole."""

from __future__ import annotations

CONTENT = 2000
DESCRIPTION = 4096
TITLE = 256
FIELD_NAME = 256
FIELD = 1024
FIELDS = 25
EMBEDS = 6000
"""All texts of all embeds of a message together."""
ROW = 5
"""Buttons beside each other; a message has five rows."""
THREAD_NAME = 100
URL = 600
"""No number of Discord's: a longer link would fill the field that it stands in."""
INPUT = 4000
"""What a field of a form takes."""


def cut(text: str, most: int) -> str:
    """At most so many characters; what was cut is marked by an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def one_line(text: str, most: int) -> str:
    """The same on one line."""
    return cut(" ".join(text.split()), most)
