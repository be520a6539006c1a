"""Slack's blocks, and messages that fit. The limits are Slack's own: 50 blocks and about 13,200 characters of JSON a
message, 3,000 characters a section, 100 blocks a modal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from adapters.slack.markdown import parts
from adapters.slack.mrkdwn import cut, is_url, line, link, sections
from crag.types import Chunk

Json = dict[str, Any]

SECTION = 2_900
MESSAGE_BLOCKS = 45
MESSAGE_JSON = 12_000
FALLBACK = 2_900
"""Characters of a message's `text`, which notifications show; `chat.update` takes 4,000."""
BUTTON = 75


@dataclass(frozen=True, slots=True)
class Post:
    """One message: `text` is what a notification shows, escaped."""

    text: str
    blocks: tuple[Json, ...]


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}


def section(text: str, *, block_id: str = "", accessory: Json | None = None) -> Json:
    """Always open: an answer behind "see more" is half an answer."""
    block: Json = {"type": "section", "text": mrkdwn(text), "expand": True}
    if block_id:
        block["block_id"] = block_id
    if accessory:
        block["accessory"] = accessory
    return block


def context(*texts: str) -> Json:
    return {"type": "context", "elements": [mrkdwn(text) for text in texts]}


def button(label: str, action_id: str, value: str, *, style: str = "") -> Json:
    shown: Json = {"type": "button", "action_id": action_id, "value": value, "text": plain(label[:BUTTON])}
    return shown | ({"style": style} if style else {})


def actions(*buttons: Json) -> Json:
    return {"type": "actions", "elements": list(buttons)}


def body(markdown: str, block_id: str = "") -> list[Json]:
    """Markdown as sections; `block_id` marks them, numbered."""
    texts = sections(parts(markdown), SECTION)
    return [section(text, block_id=f"{block_id}:{n}" if block_id else "") for n, text in enumerate(texts)]


def place_of(chunk: Chunk) -> str:
    """Title and headings as a reader knows the place."""
    return " > ".join(chunk.headings) or chunk.title


def source(mark: str, chunk: Chunk, label: str, show: Json) -> Json:
    """A source that opens: by its link, or by the button where there is no address that Slack could open."""
    if is_url(chunk.link):
        return section(cut_line(f"{mark}{link(chunk.link, label[:200])}"))
    return section(cut_line(f"{mark}{line(label)}"), accessory=show)


def cut_line(text: str) -> str:
    return cut(text, SECTION)


def size(blocks: Sequence[Json]) -> int:
    """Characters as Slack counts them."""
    return len(json.dumps(list(blocks), ensure_ascii=False, separators=(",", ":")))


def packed(groups: Sequence[Sequence[Json]]) -> list[list[Json]]:
    """Messages that Slack takes, in order; what stands in one group stays together where it can."""
    messages: list[list[Json]] = [[]]
    for group in groups:
        if not _fits([*messages[-1], *group]) and _fits(group) and messages[-1]:
            messages.append([])
        for block in group:
            if messages[-1] and not _fits([*messages[-1], block]):
                messages.append([])
            messages[-1].append(block)
    return messages


def _fits(blocks: Sequence[Json]) -> bool:
    return len(blocks) <= MESSAGE_BLOCKS and size(blocks) <= MESSAGE_JSON
