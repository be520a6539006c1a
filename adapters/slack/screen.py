"""One question's reply on Slack: a draft while the bot works, then the settled reply in its place."""

from __future__ import annotations

import logging

from slack_sdk.errors import SlackApiError

from adapters.slack.blocks import Post
from adapters.slack.calls import Calls
from adapters.slack.draft import Draft
from adapters.slack.replies import notice, posts
from adapters.slack.thread import Thread, Where
from crag.errors import ScreenError
from crag.events import State
from crag.types import Reply
from crag.wording import STAGES

log = logging.getLogger(__name__)


class SlackScreen:
    """A `crag.platform.Screen`. `pace_s` is the shortest time between two changes of the draft;
    `humans` says whether there is a channel for "Ask a human"."""

    def __init__(self, calls: Calls, where: Where, *, pace_s: float, humans: bool) -> None:
        self._calls = calls
        self._humans = humans
        self._thread = Thread(calls, where)
        self._draft = Draft(calls, self._thread, pace_s=pace_s)

    async def stage(self, state: State) -> None:
        if words := STAGES.get(state):
            self._draft.stage(words)

    async def piece(self, text: str) -> None:
        self._draft.piece(text)

    async def reply(self, reply: Reply) -> None:
        async with self._draft.ended():
            await self._settle(posts(reply, humans=self._humans))

    async def notice(self, text: str) -> None:
        """In the thread; to the person alone where a command is refused before its question stands anywhere."""
        async with self._draft.ended():
            if self._thread.opened:
                await self._settle([notice(text)], look=False)
            else:
                await self._thread.whisper(notice(text))

    async def close(self) -> None:
        """Paint no more, whether or not there was a reply."""
        async with self._draft.ended():
            return

    async def _settle(self, shown: list[Post], *, look: bool = True) -> None:
        """In place of the draft, else as a new message; the rest below it."""
        first, *rest = shown
        draft = self._draft
        await draft.end_stream()
        if draft.ts:
            try:
                await self._calls.update(self._thread.channel, draft.ts, first)
            except SlackApiError as error:
                log.warning("a reply can't take the place of its draft and is posted anew: %s", error)
                draft.ts = ""
        if not draft.ts:
            try:
                await self._thread.begin(look=look)
            except ScreenError as error:
                await self._alone(shown, error)
                return
            draft.ts = await self._thread.post(first)
        for post in rest:
            await self._thread.post(post)

    async def _alone(self, shown: list[Post], error: ScreenError) -> None:
        """A command works where the bot isn't; then only the one who asked can be answered."""
        if self._thread.opened:
            raise error
        log.info("a command's reply is for its asker alone: %s", error)
        for post in shown:
            await self._thread.whisper(post)
