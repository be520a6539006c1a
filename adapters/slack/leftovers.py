"""What a process left in Slack that ended without a word: the question that it wrote down for a command, and drafts
that nobody checked. The next process answers under the one and takes the others away."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator

from adapters.slack.blocks import Json
from adapters.slack.calls import MARK, PLAIN, Calls
from adapters.slack.ids import ASKED, DRAFT

PAGE = 200
PAGES = 5
"""How far it is looked back: a thousand messages."""


def mark_of(key: str) -> str:
    """By which a question's block is known again; `key` is what identifies the question."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


async def question(calls: Calls, channel: str, thread: str, asked: str) -> str:
    """The ts of the message that holds the question with this block id, "" where there is none. Raises FAILURES."""
    async for message in _messages(calls, channel, thread):
        if any(block_id.split(MARK)[0] == asked for block_id in _ids(message)):
            return str(message["ts"])
    return ""


async def below(calls: Calls, channel: str, thread: str, *, bot: str, after: str, before: float) -> list[Json]:
    """The bot's own messages (`bot` is its bot id) between two times. Raises FAILURES."""
    found = []
    async for message in _messages(calls, channel, thread, oldest=after):
        if message.get("bot_id") == bot and float(after) < float(message["ts"]) < before:
            found.append(message)
    return found


def block_id_of(user: str, key: str) -> str:
    """The id of the block in which the bot writes a person's question down."""
    return f"{ASKED}:{user}:{mark_of(key)}"


def bears(message: Json, mark: str) -> bool:
    return any(block_id.endswith(f"{MARK}{mark}") for block_id in _ids(message))


def is_draft(message: Json) -> bool:
    """Whether it never became a reply or a notice. All that was settled bears a mark; a stream's blocks are Slack's own
    and have none."""
    if str(message.get("text") or "").endswith(PLAIN):
        return False
    found = _ids(message)
    return any(block_id.startswith(DRAFT) for block_id in found) or not any(MARK in block_id for block_id in found)


def _ids(message: Json) -> list[str]:
    return [str(block.get("block_id") or "") for block in message.get("blocks") or []]


async def _messages(calls: Calls, channel: str, thread: str, oldest: str = "0") -> AsyncIterator[Json]:
    """Of a thread, or of a channel where `thread` is ""."""
    cursor: str | None = None
    for _ in range(PAGES):
        if thread:
            answer = await calls.sure.conversations_replies(
                channel=channel, ts=thread, oldest=oldest, limit=PAGE, cursor=cursor
            )
        else:
            answer = await calls.sure.conversations_history(channel=channel, oldest=oldest, limit=PAGE, cursor=cursor)
        for message in answer["messages"]:
            yield message
        cursor = (answer.get("response_metadata") or {}).get("next_cursor") or None
        if cursor is None:
            return
