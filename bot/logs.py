"""The log, on standard error: one record a line; for people as text that is safe to look at in a terminal, for programs
as JSON. Secrets are blacked out. What is logged while a question is being answered carries its id."""

from __future__ import annotations

import copy
import json
import logging
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType

from adapters.console.safe import safe, safe_line
from bot.redaction import redact

CHATTY = ("httpx", "discord")
"""Libraries that log each request, or each step of their connection, at INFO."""

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
_about: ContextVar[str] = ContextVar("about", default="")


@contextmanager
def about(id: str) -> Iterator[None]:
    """What is logged inside, also by tasks that are started inside, carries this id."""
    token = _about.set(id)
    try:
        yield
    finally:
        _about.reset(token)


def say(level: int, text: str) -> None:
    """Log what the person who started Candor is told, whatever is logged else."""
    logger = logging.getLogger("candor")
    logger.handle(logger.makeRecord(logger.name, level, "", 0, text, (), None))


class _Formatter(logging.Formatter):
    def __init__(self, *, tracebacks: bool, secrets: Collection[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S")
        self._tracebacks = tracebacks
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        record = copy.copy(record)
        record.exc_text = None  # another handler may have put its traceback there
        record.msg, record.args = f"{_prefix(record)}{record.getMessage()}", None
        text = redact(super().format(record), self._secrets)
        return safe(text) if self._tracebacks else safe_line(text)

    def formatException(self, ei: _ExcInfo) -> str:
        return super().formatException(ei) if self._tracebacks else f"{type(ei[1]).__name__}: {ei[1]}"


class _Json(_Formatter):
    def format(self, record: logging.LogRecord) -> str:
        data = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": redact(record.getMessage(), self._secrets),
        }
        if id := _id(record):
            data["id"] = id
        if record.exc_info and record.exc_info[1]:
            data["error"] = redact(self.formatException(record.exc_info), self._secrets)
        return json.dumps(data, ensure_ascii=False)


class _Handler(logging.StreamHandler):  # type: ignore[type-arg]
    def emit(self, record: logging.LogRecord) -> None:
        record.about = _about.get()
        super().emit(record)


def _id(record: logging.LogRecord) -> str:
    return str(getattr(record, "about", ""))


def _prefix(record: logging.LogRecord) -> str:
    return f"[{id}] " if (id := _id(record)) else ""


@contextmanager
def logging_to_stderr(level: str, *, structured: bool = False, secrets: Collection[str] = ()) -> Iterator[None]:
    """Log from this level on, as JSON where `structured`. A traceback is written at DEBUG only: elsewhere its last line
    says enough."""
    handler = _Handler(sys.stderr)
    handler.setFormatter((_Json if structured else _Formatter)(tracebacks=level == "DEBUG", secrets=secrets))
    root = logging.getLogger()
    quiet = {logging.getLogger(name): "WARNING" for name in CHATTY} if level == "INFO" else {}
    levels = {root: level, **quiet}
    before = {logger: logger.level for logger in levels}
    root.addHandler(handler)
    for logger, wanted in levels.items():
        logger.setLevel(wanted)
    try:
        yield
    finally:
        root.removeHandler(handler)
        for logger, old in before.items():
            logger.setLevel(old)
