"""What was said before, as people write it down in `--history` and in question files: a reply of the bot that begins
with "I don't know" found nothing, and its question is no topic to come back to."""

from __future__ import annotations

import re

from crag.types import Turn

UNKNOWN = "I don't know"
"""What the bot says where the documents don't tell: the title of the card, and how such a turn is written down."""
_UNKNOWN = re.compile(r"I don['’]t know(?:\s*$|\s*[.,:;!–—-]\s*|\s*\n\s*)", re.IGNORECASE)


def written_turn(text: str, *, by_bot: bool) -> Turn:
    """The turn that a text stands for."""
    found = _UNKNOWN.match(text.lstrip()) if by_bot else None
    return Turn(text.lstrip()[found.end() :] or UNKNOWN, by_bot=True, unknown=True) if found else Turn(text, by_bot)


def text_of(turn: Turn) -> str:
    """The other way round: `written_turn` makes the same of it again, but for its author."""
    return f"{UNKNOWN}. {turn.text}" if turn.unknown and turn.text != UNKNOWN else turn.text
