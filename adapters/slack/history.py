"""A thread as the engine knows it: what people and the bot said there before, and who asked."""

from __future__ import annotations

import asyncio
import html
import logging
import re
from collections.abc import Iterable, Iterator, Sequence

from adapters.slack.blocks import Json
from adapters.slack.calls import Calls
from adapters.slack.events import BY_PEOPLE
from adapters.slack.ids import ASKED, GRADED, SAID
from adapters.slack.mrkdwn import heard
from adapters.slack.refusals import FAILURES
from crag.types import Turn
from crag.wording import UNKNOWN

log = logging.getLogger(__name__)

READ_S = 3.0
"""How long reading a thread may take; later the question is asked without it."""
PAGE = 200
PAGES = 5
REMEMBERED = 12
"""Turns that go along with a question."""
TURN = 2_000
"""Characters of one turn."""
_MARK = re.compile(r"\s?\[\d+\]")
_BOLD = re.compile(r"\*(\S[^*\n]*)\*")


async def read(calls: Calls, channel: str, root: str) -> list[Json]:
    """The thread's messages, oldest first; what could be read in time. A 429 isn't waited for: an app that is sold
    outside Slack's Marketplace may read once a minute, and nobody waits that long for an answer."""
    messages: list[Json] = []
    cursor = ""
    try:
        async with asyncio.timeout(READ_S):
            for _ in range(PAGES):
                answer = await calls.loose.conversations_replies(
                    channel=channel, ts=root, limit=PAGE, cursor=cursor or None
                )
                messages += answer["messages"]
                cursor = (answer.get("response_metadata") or {}).get("next_cursor") or ""
                if not cursor:
                    break
    except FAILURES as error:
        log.warning("can't read the thread %s of %s: %s", root, channel, error)
    return messages


def turns(messages: Iterable[Json], *, before: str, bot: str) -> tuple[Turn, ...]:
    """The last turns before the message `before` (a ts). Other bots, cards and notices aren't part of the talk."""
    spoken = (_turn(message, bot) for message in messages if not before or float(message["ts"]) < float(before))
    return tuple(turn for turn in spoken if turn and turn.text)[-REMEMBERED:]


def askers(messages: Iterable[Json], bot: str) -> frozenset[str]:
    """Who asked the bot in this thread: by a mention, or by a command that the bot wrote down for them."""
    found = set()
    for message in messages:
        if message.get("user") == bot:
            found |= {_asker(block) for block in _blocks(message, ASKED)}
        elif f"<@{bot}>" in str(message.get("text")) and not message.get("bot_id"):
            found.add(str(message.get("user")))
    return frozenset(found)


def reply_of(message: Json) -> str:
    """The id of the reply that a message of the bot shows, "" for another message."""
    said = (str(block["block_id"]).split(":")[1].split("~")[0] for block in _blocks(message, SAID))
    return next(said, "") or next(_graded(message), "")


def is_pane(messages: Sequence[Json]) -> bool:
    """Whether the thread is one of the assistant pane's."""
    return bool(messages) and messages[0].get("subtype") == "assistant_app_thread"


def _turn(message: Json, bot: str) -> Turn | None:
    if message.get("user") != bot:
        if message.get("bot_id") or message.get("subtype") not in BY_PEOPLE:
            return None
        return Turn(heard(str(message.get("text") or ""), bot)[:TURN], author=str(message.get("user") or ""))
    if asked := _blocks(message, ASKED):
        return Turn(_words(asked), author=_asker(asked[0]))
    said = _BOLD.sub(r"\1", _MARK.sub("", _words(_blocks(message, SAID))))
    return Turn(said, by_bot=True, unknown=_title(message).endswith(UNKNOWN)) if said else None


def _title(message: Json) -> str:
    headers = (block for block in message.get("blocks") or [] if block.get("type") == "header")
    return next((str((block.get("text") or {}).get("text", "")) for block in headers), "")


def _blocks(message: Json, kind: str) -> list[Json]:
    return [block for block in message.get("blocks") or [] if str(block.get("block_id", "")).startswith(f"{kind}:")]


def _graded(message: Json) -> Iterator[str]:
    """The reply that "How was this graded?" is about: a long reply's last message has the sources and buttons only."""
    for block in message.get("blocks") or []:
        for element in block.get("elements") or ():
            if element.get("action_id") == GRADED:
                yield str(element.get("value") or "")


def _asker(block: Json) -> str:
    """Whose question a block holds that the bot wrote down for them."""
    return str(block["block_id"]).split(":")[1].split("~")[0]


def _words(blocks: Iterable[Json]) -> str:
    texts = (str((block.get("text") or {}).get("text", "")) for block in blocks)
    return html.unescape("\n\n".join(texts))[:TURN]
