"""One question's reply: stages and pieces at Discord's pace, then the settled pages in their place."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence

from adapters.discord import replies
from adapters.discord.errands import Errands
from adapters.discord.failures import CLOSED, Refused
from adapters.discord.pages import Page, notice
from adapters.discord.painter import Painter
from adapters.discord.surfaces import Surface
from crag.errors import ScreenError
from crag.events import State
from crag.types import Reply
from crag.wording import STAGES

log = logging.getLogger(__name__)

PACE_S = 1.2
"""Between two edits: Discord takes five in five seconds, for all that happens in one channel."""
Elsewhere = Callable[[], Awaitable[None]]
"""Tells the asker in another place that the thread is closed. Raises ScreenError where that can't be."""


class DiscordScreen:
    """Satisfies crag.platform.Screen. `humans`: whether there is a channel for "Ask a human"."""

    def __init__(
        self, surface: Surface, errands: Errands, elsewhere: Elsewhere | None = None, *, humans: bool = True
    ) -> None:
        self._surface = surface
        self._elsewhere = elsewhere
        self._humans = humans
        self._painter = Painter(surface.show, errands, PACE_S)
        self._state: State | None = None
        self._written = ""
        self._settled = False

    async def stage(self, state: State) -> None:
        if self._state is None or state in STAGES:
            self._state = state
            self._painter.put(replies.working(state, self._written))

    async def piece(self, text: str) -> None:
        self._written = self._written + text if text else ""
        self._painter.put(replies.working(self._state, self._written))

    async def reply(self, reply: Reply) -> None:
        await self._settle(replies.pages(reply, shown=self._written, humans=self._humans))

    async def notice(self, text: str) -> None:
        await self._settle([notice(text)])

    async def withdraw(self) -> None:
        """Take the sign of life back, where the desk had nothing to say: the question was asked before."""
        if self._settled:
            return
        await self._painter.stop()
        await self._surface.drop()

    async def _settle(self, pages: Sequence[Page]) -> None:
        self._settled = True
        await self._painter.stop()
        try:
            await self._surface.show(pages[0])
            for page in pages[1:]:
                await self._surface.add(page)
        except Refused as refused:
            if refused.code not in CLOSED or self._elsewhere is None:
                raise
            log.info("the thread is closed: telling the asker elsewhere")
            try:
                await self._elsewhere()
            except ScreenError:
                raise refused from None
