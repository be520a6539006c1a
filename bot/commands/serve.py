"""`candor serve`: answer where people chat, and say whether all is well, until SIGTERM."""

from __future__ import annotations

import asyncio
import logging
import signal
from argparse import Namespace
from collections.abc import Sequence
from contextlib import AsyncExitStack

from bot.app import App
from bot.context import Context
from bot.desk import FrontDesk, Office, open_desk, open_office
from bot.desk.budget import Metered
from bot.exits import Exit
from bot.health import Health, serving
from bot.metrics import Metrics
from bot.platforms import configured
from crag.errors import CandorError, IndexMissing, SearchError
from crag.platform import PlatformBot
from crag.types import SearchRequest

log = logging.getLogger(__name__)

PROBE = "ready"
INTERRUPT_S = 1.0
"""How long running questions may take after Ctrl-C: somebody sits there and waits."""
INTAKE_S = 5.0
"""How long a platform may take to stop taking questions."""
NOBODY = "No platform is configured, so nobody can ask yet."
NOWHERE = (
    f"{NOBODY} Set CANDOR_SLACK__BOT_TOKEN and CANDOR_SLACK__APP_TOKEN, or "
    "CANDOR_DISCORD__TOKEN, and start again; docs/slack.md and docs/discord.md say where they come from."
)
NO_CHANNEL = (
    "No channel is configured, so I answer in private talks only. For all channels that I'm invited to, set "
    "CANDOR_CHANNELS__DEFAULT__SERVED=true; for some, see channels in docs/settings.md."
)


async def run(context: Context, arguments: Namespace) -> Exit:
    """Whatever is configured; with nothing configured, only the health is served, and it says so."""
    return await serve(context, configured(context.settings))


async def serve(context: Context, names: Sequence[str]) -> Exit:
    """Serve these platforms. Ends with 0 on SIGTERM: that is how it is meant to end."""
    settings, say = context.settings, context.screen.say
    health, metrics = Health(), Metrics()
    wiring = context.wiring(settings, say)
    async with serving(health, settings.serve.host, settings.serve.port, metrics) as address:
        say(f"Health at {address}/healthz and {address}/readyz, metrics at {address}/metrics")
        try:
            async with (
                wiring.journal() as journal,
                open_office(settings, journal, metrics) as office,
                context.app(lambda model: Metered(office.watched(model), office.budget)) as app,
                open_desk(settings, app, office) as desk,
            ):
                await _Service(context, app, office, desk, health).run(names)
        except asyncio.CancelledError:
            if context.interrupts.received is not signal.SIGTERM:
                raise
            say("Candor has stopped.")
        finally:
            health.probe = None
    return Exit.OK


class _Service:
    """The platforms while they are open."""

    def __init__(self, context: Context, app: App, office: Office, desk: FrontDesk, health: Health) -> None:
        self._context = context
        self._app = app
        self._office = office
        self._desk = desk
        self._health = health

    async def run(self, names: Sequence[str]) -> None:
        """Until it is cancelled, or no platform is left. Raises CandorError then, and where one can't be opened."""
        settings, say = self._context.settings, self._context.screen.say
        wiring = self._context.wiring(settings, say)
        async with AsyncExitStack() as stack:
            for name in names:
                bot = await stack.enter_async_context(wiring.platform(name, self._desk, self._office.journal))
                self._office.bots[name] = bot
                self._office.metrics.connections(bot)
            bots = self._office.bots.values()
            running = {asyncio.create_task(bot.run(), name=bot.platform) for bot in bots}
            resuming = {asyncio.create_task(self._resumed(bot), name=f"resuming {bot.platform}") for bot in bots}
            self._health.probe = self._probe
            if names and not any(channel.served for key, channel in settings.channels.items() if key != "direct"):
                say(NO_CHANNEL)
            if names:
                say("Candor is ready.")
            else:
                say(NOWHERE, logging.WARNING)
            try:
                await _until_none_is_left(running)
            finally:
                await self._stop(running | resuming)

    async def _resumed(self, bot: PlatformBot) -> None:
        try:
            await self._desk.questions.resume(bot)
        except Exception:
            log.exception("questions that were left unanswered could not be taken up")

    async def _stop(self, tasks: set[asyncio.Task[None]]) -> None:
        """Unready, no new questions, time for those that run; then the platforms."""
        self._health.probe = None
        interrupted = self._context.interrupts.received is signal.SIGINT
        stops = [asyncio.create_task(bot.stop_intake()) for bot in self._office.bots.values()]
        if stops:
            await asyncio.wait(stops, timeout=INTAKE_S)
        await self._desk.questions.drain(INTERRUPT_S if interrupted else self._context.settings.limits.drain_s)
        for task in (*tasks, *stops):
            task.cancel()
        await asyncio.gather(*tasks, *stops, return_exceptions=True)

    async def _probe(self) -> str:
        if not self._office.bots:
            return NOBODY
        for name, bot in self._office.bots.items():
            if not bot.connected:
                return f"{name.title()} is not connected."
        return await _search_problem(self._context, self._app)


async def _until_none_is_left(running: set[asyncio.Task[None]]) -> None:
    """Wait while a platform runs; where there is none, for ever. Raises what ended the last one."""
    if not running:
        await asyncio.Event().wait()
    while running:
        done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            failed = None if task.cancelled() else task.exception()
            error = failed or CandorError(f"{task.get_name().title()} has ended.", advice="Start Candor again.")
            if not running:
                raise error
            log.error("%s is gone, the others go on: %s", task.get_name(), error)


async def _search_problem(context: Context, app: App) -> str:
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
