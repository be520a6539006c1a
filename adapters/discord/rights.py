"""What the bot needs from a guild, no more: for the invite link and for the check at the start."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable

import discord

from crag.errors import SettingsError

NEEDED = {
    "view_channel": "View Channels",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "create_public_threads": "Create Public Threads",
    "embed_links": "Embed Links",
    "read_message_history": "Read Message History",
}
"""Each permission as discord.py and as Discord's settings call it."""
POSTING = ("view_channel", "send_messages", "embed_links")
"""What of it takes a channel where the bot posts by itself; in a thread it is another right to send."""
SCOPES = ("bot", "applications.commands")


def invite_url(token: str, application: str = "") -> str:
    """The link by which somebody who manages a guild adds the bot to it. A bot's id stands in its token. Raises
    SettingsError where neither tells it."""
    chosen = application or _bot_of(token)
    if not chosen:
        raise SettingsError(
            "The application's id is not known.",
            advice="Set CANDOR_DISCORD__APPLICATION_ID; the developer portal shows it under General Information.",
        )
    permissions = discord.Permissions(**dict.fromkeys(NEEDED, True))
    return discord.utils.oauth_url(chosen, permissions=permissions, scopes=SCOPES)


def _bot_of(token: str) -> str:
    first = token.split(".")[0]
    try:
        decoded = base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        return ""
    return decoded if decoded.isdigit() else ""


def missing(guilds: Iterable[discord.Guild], served: Callable[[discord.abc.GuildChannel], bool]) -> str:
    """The sentence that names what the bot lacks in all the channels of a guild where it should answer; "" if nothing.
    What it lacks in some of them only is the guild's own business."""
    for guild in guilds:
        channels = [channel for channel in guild.text_channels if served(channel)]
        granted = [channel.permissions_for(guild.me) for channel in channels]
        lacking = [words for name, words in NEEDED.items() if not any(getattr(rights, name) for rights in granted)]
        if channels and lacking:
            return f"The bot lacks permissions in the guild {guild.name}: {', '.join(lacking)}."
    return ""
