"""Fixtures for all tests."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable

import pytest

from adapters.binaries import WEAVIATE, obtain
from crag.errors import ServiceError
from tests.servers.language_models import CACHE, PLUMBING, ModelMissing, gguf
from tests.servers.ollama import ollama
from tests.servers.ollama_program import ollama_program
from tests.servers.weaviate import weaviate_collection, weaviate_server

__all__ = ["ollama", "weaviate_collection", "weaviate_server"]


def pytest_configure() -> None:
    """A shell's background job ignores Ctrl-C, and so would every process that a test starts and interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Get the servers' programs before the first test: a download or a build takes longer than a test may. What can't
    be had is said by each test that wants it."""
    if session.config.option.collectonly:
        return
    tell = _seldom(session.config.get_terminal_writer().line)
    wanted = {mark.name for item in session.items for mark in item.iter_markers()}
    with contextlib.suppress(ServiceError):
        if "weaviate" in wanted:
            asyncio.run(obtain(WEAVIATE, explicit=None, cache=CACHE, environment=os.environ, on_progress=tell))
    with contextlib.suppress(ServiceError, ModelMissing):
        if "llm" in wanted:
            asyncio.run(ollama_program(CACHE, tell))
            gguf(PLUMBING)


def _seldom(tell: Callable[[str], None], every_s: float = 10.0) -> Callable[[str], None]:
    """Progress comes twice a second; a log wants less."""
    told = -every_s

    def sometimes(text: str) -> None:
        nonlocal told
        if time.monotonic() - told > every_s:
            told = time.monotonic()
            tell(text)

    return sometimes
