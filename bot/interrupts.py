"""Ctrl-C and SIGTERM: the running command is cancelled, everything it opened is closed, then the process ends."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

from bot.exits import Exit

T = TypeVar("T")


class Interrupts:
    """What a signal does now. `received` is the signal that ended the command, or None."""

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._command: asyncio.Task[Exit] | None = None
        self._question: asyncio.Future[Any] | None = None

    async def run(self, command: Coroutine[Any, Any, Exit]) -> Exit:
        """Run a command to its end, or to a signal's."""
        loop = asyncio.get_running_loop()
        self._command = asyncio.create_task(command, name="command")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._on_signal, number)
        try:
            return await self._command
        except asyncio.CancelledError:
            return Exit.INTERRUPTED if self.received in (None, signal.SIGINT) else Exit.TERMINATED

    async def question(self, answer: Awaitable[T]) -> T | None:
        """Await an answer that Ctrl-C stops without ending the command; None if it was stopped."""
        asked = asyncio.ensure_future(answer)
        self._question = asked
        try:
            return await asked
        except asyncio.CancelledError:
            if self.received is not None:
                raise
            return None
        finally:
            self._question = None

    def _on_signal(self, number: signal.Signals) -> None:
        if number == signal.SIGINT and self._question is not None:
            self._question.cancel()
            return
        if self.received is None and self._command is not None:
            self.received = number
            self._command.cancel()
