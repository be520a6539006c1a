"""The questions that are being worked on, so that none is dropped when Candor stops."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

log = logging.getLogger(__name__)
T = TypeVar("T")

SHOWING_S = 5.0
"""How much longer than the drain a reply that is being shown may take."""


class Ongoing:
    """Holds each question's task. `on_failure` is called for one that raised: a mistake of Candor's."""

    def __init__(self, on_failure: Callable[[], None]) -> None:
        self._on_failure = on_failure
        self._showing: dict[asyncio.Task[Any], bool] = {}
        self.stopped = asyncio.Event()

    @property
    def stopping(self) -> bool:
        return self.stopped.is_set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work, name="question")
        self._showing[task] = False
        task.add_done_callback(self._forget)
        return task

    async def follow(self, work: Coroutine[Any, Any, T], drained: T) -> T:
        """Start it and wait. One that `drain` cut off looks finished to whoever waits: it gives `drained`."""
        task = self.start(work)
        try:
            return await task
        except asyncio.CancelledError:
            if self.stopping and task.cancelled():
                return drained
            raise

    def shows(self) -> None:
        """The current task has its reply: don't cut it off."""
        if task := asyncio.current_task():
            self._showing[task] = True

    async def pause(self, seconds: float) -> bool:
        """Wait for so long; False, at once, when Candor stops."""
        try:
            async with asyncio.timeout(seconds):
                await self.stopped.wait()
        except TimeoutError:
            return True
        return False

    async def drain(self, seconds: float) -> None:
        """Let what runs finish in this time; then cancel the rest, replies that are being shown last."""
        self.stopped.set()
        await self._finished(seconds)
        for task in [task for task, showing in self._showing.items() if not showing]:
            task.cancel()
        await self._finished(SHOWING_S)
        for task in tuple(self._showing):
            task.cancel()
        await self._finished(1.0)

    async def _finished(self, within_s: float) -> None:
        if self._showing:
            await asyncio.wait(tuple(self._showing), timeout=within_s)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._showing.pop(task, None)
        if not task.cancelled() and (error := task.exception()):
            self._on_failure()
            log.error("a question failed", exc_info=error)
