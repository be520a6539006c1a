"""`candor discord`: like `candor serve`, in Discord only."""

from __future__ import annotations

from argparse import Namespace

from bot.commands.serve import serve
from bot.context import Context
from bot.exits import Exit
from bot.platforms import require


async def run(context: Context, arguments: Namespace) -> Exit:
    return await serve(context, require(context.settings, "discord"))
