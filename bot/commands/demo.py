"""`candor demo`, which `make demo` runs: index the example handbook, then chat about it; on a pipe, play the tour."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace

from bot.commands.chat import converse
from bot.commands.index import index_paths, summary
from bot.commands.tour import TOUR, guide
from bot.context import Context
from bot.exits import Exit
from config.sections import CHECKOUT

HANDBOOK = CHECKOUT / "examples" / "handbook"


def _apart(context: Context) -> Context:
    """The demo keeps its index to itself: the handbook is not to stand among anybody's own documents."""
    settings = context.settings
    weaviate = settings.weaviate
    place = {"collection": "CandorDemo", "data_directory": weaviate.data_directory.parent / "demo"}
    apart = settings.model_copy(update={"weaviate": weaviate.model_copy(update=place)})
    return replace(context, loaded=replace(context.loaded, settings=apart))


async def run(context: Context, arguments: Namespace) -> Exit:
    context = _apart(context)
    async with context.app() as app:
        report = await index_paths(context, app.library, [HANDBOOK])
        context.screen.say(summary(report))
        if sys.stdin.isatty() and context.screen.out.is_terminal:
            return await converse(context, app)
        return await guide(context, app, TOUR)
