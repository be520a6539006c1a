"""`candor tour`: a few questions on the example handbook, one for each path through the engine."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from adapters.console.tour import load_stops, play
from bot.app import App
from bot.assistant import Assistant
from bot.context import Context
from bot.exits import Exit
from config.sections import CHECKOUT

TOUR = CHECKOUT / "examples" / "tour.json"


async def run(context: Context, arguments: Namespace) -> Exit:
    async with context.app() as app:
        return await guide(context, app, arguments.file or TOUR)


async def guide(context: Context, app: App, file: Path) -> Exit:
    """Play the tour. It fails where a question doesn't take the path that it is to show."""
    assistant = Assistant(app.engine, deadline_s=context.settings.crag.deadline_s)
    strayed = await play(context.screen.out, load_stops(file), assistant.answer, context.question())
    if not strayed:
        return Exit.OK
    return context.screen.fail(Exit.FAILED, "tour", "\n".join(strayed))
