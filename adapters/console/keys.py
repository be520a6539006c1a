"""Keys that are pressed while a status line is drawn over and over: their echo would tear the line."""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Callable


def unechoed() -> Callable[[], None]:
    """The terminal that is typed on shows no keys until the function that is returned is called; whoever reads next
    gets them. Ctrl-C works. Nothing is done where there is no terminal, or another program has it."""
    try:
        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
    except (OSError, ValueError, termios.error):
        return lambda: None
    if _in_background(descriptor):
        return lambda: None
    quiet = termios.tcgetattr(descriptor)
    quiet[3] &= ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSANOW, quiet)
    return lambda: _restore(descriptor, before)


def _restore(descriptor: int, before: list[object]) -> None:
    if not _in_background(descriptor):
        termios.tcsetattr(descriptor, termios.TCSANOW, before)  # type: ignore[arg-type]


def _in_background(descriptor: int) -> bool:
    """Then changing the terminal would stop this process (SIGTTOU)."""
    try:
        return os.tcgetpgrp(descriptor) != os.getpgrp()
    except OSError:
        return False  # it controls no process, so it stops none
