"""The thread that a reply goes into: whether its question is still there, and its status line."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from slack_sdk.errors import SlackApiError

from adapters.slack import leftovers
from adapters.slack.blocks import SECTION, Json, Post, context, section
from adapters.slack.calls import Calls
from adapters.slack.mrkdwn import cut, escape
from adapters.slack.refusals import FAILURES, NO_MESSAGE, code_of, retry_after, screen_error
from crag.errors import ScreenError

log = logging.getLogger(__name__)

RESUME_S = 30.0
"""How long it may take to find what an earlier process left."""
STATUS_S = 3.0
"""How long a status may take; a reply that is ready doesn't wait for more."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where a reply goes. `thread` is the thread's ts, "" for a command outside; `question` is the message that is
    answered, "" where there is none; `asked` is then the question, which the bot writes down first, in the block
    `block_id`; `response_url` is another way to tell the person something alone. Where an earlier process was asked,
    `began` is when this one began (as time.time()), and `bot` the bot's own bot id. `mark` is what the end of the reply
    bears, so that it is known again."""

    channel: str
    thread: str
    user: str
    team: str
    question: str = ""
    asked: str = ""
    block_id: str = ""
    response_url: str = ""
    began: float = 0.0
    bot: str = ""
    mark: str = ""


class Thread:
    """Nothing is written before there is something to show: a refused question leaves no trace in the channel.
    `opened` says that what was asked by a command stands there."""

    def __init__(self, calls: Calls, where: Where) -> None:
        self._calls = calls
        self.where = where
        self.channel = where.channel
        self.ts = where.thread
        self.opened = not where.asked
        self._resumed = not where.began
        self.answered = False

    async def resume(self) -> None:
        """Once, and only where an earlier process was asked: the question that it wrote down is found, and what nobody
        settled below it goes. `answered` says that the whole reply stands there."""
        if self._resumed:
            return
        self._resumed = True
        where, calls = self.where, self._calls
        try:
            async with asyncio.timeout(RESUME_S):
                question = where.question
                if not self.opened:
                    question = await leftovers.question(calls, where.channel, where.thread, where.block_id)
                    if not question:
                        return
                    self.ts, self.opened = where.thread or question, True
                left = await leftovers.below(
                    calls, where.channel, self.ts, bot=where.bot, after=question, before=where.began
                )
                self.answered = any(leftovers.bears(message, where.mark) for message in left)
                for message in filter(leftovers.is_draft, left):
                    await calls.remove(where.channel, str(message["ts"]))
        except (*FAILURES, ScreenError) as error:
            log.warning("what an earlier process left in %s can't be looked for: %s", where.channel, error)

    async def begin(self, *, look: bool = True) -> None:
        """Before the first message. Raises ScreenError if the question was deleted: an answer to it would land at the
        channel's root. `look` is False for what follows a question at once: a flood of refusals needs no look each."""
        where = self.where
        if where.question and look:
            await self._look(where.question)
        elif not self.opened:
            _, ts = await self._calls.post(where.channel, _asked(where), thread=where.thread)
            self.ts, self.opened = where.thread or ts, True

    async def _look(self, question: str) -> None:
        try:
            await self._calls.again(
                lambda: self._calls.sure.chat_getPermalink(channel=self.channel, message_ts=question)
            )
        except SlackApiError as error:
            if code_of(error) in NO_MESSAGE:
                raise ScreenError("The question was deleted, so its answer isn't shown.") from error
            raise screen_error(error) from error

    async def post(self, post: Post, mark: str = "") -> str:
        """A new message; returns its ts. Raises ScreenError."""
        _, ts = await self._calls.post(self.channel, post, thread=self.ts, mark=mark)
        return ts

    async def whisper(self, post: Post) -> None:
        """To the one who asked. Raises ScreenError."""
        where = self.where
        await self._calls.whisper(where.channel, where.user, post, thread=where.thread, response_url=where.response_url)

    async def status(self, words: str) -> bool:
        """The line under the thread, "" for none. False where Slack shows none here. Raises SlackApiError on a 429, and
        TimeoutError."""
        try:
            async with asyncio.timeout(STATUS_S):
                await self._calls.loose.assistant_threads_setStatus(
                    channel_id=self.channel, thread_ts=self.ts, status=words
                )
        except SlackApiError as error:
            if retry_after(error):
                raise
            return False
        return True


def _asked(where: Where) -> Post:
    """A question that a command asked, written down for all: its thread is the conversation."""
    words = cut(escape(where.asked), SECTION)
    blocks: tuple[Json, ...] = (
        section(words, block_id=where.block_id),
        context(f"asked by <@{where.user}>"),
    )
    return Post(words, blocks)
