"""`candor discord-invite`: the link by which somebody who manages a Discord server adds the bot to it."""

from __future__ import annotations

from argparse import Namespace

from rich.text import Text

from adapters.discord.rights import NEEDED, invite_url
from bot.context import Context
from bot.exits import Exit
from bot.models import revealed


async def run(context: Context, arguments: Namespace) -> Exit:
    """The link alone goes to standard output. Raises SettingsError where the application isn't known."""
    chosen = context.settings.discord
    url = invite_url(revealed(chosen.token), chosen.application_id)
    context.screen.say(f"Open this link as somebody who manages the server. It asks for: {', '.join(NEEDED.values())}.")
    context.screen.out.print(Text(url), soft_wrap=True)
    return Exit.OK
