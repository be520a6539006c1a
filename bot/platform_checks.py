"""Asks each configured platform what the bot may do there, for `candor doctor`. An adapter is imported only then."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence

from bot.models import revealed
from config.chat import Platform
from config.settings import Settings
from crag.platform import Finding

ASK_S = 20.0
"""The longest that a platform may take to answer."""


async def findings(settings: Settings) -> Sequence[Finding]:
    """Nothing where no platform is configured."""
    found: list[Finding] = []
    if settings.slack.bot_token:
        found += await _in_time("slack", _slack(settings))
    if settings.discord.token:
        found += await _in_time("discord", _discord(settings))
    return found


async def _slack(settings: Settings) -> Sequence[Finding]:
    from adapters.slack import look_over

    chosen = settings.slack
    return await look_over(
        bot_token=revealed(chosen.bot_token),
        app_token=revealed(chosen.app_token),
        mode=chosen.mode,
        channels=_named(settings, "slack"),
        posts=_posts(chosen),
        reactions=chosen.reactions,
        api_url=chosen.api_url or "",
    )


async def _discord(settings: Settings) -> Sequence[Finding]:
    from adapters.discord import look_over

    chosen = settings.discord
    return await look_over(
        token=revealed(chosen.token),
        guilds=chosen.guilds,
        channels=_named(settings, "discord"),
        posts=_posts(chosen),
        api_url=chosen.api_url or "",
        follow_ups=any(one.follow_ups for key, one in settings.channels.items() if not key.startswith("slack:")),
    )


def _posts(chosen: Platform) -> set[str]:
    """The channels where the bot posts by itself."""
    return {channel for channel in (chosen.admin_channel, chosen.ask_human) if channel}


def _named(settings: Settings, platform: str) -> set[tuple[str, str]]:
    """(Workspace or guild, channel) of each channel that the settings name as served."""
    keys = (key.split(":") for key, channel in settings.channels.items() if channel.served)
    return {(key[1], key[2]) for key in keys if key[0] == platform}


async def _in_time(name: str, asking: Awaitable[Sequence[Finding]]) -> Sequence[Finding]:
    try:
        async with asyncio.timeout(ASK_S):
            return await asking
    except TimeoutError:
        return [Finding(name, False, f"{name.title()} didn't answer in {ASK_S:g} s.", "Is this machine online?")]
