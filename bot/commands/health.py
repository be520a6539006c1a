"""`candor health`: ask a running `candor serve` whether it is ready. For a container's health check."""

from __future__ import annotations

import json
from argparse import Namespace

import aiohttp

from adapters.console.safe import safe_line
from bot.context import Context
from bot.exits import Exit

DEADLINE_S = 4.0
ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where to ask a server that listens everywhere


async def run(context: Context, arguments: Namespace) -> Exit:
    chosen = context.settings.serve
    host = ANY_ADDRESS.get(chosen.host, chosen.host)
    url = f"http://{f'[{host}]' if ':' in host else host}:{chosen.port}/readyz"
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(DEADLINE_S)) as session,
            session.get(url) as response,
        ):
            said = safe_line(_status(await response.text()))
            ready = response.status == 200
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        why = f"Nothing answers at {url}: {error or 'it took too long'}."
        return context.screen.fail(Exit.FAILED, "service", why, advice="Is `candor serve` running?")
    if not ready:
        return context.screen.fail(Exit.FAILED, "service", said)
    context.screen.say(said)
    return Exit.OK


def _status(page: str) -> str:
    """The sentence in what /readyz says; all of it where it is no page of Candor's."""
    try:
        return str(json.loads(page)["status"])
    except (ValueError, TypeError, LookupError):
        return page
