"""The line of questions: a few are answered at once, a few more wait, and one too many is told so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Full(Exception):
    """No place is left, or waiting took too long. `waiting` are those in the line."""

    def __init__(self, waiting: int) -> None:
        super().__init__(f"{waiting} are waiting")
        self.waiting = waiting


class Line:
    """`at_once` have a turn at the same time, `places` wait in order, for at most `patience_s`."""

    def __init__(self, *, at_once: int, places: int, patience_s: float) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._places = places
        self._patience_s = patience_s
        self.waiting = 0
        self.running = 0

    @property
    def full(self) -> bool:
        return self._free.locked() and self.waiting >= self._places

    @asynccontextmanager
    async def turn(self, *, always: bool = False) -> AsyncIterator[None]:
        """Wait for a turn and have it. Raises Full, at once where no place is left; with `always` never."""
        if self.full and not always:
            raise Full(self.waiting)
        self.waiting += 1
        try:
            async with asyncio.timeout(None if always else self._patience_s):
                await self._free.acquire()
        except TimeoutError:
            raise Full(self.waiting - 1) from None
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self._free.release()
