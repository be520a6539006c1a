"""Discord: an event -> a question, a Reply -> embeds and buttons."""

import warnings

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message="'audioop' is deprecated", category=DeprecationWarning)
    import discord  # for voice, which Candor doesn't use
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False

from adapters.discord.bot import DiscordBot, Patience, discord_bot  # noqa: E402
from adapters.discord.checkup import look_over  # noqa: E402
from adapters.discord.rights import invite_url  # noqa: E402

__all__ = ["DiscordBot", "Patience", "discord_bot", "invite_url", "look_over"]
