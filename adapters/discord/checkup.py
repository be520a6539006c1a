"""What `candor doctor` asks Discord: token, intent, guilds, and what the bot may do in the channels that are named."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

import aiohttp
import discord

from adapters.discord.addresses import pointed
from adapters.discord.failures import calling
from adapters.discord.rights import NEEDED
from crag.errors import ScreenError
from crag.platform import Finding

NAME = "discord"
INVITE = "`candor discord-invite` prints the link that adds it, with what it needs."


async def look_over(
    *,
    token: str,
    guilds: Collection[str] = (),
    channels: Collection[tuple[str, str]] = (),
    api_url: str = "",
    follow_ups: bool = False,
) -> list[Finding]:
    """`channels` are (guild, channel) ids that the settings name. Nothing is changed or posted, and no connection to
    the gateway is made."""
    with pointed(api_url, ""):
        try:
            async with _logged_in(token) as client:
                return [finding async for finding in _findings(client, guilds, channels, follow_ups=follow_ups)]
        except discord.LoginFailure:
            advice = "Reset it in the developer portal under Bot; set it as CANDOR_DISCORD__TOKEN."
            return [Finding(NAME, False, "Discord refuses the bot's token.", advice)]
        except (discord.HTTPException, aiohttp.ClientError, OSError, ScreenError) as error:
            return [Finding(NAME, False, f"Discord can't be reached: {error}", "Is this machine online?")]


@asynccontextmanager
async def _logged_in(token: str) -> AsyncIterator[discord.Client]:
    client = discord.Client(intents=discord.Intents(guilds=True))
    try:
        await client.login(token)
        yield client
    finally:
        await client.close()


async def _findings(
    client: discord.Client, guilds: Collection[str], channels: Collection[tuple[str, str]], *, follow_ups: bool
) -> AsyncIterator[Finding]:
    found = {str(guild.id): guild.name async for guild in client.fetch_guilds(limit=None)}
    names = ", ".join(found.values()) or "no guild yet"
    yield Finding(NAME, bool(found), f"{client.user}, in {names}", "" if found else INVITE)
    if follow_ups:
        yield _intent(client)
    for guild in sorted({*guilds, *(of for of, _ in channels)} - set(found)):
        yield Finding(NAME, False, f"The bot is not in the guild {guild}.", INVITE)
    for guild in sorted({of for of, _ in channels} & set(found)):
        async for finding in _rights(client, int(guild), {channel for of, channel in channels if of == guild}):
            yield finding


def _intent(client: discord.Client) -> Finding:
    flags = client.application.flags if client.application else discord.ApplicationFlags()
    if flags.gateway_message_content or flags.gateway_message_content_limited:
        return Finding(NAME, True, "has the Message Content intent, for follow-ups")
    advice = "Switch it on in the developer portal under Bot, or switch follow_ups off in all channels."
    return Finding(NAME, False, "The bot lacks the Message Content intent, which follow-ups need.", advice)


async def _rights(client: discord.Client, guild: int, wanted: set[str]) -> AsyncIterator[Finding]:
    where = await calling(lambda: client.fetch_guild(guild))
    me = await calling(lambda: where.fetch_member(client.user.id if client.user else 0))
    there = {str(channel.id): channel for channel in await calling(where.fetch_channels)}
    for id_ in sorted(wanted):
        if (channel := there.get(id_)) is None:
            advice = f"Look at channels.discord:{guild}:{id_} in the settings: threads go by their channel."
            yield Finding(NAME, False, f"There is no channel {id_} in {where.name}.", advice)
            continue
        rights = channel.permissions_for(me)
        lacking = [words for name, words in NEEDED.items() if not getattr(rights, name)]
        text = f"#{channel.name} in {where.name}"
        if lacking:
            advice = "Give them to the bot's role in the channel's settings under Permissions."
            yield Finding(NAME, False, f"{text}: the bot lacks {', '.join(lacking)}.", advice)
        else:
            yield Finding(NAME, True, f"{text}: the bot may do all that it needs")
