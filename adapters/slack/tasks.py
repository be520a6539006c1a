"""Work that no acknowledgement waits for: each task is kept, its failure logged, and all are drained at the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Tasks:
    """The running tasks of one bot."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)

    async def drain(self, within_s: float) -> None:
        """Wait for all, at most `within_s`; then stop the rest."""
        if self._running:
            await asyncio.wait(self._running, timeout=within_s)
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a Slack event's work failed: %s", error, exc_info=error)
