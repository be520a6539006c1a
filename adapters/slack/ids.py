"""The names by which Slack brings back what was pressed, submitted or written, and what their values carry."""

from __future__ import annotations

import json

from crag.platform import Place

PLATFORM = "slack"

GRADED = "candor_graded"
PAGE = "candor_page"
VOTE = "candor_vote"
HUMAN = "candor_human"
REWORD = "candor_reword"
PASSAGE = "candor_passage"
CANCEL = "candor_cancel"
CORRECT = "candor_correct"

REASON_VIEW = "candor_reason"
REWORD_VIEW = "candor_reworded"
CORRECT_VIEW = "candor_corrected"
WORDS = "words"
TRUTH, PASSAGES, PAGE_NAME = "truth", "passages", "page"
"""The inputs of forms."""

SHORTCUT = "ask_candor"
ASK, GRADE, ADMIN = "/ask", "/grade", "/candor"

SAID = "said"
"""Starts the block ids of what the bot said: its words in the thread's history. The reply's id follows."""
ASKED = "asked"
"""Starts the block id of a person's question that the bot wrote down for them (`/ask`)."""
DRAFT = "draft"
"""Starts the block id of what nobody has checked yet."""


def keep_place(place: Place, **more: str) -> str:
    """A place as a modal's private metadata (at most 3,000 characters)."""
    return json.dumps({"team": place.tenant, "channel": place.channel, "thread": place.thread, **more})


def kept_place(metadata: str) -> tuple[Place, dict[str, str]]:
    """The place, and what else was kept."""
    kept: dict[str, str] = json.loads(metadata)
    return place(kept.pop("team"), kept.pop("channel"), kept.pop("thread")), kept


def place(team: str, channel: str, thread: str) -> Place:
    """Slack's ids of direct messages start with D."""
    return Place(PLATFORM, team, channel, thread, direct=channel.startswith("D"))
