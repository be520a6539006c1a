"""The log, on standard error: one line a record, safe to look at in a terminal."""

from __future__ import annotations

import copy
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from adapters.console.safe import safe, safe_line

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class _Formatter(logging.Formatter):
    def __init__(self, *, tracebacks: bool) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S")
        self._tracebacks = tracebacks

    def format(self, record: logging.LogRecord) -> str:
        record = copy.copy(record)
        record.exc_text = None  # another handler may have put its traceback there
        text = super().format(record)
        return safe(text) if self._tracebacks else safe_line(text)

    def formatException(self, ei: _ExcInfo) -> str:
        return super().formatException(ei) if self._tracebacks else f"{type(ei[1]).__name__}: {ei[1]}"


@contextmanager
def logging_to_stderr(level: str) -> Iterator[None]:
    """Log from this level on. A traceback is written at DEBUG only: elsewhere its last line says enough."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(tracebacks=level == "DEBUG"))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(level)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
