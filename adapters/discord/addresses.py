"""Points discord.py at another Discord, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route


@contextmanager
def pointed(api_url: str, gateway_url: str) -> Iterator[None]:
    """ "" is Discord itself. discord.py keeps its addresses in its classes, so this holds for the whole process."""
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    try:
        if api_url:
            Route.BASE = api_url.rstrip("/")
        if gateway_url:
            DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway_url)
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before
