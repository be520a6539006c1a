"""Shows a page that changes often, at the platform's pace."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable

from adapters.discord.errands import Errands
from adapters.discord.pages import Page
from crag.errors import ScreenError

log = logging.getLogger(__name__)

SHOW_S = 10.0
"""The longest that one change may take; then it is dropped, for the next one is on its way."""


class Painter:
    """Takes a page at any time and shows the newest: the first at once, the next `pace_s` after the last. One that
    can't be shown is dropped."""

    def __init__(self, show: Callable[[Page], Awaitable[None]], errands: Errands, pace_s: float) -> None:
        self._show = show
        self._errands = errands
        self._pace_s = pace_s
        self._next: Page | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopped = asyncio.Event()

    def put(self, page: Page) -> None:
        if self._stopped.is_set():
            return
        self._next = page
        if self._task is None or self._task.done():
            self._task = self._errands.start(self._paint(), "painting")

    async def stop(self) -> None:
        """Show nothing more; returns when what is under way has arrived."""
        self._next = None
        self._stopped.set()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _paint(self) -> None:
        while (page := self._next) is not None:
            self._next = None
            try:
                async with asyncio.timeout(SHOW_S):
                    await self._show(page)
            except (ScreenError, TimeoutError) as error:
                log.debug("a stage was not shown: %s", error)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), self._pace_s)
