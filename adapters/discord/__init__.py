"""Discord: an event -> a question, a Reply -> embeds and buttons."""

from adapters.discord.bot import DiscordBot, Patience, discord_bot
from adapters.discord.rights import invite_url

__all__ = ["DiscordBot", "Patience", "discord_bot", "invite_url"]
