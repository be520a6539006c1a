"""One question's reply on Slack: a draft while the bot works, then the settled reply in its place."""

from __future__ import annotations

import asyncio
import logging

from slack_sdk.errors import SlackApiError

from adapters.slack.blocks import Post
from adapters.slack.calls import Calls
from adapters.slack.draft import Draft
from adapters.slack.refusals import FAILURES
from adapters.slack.replies import notice, posts
from adapters.slack.thread import STATUS_S, Thread, Where
from crag import wording
from crag.errors import ScreenError
from crag.events import State
from crag.types import Reply

log = logging.getLogger(__name__)


class SlackScreen:
    """A `crag.platform.Screen`. `pace_s` is the shortest time between two changes of the draft;
    `humans` says whether there is a channel for "Ask a human"."""

    def __init__(self, calls: Calls, where: Where, *, pace_s: float, humans: bool) -> None:
        self._calls = calls
        self._humans = humans
        self._thread = Thread(calls, where)
        self._draft = Draft(calls, self._thread, pace_s=pace_s)

    async def wait(self) -> None:
        """A sign of life before it is known whether the question may be asked: in its thread, else to its asker alone,
        since a question that is refused isn't written down."""
        if self._thread.opened:
            await self.stage(State.RECEIVED)
            return
        try:
            async with asyncio.timeout(STATUS_S):
                await self._thread.whisper(notice(wording.MOMENT))
        except (*FAILURES, ScreenError) as error:
            log.info("a sign of life isn't shown: %s", error)

    async def stage(self, state: State) -> None:
        if words := wording.STAGES.get(state):
            self._draft.stage(words)

    async def piece(self, text: str) -> None:
        self._draft.piece(text)

    async def reply(self, reply: Reply) -> None:
        async with self._draft.ended():
            await self._thread.resume()
            if self._thread.answered:
                log.info("an earlier process has shown the reply already")
                return
            shown, mark = posts(reply, humans=self._humans, shown=self._draft.shown), self._thread.where.mark
            await self._settle(shown, mark=mark)

    async def notice(self, text: str) -> None:
        """In the thread; to the person alone where a command is refused before its question stands anywhere."""
        async with self._draft.ended():
            await self._thread.resume()
            if self._thread.opened:
                await self._settle([notice(text)], look=False)
            else:
                await self._thread.whisper(notice(text))

    async def close(self) -> None:
        """Paint no more; a draft that nothing took the place of goes."""
        async with self._draft.ended():
            await self._draft.drop()

    async def _settle(self, shown: list[Post], *, look: bool = True, mark: str = "") -> None:
        """In place of the draft, else as new messages; then the draft goes, whether or not those could be posted. The
        last one bears the mark."""
        marks = [*[""] * (len(shown) - 1), mark]
        try:
            in_its_place = await self._replaced(shown[0], marks[0])
            if not in_its_place:
                try:
                    await self._thread.begin(look=look)
                except ScreenError as error:
                    await self._alone(shown, error)
                    return
            for post, bears in [*zip(shown, marks, strict=True)][in_its_place:]:
                await self._thread.post(post, bears)
                self._draft.settled(in_place=False)
        finally:
            await self._draft.drop()

    async def _replaced(self, first: Post, mark: str) -> bool:
        draft = self._draft
        await draft.end_stream()
        if not draft.ts:
            return False
        try:
            await self._calls.update(self._thread.channel, draft.ts, first, mark)
        except SlackApiError as error:
            log.warning("a reply can't take the place of its draft and is posted anew: %s", error)
            return False
        draft.settled(in_place=True)
        return True

    async def _alone(self, shown: list[Post], error: ScreenError) -> None:
        """A command works where the bot isn't; then only the one who asked can be answered."""
        if self._thread.opened:
            raise error
        log.info("a command's reply is for its asker alone: %s", error)
        for post in shown:
            await self._thread.whisper(post)
