"""Slack's Web API with the rules of the house: 429 is waited for, messages of a channel go out in order, and what may
have been posted already is looked for before it is posted again."""

from __future__ import annotations

import asyncio
import html
import logging
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from adapters.slack.blocks import SECTION, Json, Post, plain
from adapters.slack.mrkdwn import cut
from adapters.slack.refusals import FAILURES, NO_MESSAGE, TOO_MUCH, code_of, is_unclear, screen_error
from crag.errors import ScreenError

log = logging.getLogger(__name__)
T = TypeVar("T")

CALL_S = 10.0
"""The longest that one request may take."""
RATE_RETRIES = 10
PAUSES_S = (0.5, 2.0, 5.0)
"""Before each new try of what failed without a clear answer."""
LOOK_BACK_S = 120.0
MARK = "~"
"""In the first block's id of all that the bot posts or settles; Slack's own ids have none."""
PLAIN = "(Slack didn't take the layout of this message.)"
"""At the end of a message that is text alone: there it is the mark."""
SLACK = "https://slack.com/api/"


class Calls:
    """`sure` waits where Slack says 429; `loose` doesn't: it is for what may be dropped."""

    def __init__(
        self, session: aiohttp.ClientSession, token: str, api_url: str, pauses_s: tuple[float, ...] = PAUSES_S
    ) -> None:
        base = api_url or SLACK
        base = base if base.endswith("/") else f"{base}/"
        patient = [AsyncRateLimitErrorRetryHandler(max_retry_count=RATE_RETRIES)]
        self.sure = AsyncWebClient(token, base, session=session, retry_handlers=list(patient), logger=log)
        self.loose = AsyncWebClient(token, base, session=session, retry_handlers=[], logger=log)
        self._session = session
        self._pauses_s = pauses_s
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def post(self, channel: str, post: Post, *, thread: str = "", mark: str = "") -> tuple[str, str]:
        """Post once, with a mark of its own unless one is given. Returns the channel (that of a direct message, for a
        user's id) and the ts. Raises ScreenError, also where the thread's parent was deleted meanwhile: then nothing
        stays at the channel's root."""
        nonce = mark or uuid.uuid4().hex[:12]
        shapes = _shapes(post, nonce)
        text, blocks = next(shapes)
        async with self._turn(channel):
            for pause in (*self._pauses_s, None):
                try:
                    return await self._posted(channel, text, blocks, thread)
                except FAILURES as error:
                    if code_of(error) in TOO_MUCH and (simpler := next(shapes, None)):
                        log.error("Slack refused the blocks of a message, it goes in plain words: %s", error)
                        text, blocks = simpler
                        continue
                    if pause is None or not is_unclear(error):
                        raise screen_error(error) from error
                await asyncio.sleep(pause)
                if found := await self._found(channel, thread, nonce if blocks else text):
                    return channel, found
        raise ScreenError("Slack refused the message, even as plain text.")

    async def _posted(self, channel: str, text: str, blocks: list[Json], thread: str) -> tuple[str, str]:
        answer = await self.sure.chat_postMessage(
            channel=channel,
            text=text,
            blocks=blocks,
            thread_ts=thread or None,
            unfurl_links=False,
            unfurl_media=False,
        )
        where, ts = str(answer["channel"]), str(answer["ts"])
        if thread and not (answer.get("message") or {}).get("thread_ts"):
            with suppress(*FAILURES):
                await self.sure.chat_delete(channel=where, ts=ts)
            raise ScreenError("The question was deleted, so its answer isn't shown.")
        return where, ts

    async def _found(self, channel: str, thread: str, mark: str) -> str:
        """The ts of the message with this nonce, or text, "" if it isn't there: better to look than to post twice."""
        since = f"{time.time() - LOOK_BACK_S:.6f}"
        try:
            if thread:
                answer = await self.sure.conversations_replies(channel=channel, ts=thread, oldest=since, limit=200)
            else:
                answer = await self.sure.conversations_history(channel=channel, oldest=since, limit=100)
        except FAILURES as error:
            log.warning("can't look whether a message was posted: %s", error)
            return ""
        for message in answer["messages"]:
            ids = [str(block.get("block_id", "")) for block in message.get("blocks") or []]
            if message.get("text") == mark or any(block_id.endswith(f"{MARK}{mark}") for block_id in ids):
                return str(message["ts"])
        return ""

    async def begun(self, channel: str, thread: str, since: float, words: str) -> str:
        """The ts of a bot's message that begins with these words, "" if there is none: a stream may have begun without
        an answer, and a draft that nobody settles must not stay."""
        try:
            answer = await self.loose.conversations_replies(
                channel=channel, ts=thread, oldest=f"{since:.6f}", limit=200
            )
        except FAILURES as error:
            log.warning("can't look whether a stream has begun: %s", error)
            return ""
        mine = (m for m in answer["messages"] if m.get("bot_id") and str(m.get("text")).startswith(words))
        return next((str(message["ts"]) for message in mine), "")

    async def update(self, channel: str, ts: str, post: Post, mark: str = "") -> None:
        """Replace a message's content. Raises SlackApiError where Slack refuses, ScreenError where it is silent."""
        blocks = _marked(post.blocks, mark or uuid.uuid4().hex[:12])
        await self.again(lambda: self.sure.chat_update(channel=channel, ts=ts, text=post.text, blocks=blocks))

    async def remove(self, channel: str, ts: str) -> None:
        """Take away what nobody checked, a stream too. Where Slack won't, the log says so."""
        with suppress(*FAILURES):
            await self.loose.chat_stopStream(channel=channel, ts=ts)
        try:
            await self.again(lambda: self.sure.chat_delete(channel=channel, ts=ts))
        except (SlackApiError, ScreenError) as error:
            if code_of(error) not in NO_MESSAGE:
                log.error("the draft %s in %s can't be taken away: %s", ts, channel, error)

    async def again(self, call: Callable[[], Awaitable[T]]) -> T:
        """For calls that may be repeated. Raises SlackApiError where Slack refuses, ScreenError where it is silent."""
        for pause in (*self._pauses_s, None):
            try:
                return await call()
            except FAILURES as error:
                if isinstance(error, SlackApiError) and not is_unclear(error):
                    raise
                if pause is None:
                    raise screen_error(error) from error
            await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    async def whisper(self, channel: str, user: str, post: Post, *, thread: str = "", response_url: str = "") -> None:
        """Show something to one person: in the channel, else by the address that came with the command. Raises
        ScreenError where neither works."""
        try:
            await self.again(
                lambda: self.sure.chat_postEphemeral(
                    channel=channel, user=user, text=post.text, blocks=list(post.blocks), thread_ts=thread or None
                )
            )
        except (SlackApiError, ScreenError) as error:
            if not response_url:
                raise screen_error(error) from error
            await self._respond(response_url, post)

    async def _respond(self, response_url: str, post: Post) -> None:
        webhook = AsyncWebhookClient(response_url, session=self._session, retry_handlers=[], logger=log)
        try:
            answer = await webhook.send(text=post.text, blocks=list(post.blocks), response_type="ephemeral")
        except FAILURES as error:
            raise screen_error(error) from error
        if answer.status_code != 200:
            raise ScreenError(f"Slack refused the message: {answer.body}.")

    @asynccontextmanager
    async def _turn(self, channel: str) -> AsyncIterator[None]:
        """One message of a channel after the other, in the order they were asked for."""
        lock = self._turns.setdefault(channel, asyncio.Lock())
        async with lock:
            yield


def _shapes(post: Post, nonce: str) -> Iterator[tuple[str, list[Json]]]:
    """Text and blocks: as it is meant; all its words in one block, which carries the mark too; its text alone."""
    first, *_ = blocks = _marked(post.blocks, nonce)
    yield post.text, blocks
    words = "\n".join(block["text"]["text"] for block in blocks if block["type"] in ("header", "section"))
    shown = plain(cut(html.unescape(words or post.text), SECTION))
    yield post.text, [{"type": "section", "text": shown, "block_id": first["block_id"]}]
    yield f"{post.text}\n{PLAIN}", []


def _marked(blocks: tuple[Json, ...], nonce: str) -> list[Json]:
    """The first block's id carries a mark by which the message can be found again."""
    first: dict[str, Any] = dict(blocks[0])
    first["block_id"] = f"{str(first.get('block_id', 'first')).split(MARK)[0]}{MARK}{nonce}"
    return [first, *blocks[1:]]
