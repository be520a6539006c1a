"""Passes the engine's events to a screen without making the engine wait: a slow platform costs steps, not time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from types import TracebackType

from crag.errors import ScreenError
from crag.events import Event, Piece, Restart, Stage, State
from crag.platform import Screen

log = logging.getLogger(__name__)

GOING_S = 2.0
"""How long a step that is being shown may take when the reply is there: the reply must not be overtaken by it."""
_OVER = frozenset({State.ANSWERED, State.ABSTAINED, State.COURTESY})


class Showing:
    """A Listener, and a context around the engine's work. What waits to be shown is merged: of several stages the last,
    pieces as one; a restart drops the pieces before it."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._waiting: list[Event] = []
        self._news = asyncio.Event()
        self._busy = asyncio.Lock()

    def __call__(self, event: Event) -> None:
        last = self._waiting[-1] if self._waiting else None
        match event, last:
            case Stage(state), _ if state in _OVER:
                return
            case Stage(), Stage():
                self._waiting[-1] = event
            case Piece(text), Piece(before):
                self._waiting[-1] = Piece(before + text)
            case Restart(), _:
                self._waiting = [*(one for one in self._waiting if isinstance(one, Stage)), event]
            case _:
                self._waiting.append(event)
        self._news.set()

    async def __aenter__(self) -> Showing:
        self._task = asyncio.create_task(self._show(), name="showing")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._waiting.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GOING_S), self._busy:
                self._task.cancel()
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _show(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            while self._waiting:
                async with self._busy:
                    await self._step(self._waiting.pop(0))

    async def _step(self, event: Event) -> None:
        try:
            match event:
                case Stage(state):
                    await self._screen.stage(state)
                case Piece(text):
                    await self._screen.piece(text)
                case Restart():
                    await self._screen.piece("")
        except ScreenError as error:
            log.debug("a step was not shown: %s", error)
        except Exception:
            log.exception("a step was not shown")
