"""What shows before the reply is settled: a status that names the stage (or a placeholder where Slack shows none), then
the answer as it is written - as a stream, or by edits. A task paints it at Slack's pace; all of it may be dropped."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from slack_sdk.errors import SlackApiError

from adapters.slack.blocks import FALLBACK, Post, body, packed, section
from adapters.slack.calls import Calls
from adapters.slack.ids import DRAFT
from adapters.slack.mrkdwn import cut, escape
from adapters.slack.refusals import FAILURES, code_of, is_unclear, retry_after
from adapters.slack.thread import Thread
from crag.errors import ScreenError

log = logging.getLogger(__name__)

STATUS_LIFE_S = 90.0
"""Slack takes a status away after two minutes; it is said again before."""
CLOCKS_S = 60.0
"""How far this machine's clock may be ahead of Slack's."""
PIECE = 11_000
"""Characters of one append; Slack takes 12,000."""
_LIVE = re.compile(r"<(?=[!@#a-zA-Z/])")


class Draft:
    """`ts` is the message that shows it, "" while there is none. `pace_s` is the shortest time between two changes."""

    def __init__(self, calls: Calls, thread: Thread, *, pace_s: float) -> None:
        self._calls = calls
        self._thread = thread
        self._pace_s = pace_s
        self._stage = ""
        self._text = ""
        self._shown_stage = ""
        self._shown_at = 0.0
        self._sent = ""
        self._streaming = False
        self._can_status = True
        self._can_stream = True
        self._quiet_until = 0.0
        self._ended = False
        self._drawing = asyncio.Lock()
        self._news = asyncio.Event()
        self._painter: asyncio.Task[None] | None = None
        self.ts = ""

    @property
    def shown(self) -> str:
        """What people saw of the answer so far."""
        return self._sent.replace("\u200b", "")

    def stage(self, words: str) -> None:
        self._stage = words
        self._paint()

    def piece(self, text: str) -> None:
        """ "" drops what was shown. A stream can't take anything back, so edits go on from there."""
        self._text = self._text + text if text else ""
        self._can_stream = self._can_stream and bool(text)
        self._paint()

    @asynccontextmanager
    async def ended(self) -> AsyncIterator[None]:
        """No more is painted; what is under way has finished. No status stays behind, unless a message ended it."""
        self._ended = True
        async with self._drawing:
            if self._painter:
                self._painter.cancel()
                await asyncio.gather(self._painter, return_exceptions=True)
            try:
                yield
            finally:
                if self._shown_stage and not self.ts:
                    with suppress(*FAILURES):
                        await self._thread.status("")

    async def end_stream(self) -> None:
        """Before its message can be edited. A stream that Slack ended by itself is over too."""
        if not self._streaming:
            return
        self._streaming = False
        try:
            await self._calls.again(lambda: self._calls.sure.chat_stopStream(channel=self._thread.channel, ts=self.ts))
        except SlackApiError as error:
            log.info("a stream was over: %s", code_of(error))

    def settled(self, *, in_place: bool) -> None:
        """A reply or a notice stands there, which ended the status; `in_place`: its message is the draft's no more."""
        self._shown_stage = ""
        if in_place:
            self.ts = ""

    async def drop(self) -> None:
        """Nobody checked it, so it goes. What can't be reached stays."""
        if self.ts:
            ts, self.ts, self._streaming = self.ts, "", False
            await self._calls.remove(self._thread.channel, ts)

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
        await self._thread.resume()
        if not self._thread.opened:
            await self._thread.begin()
        if self._text or self._sent:
            await self._draw_text()
        elif self._stage != self._shown_stage or time.monotonic() - self._shown_at > STATUS_LIFE_S:
            await self._draw_stage()

    async def _draw_stage(self) -> None:
        stage = self._stage
        if not self.ts and self._can_status:
            self._can_status = await self._thread.status(f"is {stage[0].lower()}{stage[1:]} …")
        if self.ts or not self._can_status:
            words = f"_{escape(stage)} …_"
            await self._write(Post(words, (section(words, block_id=DRAFT),)))
        self._shown_stage, self._shown_at = stage, time.monotonic()

    async def _draw_text(self) -> None:
        text = _LIVE.sub("<\u200b", self._text.removesuffix("<"))
        if text == self._sent:
            return
        if self._can_stream and text.startswith(self._sent) and (self._streaming or not self.ts):
            await self._stream(text)
            return
        self._can_stream = False
        await self.end_stream()
        await self._write(_written(self._text))
        self._sent = text

    async def _stream(self, text: str) -> None:
        more = text[len(self._sent) :][:PIECE]
        try:
            await (self._append(more) if self._streaming else self._start(more))
        except FAILURES as error:
            self._can_stream = bool(retry_after(error))
            self._news.set()
            raise
        self._sent += more
        if self._sent != text:
            self._news.set()

    async def _start(self, more: str) -> None:
        where = self._thread.where
        await self._thread.begin()
        since = time.time() - CLOCKS_S
        try:
            started = await self._calls.loose.chat_startStream(
                channel=where.channel,
                thread_ts=self._thread.ts,
                markdown_text=more,
                recipient_user_id=where.user,
                recipient_team_id=where.team,
            )
            self.ts = str(started["ts"])
        except FAILURES as error:
            if not is_unclear(error):
                raise
            self.ts = await self._calls.begun(where.channel, self._thread.ts, since, more[:40])
            if not self.ts:
                raise
        self._streaming = True

    async def _append(self, more: str) -> None:
        await self._calls.loose.chat_appendStream(channel=self._thread.channel, ts=self.ts, markdown_text=more)

    async def _write(self, post: Post) -> None:
        """As a message, or in place of the one that is there."""
        if not self.ts:
            await self._thread.begin()
            self.ts = await self._thread.post(post)
            return
        await self._calls.loose.chat_update(
            channel=self._thread.channel, ts=self.ts, text=post.text, blocks=list(post.blocks)
        )


def _written(text: str) -> Post:
    """What is there of an answer, as far as one message holds it."""
    first, *more = packed([[block] for block in body(text or "…")])[0]
    return Post(cut(escape(text or "…"), FALLBACK), ({**first, "block_id": DRAFT}, *more))
