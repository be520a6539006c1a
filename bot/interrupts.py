"""Ctrl-C and SIGTERM: the running command is cancelled, everything it opened is closed, then the process ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from bot.exits import Exit

T = TypeVar("T")

LATE_S = 0.5
"""A Ctrl-C so soon after a question's end was meant for that question."""


@contextmanager
def alone() -> Iterator[None]:
    """Ctrl-C reaches this process only, and not the one that started it and waits for its end, such as make: that one
    would fail in the end, whatever the key was meant for. Ctrl-Z does nothing meanwhile, as nobody could go on from it.
    Nothing changes where nobody stands between, or no terminal is typed on."""
    try:
        terminal = sys.stdin.fileno()
        group = os.tcgetpgrp(terminal)
    except (OSError, ValueError):
        group = 0
    if group in (0, os.getpid()) or group != os.getpgrp():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGTTOU, signal.SIGTSTP)}
    try:
        os.setpgid(0, 0)
        os.tcsetpgrp(terminal, os.getpid())
        yield
    finally:
        with suppress(OSError):  # where it has ended meanwhile
            os.setpgid(0, group)
            os.tcsetpgrp(terminal, group)
        for number, handler in before.items():
            signal.signal(number, handler)


class Interrupts:
    """What a signal does now. `received` is the signal that ended the command, or None."""

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._command: asyncio.Task[Exit] | None = None
        self._question: asyncio.Future[Any] | None = None
        self._stopped = False
        self._ended = float("-inf")

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
        """Await an answer that Ctrl-C stops without ending the command; None if it was stopped, also where that came
        just as the answer was ready."""
        asked = asyncio.ensure_future(answer)
        self._question, self._stopped = asked, False
        try:
            found = await asked
            return None if self._stopped else found
        except asyncio.CancelledError:
            if self.received is not None:
                raise
            return None
        finally:
            self._question, self._ended = None, time.monotonic()

    def _on_signal(self, number: signal.Signals) -> None:
        if number == signal.SIGINT and self._question is not None:
            self._stopped = True
            self._question.cancel()
            return
        if number == signal.SIGINT and time.monotonic() - self._ended < LATE_S:
            return
        if self.received is None and self._command is not None:
            self.received = number
            self._command.cancel()
