"""Shows a job as it goes on: the newest view at a steady pace, and always the last one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from types import TracebackType

from crag.errors import CandorError
from crag.platform import JobView

log = logging.getLogger(__name__)

LAST_S = 60.0
"""The longest that showing the last view may take: a platform may ask for patience."""
GOING_S = 5.0
"""How long a view that is being shown may take until it is given up for the last one: two at once could swap."""

Show = Callable[[JobView], Awaitable[None]]


class Telling:
    """Set `view` as often as you like. What a platform can't show costs a view, never the job."""

    def __init__(self, show: Show, pace_s: float) -> None:
        self._show = show
        self._pace_s = pace_s
        self._view: JobView | None = None
        self._shown: JobView | None = None
        self._news = asyncio.Event()
        self._showing = asyncio.Lock()

    @property
    def view(self) -> JobView | None:
        return self._view

    @view.setter
    def view(self, view: JobView) -> None:
        self._view = view
        self._news.set()

    async def __aenter__(self) -> Telling:
        self._task = asyncio.create_task(self._tell(), name="telling of a job")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GOING_S), self._showing:
                self._task.cancel()
        self._task.cancel()
        await asyncio.wait([self._task])
        if self._view is not self._shown:
            try:
                async with asyncio.timeout(LAST_S):
                    await self._tell_now()
            except TimeoutError:
                log.warning("the end of a job could not be shown in %g s", LAST_S)

    async def _tell(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            await self._tell_now()
            await asyncio.sleep(self._pace_s)

    async def _tell_now(self) -> None:
        async with self._showing:
            if not (view := self._view):
                return
            try:
                await self._show(view)
            except CandorError as error:
                log.warning("a job's progress could not be shown: %s", error)
            except Exception:
                log.exception("a job's progress could not be shown")
            self._shown = view
