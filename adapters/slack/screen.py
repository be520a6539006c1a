"""One question's reply on Slack: a status that names the stage, the answer as it is written, the settled reply.

A status (or a placeholder where Slack shows none) and a stream are painted by a task of their own, at Slack's pace, and
may be dropped; the reply is not. Nothing is written before there is something to show: a refused question leaves no
trace in the channel.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from slack_sdk.errors import SlackApiError

from adapters.slack.blocks import Json, Post, body, context, packed, section
from adapters.slack.calls import Calls
from adapters.slack.ids import ASKED
from adapters.slack.mrkdwn import cut, escape, link
from adapters.slack.refusals import FAILURES, NO_MESSAGE, code_of, retry_after, screen_error
from adapters.slack.replies import notice, posts
from crag.errors import ScreenError
from crag.events import State
from crag.types import Reply
from crag.wording import STAGES

log = logging.getLogger(__name__)

STATUS_LIFE_S = 90.0
"""Slack takes a status away after two minutes; it is said again before."""
PIECE = 11_000
"""Characters of one append; Slack takes 12,000."""
_LIVE = re.compile(r"<(?=[!@#a-zA-Z/])")


@dataclass(frozen=True, slots=True)
class Where:
    """Where a reply goes. `thread` is the thread's ts, "" for a command outside; `question` is the message that is
    answered, "" where there is none; `asked` is then the question, which the bot writes down first; `link` names the
    message it came from; `response_url` is another way to tell the person something alone."""

    channel: str
    thread: str
    user: str
    team: str
    question: str = ""
    asked: str = ""
    link: str = ""
    response_url: str = ""


class SlackScreen:
    """A `crag.platform.Screen`. `pace_s` is the shortest time between two changes of what is shown."""

    def __init__(self, calls: Calls, where: Where, *, pace_s: float) -> None:
        self._calls = calls
        self._where = where
        self._thread = where.thread
        self._pace_s = pace_s
        self._stage = ""
        self._text = ""
        self._shown_stage = ""
        self._shown_at = 0.0
        self._sent = ""
        self._ts = ""  # the message that shows the reply so far
        self._streaming = False
        self._can_status = True
        self._can_stream = True
        self._quiet_until = 0.0
        self._ended = False
        self._opened = not where.asked
        self._drawing = asyncio.Lock()
        self._news = asyncio.Event()
        self._painter: asyncio.Task[None] | None = None

    async def stage(self, state: State) -> None:
        if words := STAGES.get(state):
            self._stage = words
            self._paint()

    async def piece(self, text: str) -> None:
        self._text = self._text + text if text else ""
        if not text:
            self._can_stream = False
        self._paint()

    async def reply(self, reply: Reply) -> None:
        async with self._last_words():
            await self._settle(posts(reply))

    async def notice(self, text: str) -> None:
        async with self._last_words():
            if not self._opened:
                where = self._where
                await self._calls.whisper(
                    where.channel, where.user, notice(text), thread=where.thread, response_url=where.response_url
                )
            else:
                await self._settle([notice(text)])

    # --- the settled reply

    @asynccontextmanager
    async def _last_words(self) -> AsyncIterator[None]:
        """Ends the painting, lets what is under way finish, and leaves no status behind."""
        self._ended = True
        async with self._drawing:
            if self._painter:
                self._painter.cancel()
                await asyncio.gather(self._painter, return_exceptions=True)
            try:
                yield
            finally:
                if self._shown_stage and not self._ts:
                    with suppress(*FAILURES):
                        await self._status("")

    async def _settle(self, shown: list[Post]) -> None:
        """In place of what is there, else as a new message; the rest below it."""
        first, *rest = shown
        if self._streaming:
            await self._end_stream()
        if self._ts:
            try:
                await self._calls.update(self._where.channel, self._ts, first)
            except SlackApiError as error:
                log.warning("a reply can't take the place of its draft and is posted anew: %s", error)
                self._ts = ""
        if not self._ts:
            await self._begin()
            self._ts = await self._post(first)
        for post in rest:
            await self._post(post)

    async def _begin(self) -> None:
        """Before the first message: the question must be there. A command has none, so the bot writes it down."""
        where = self._where
        if where.question:
            try:
                await self._calls.again(
                    lambda: self._calls.sure.chat_getPermalink(channel=where.channel, message_ts=where.question)
                )
            except SlackApiError as error:
                if code_of(error) in NO_MESSAGE:
                    raise ScreenError("The question was deleted, so its answer isn't shown.") from error
                raise screen_error(error) from error
        elif not self._opened:
            _, ts = await self._calls.post(where.channel, _asked(where), thread=where.thread)
            self._thread, self._opened = where.thread or ts, True

    async def _post(self, post: Post) -> str:
        _, ts = await self._calls.post(self._where.channel, post, thread=self._thread)
        return ts

    # --- what may be dropped

    def _paint(self) -> None:
        self._news.set()
        if self._painter is None and not self._ended:
            self._painter = asyncio.create_task(self._painting())

    async def _painting(self) -> None:
        while not self._ended:
            with suppress(TimeoutError):
                async with asyncio.timeout(STATUS_LIFE_S):
                    await self._news.wait()
            self._news.clear()
            async with self._drawing:
                if self._ended:
                    return
                try:
                    await self._draw()
                except (*FAILURES, ScreenError) as error:
                    self._quiet_until = time.monotonic() + retry_after(error)
                    log.info("a stage or a piece isn't shown: %s", code_of(error) or type(error).__name__)
            await asyncio.sleep(max(self._pace_s, self._quiet_until - time.monotonic()))

    async def _draw(self) -> None:
        if not self._opened:
            await self._begin()
        if self._text or self._sent:
            await self._draw_text()
        elif self._stage != self._shown_stage or time.monotonic() - self._shown_at > STATUS_LIFE_S:
            await self._draw_stage()

    async def _draw_stage(self) -> None:
        stage = self._stage
        if self._ts:
            await self._edit(_draft(f"_{escape(stage)} …_"))
        elif self._can_status:
            if not await self._status(f"is {stage[0].lower()}{stage[1:]} …"):
                self._can_status = False
                self._ts = await self._place(f"_{escape(stage)} …_")
        else:
            self._ts = await self._place(f"_{escape(stage)} …_")
        self._shown_stage, self._shown_at = stage, time.monotonic()

    async def _status(self, words: str) -> bool:
        """The line under the thread; False where Slack shows none here."""
        try:
            await self._calls.loose.assistant_threads_setStatus(
                channel_id=self._where.channel, thread_ts=self._thread, status=words
            )
        except SlackApiError as error:
            if retry_after(error):
                raise
            return False
        return True

    async def _draw_text(self) -> None:
        text = _LIVE.sub("<\u200b", self._text.removesuffix("<"))
        if text == self._sent:
            return
        if self._can_stream and text.startswith(self._sent):
            await self._stream(text)
        else:
            await self._draw_without_stream(text)

    async def _stream(self, text: str) -> None:
        more = text[len(self._sent) :][:PIECE]
        channel = self._where.channel
        try:
            if self._streaming:
                await self._calls.loose.chat_appendStream(channel=channel, ts=self._ts, markdown_text=more)
            elif self._ts:
                self._can_stream = False
                return await self._draw_without_stream(text)
            else:
                await self._begin()
                started = await self._calls.loose.chat_startStream(
                    channel=channel,
                    thread_ts=self._thread,
                    markdown_text=more,
                    recipient_user_id=self._where.user,
                    recipient_team_id=self._where.team,
                )
                self._ts, self._streaming = str(started["ts"]), True
        except FAILURES as error:
            if not retry_after(error):
                self._can_stream = False
            raise
        self._sent += more
        if self._sent != text:
            self._news.set()

    async def _draw_without_stream(self, text: str) -> None:
        if self._streaming:
            await self._end_stream()
        post = _written(self._text)
        if self._ts:
            await self._edit(post)
        else:
            await self._begin()
            self._ts = await self._post(post)
        self._sent = text

    async def _end_stream(self) -> None:
        """A stream that Slack ended by itself is over too."""
        self._streaming = False
        try:
            await self._calls.again(lambda: self._calls.sure.chat_stopStream(channel=self._where.channel, ts=self._ts))
        except SlackApiError as error:
            log.info("a stream was over: %s", code_of(error))

    async def _place(self, words: str) -> str:
        await self._begin()
        return await self._post(_draft(words))

    async def _edit(self, post: Post) -> None:
        await self._calls.loose.chat_update(
            channel=self._where.channel, ts=self._ts, text=post.text, blocks=list(post.blocks)
        )


def _draft(words: str) -> Post:
    return Post(words, (section(words),))


def _written(text: str) -> Post:
    """What is there of an answer, as far as one message holds it."""
    blocks = packed([[block] for block in body(text or "…")])[0]
    return Post(cut(escape(text or "…"), 2_900), tuple(blocks))


def _asked(where: Where) -> Post:
    """A question that a command asked, written down for all: its thread is the conversation."""
    about = f" about {link(where.link, 'this message')}" if where.link else ""
    words = cut(escape(where.asked), 2_900)
    blocks: tuple[Json, ...] = (
        section(words, block_id=f"{ASKED}:{where.user}"),
        context(f"asked by <@{where.user}>{about}"),
    )
    return Post(words, blocks)
