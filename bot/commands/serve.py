"""`candor serve`: keep the engine warm and say whether it is well, until SIGTERM."""

from __future__ import annotations

import asyncio
import signal
from argparse import Namespace

from bot.app import App
from bot.context import Context
from bot.exits import Exit
from bot.health import Health, serving
from crag.errors import IndexMissing, SearchError
from crag.types import SearchRequest

PROBE = "ready"


async def run(context: Context, arguments: Namespace) -> Exit:
    """Ends with 0 on SIGTERM: that is how it is meant to end. The platforms will stand here."""
    chosen = context.settings.serve
    health = Health()
    async with serving(health, chosen.host, chosen.port) as address:
        context.screen.say(f"Health at {address}/healthz and {address}/readyz")
        try:
            async with context.app() as app:
                health.probe = lambda: _probe(context, app)
                context.screen.say("Candor is ready.")
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            if context.interrupts.received is not signal.SIGTERM:
                raise
            context.screen.say("Candor has stopped.")
        finally:
            health.probe = None
    return Exit.OK


async def _probe(context: Context, app: App) -> str:
    """A real search, so that it fails where questions would. Returns what is wrong, "" if nothing is: without an index
    Candor is well, and says to everyone that it has nothing to search."""
    library = app.library
    asked = context.question(PROBE)
    vector = await library.embedder.embed_query(PROBE)
    request = SearchRequest(PROBE, vector, 1, 0.5, asked.tenant, asked.corpora, asked.access)
    try:
        await library.index.search(request)
    except IndexMissing:
        return ""
    except SearchError as error:
        return str(error)
    return ""
