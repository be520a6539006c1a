"""Opens the configured platforms. An adapter is imported only where it is opened."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from bot.models import revealed
from config.settings import Settings
from crag.errors import SettingsError
from crag.platform import Desk, PlatformBot, Remembered

TOKENS = {"slack": "CANDOR_SLACK__BOT_TOKEN", "discord": "CANDOR_DISCORD__TOKEN"}
"""Each platform, and the setting that switches it on."""


def configured(settings: Settings) -> tuple[str, ...]:
    """The platforms whose tokens are set."""
    tokens = {"slack": settings.slack.bot_token, "discord": settings.discord.token}
    return tuple(name for name, token in tokens.items() if token)


def require(settings: Settings, name: str) -> tuple[str, ...]:
    """This platform, alone. Raises SettingsError where it isn't configured."""
    if name not in configured(settings):
        raise SettingsError(f"{TOKENS[name]} is not set.", advice=f"docs/{name}.md says where the token comes from.")
    return (name,)


def open_platform(
    name: str, settings: Settings, desk: Desk, remembered: Remembered
) -> AbstractAsyncContextManager[PlatformBot]:
    """Entering it raises SettingsError with a sentence where the platform refuses a token, a scope or an intent."""
    return _slack(settings, desk) if name == "slack" else _discord(settings, desk, remembered)


def _slack(settings: Settings, desk: Desk) -> AbstractAsyncContextManager[PlatformBot]:
    from adapters.slack import slack_bot

    chosen = settings.slack
    return slack_bot(
        desk,
        bot_token=revealed(chosen.bot_token),
        app_token=revealed(chosen.app_token),
        signing_secret=revealed(chosen.signing_secret),
        mode=chosen.mode,
        host=chosen.host,
        port=chosen.port,
        api_url=chosen.api_url or "",
        reactions=chosen.reactions,
        groups=chosen.admin_groups,
        humans=bool(chosen.ask_human),
    )


def _discord(settings: Settings, desk: Desk, remembered: Remembered) -> AbstractAsyncContextManager[PlatformBot]:
    from adapters.discord import discord_bot

    chosen = settings.discord
    channels = settings.channels.items()
    return discord_bot(
        desk,
        token=revealed(chosen.token),
        guilds=chosen.guilds,
        api_url=chosen.api_url or "",
        gateway_url=chosen.gateway_url,
        remembered=remembered,
        reactions=chosen.reactions,
        humans=bool(chosen.ask_human),
        follow_ups=any(channel.follow_ups for key, channel in channels if not key.startswith("slack:")),
    )
