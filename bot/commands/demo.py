"""`candor demo`, which `make demo` runs: index the example handbook, then chat about it; on a pipe, play the tour."""

from __future__ import annotations

import sys
from argparse import Namespace

from adapters.console.tour import load_stops
from bot.commands.chat import converse
from bot.commands.index import index_paths, summary
from bot.commands.tour import HANDBOOK, TOUR, apart, guide
from bot.context import Context
from bot.exits import Exit

NEXT = "That was the example handbook. For your own documents: candor index FOLDER, then candor chat"


async def run(context: Context, arguments: Namespace) -> Exit:
    context = apart(context)
    async with context.app() as app:
        report = await index_paths(context, app.library, [HANDBOOK])
        context.screen.say(summary(report))
        typed = sys.stdin.isatty() and context.screen.out.is_terminal
        code = await converse(context, app) if typed else await guide(context, app, load_stops(TOUR))
    context.screen.say(NEXT)
    return code
