"""Asks each configured platform what the bot may do there, for `candor doctor`. An adapter is imported only then."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bot.models import revealed
from config.settings import Settings
from crag.platform import Finding

ASK_S = 20.0
"""The longest that a platform may take to answer."""


async def findings(settings: Settings) -> Sequence[Finding]:
    """Nothing where no platform is configured."""
    found: list[Finding] = []
    if settings.discord.token:
        found += await _discord(settings)
    return found


async def _discord(settings: Settings) -> Sequence[Finding]:
    from adapters.discord import look_over

    chosen = settings.discord
    named = [
        key.split(":") for key, channel in settings.channels.items() if key.startswith("discord:") and channel.served
    ]
    follow_ups = any(one.follow_ups for key, one in settings.channels.items() if not key.startswith("slack:"))
    try:
        async with asyncio.timeout(ASK_S):
            return await look_over(
                token=revealed(chosen.token),
                guilds=chosen.guilds,
                channels={(guild, channel) for _, guild, channel in named},
                api_url=chosen.api_url or "",
                follow_ups=follow_ups,
            )
    except TimeoutError:
        return [Finding("discord", False, f"Discord didn't answer in {ASK_S:g} s.", "Is this machine online?")]
