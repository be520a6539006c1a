"""What `candor doctor` asks Discord: token, intent, guilds, and what the bot may do in the channels that are named."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import asynccontextmanager

import aiohttp
import discord

from adapters.discord.addresses import pointed
from adapters.discord.failures import Refused, calling
from adapters.discord.rights import NEEDED, POSTING
from crag.errors import ScreenError
from crag.platform import Finding

NAME = "discord"
INVITE = "`candor discord-invite` prints the link that adds it, with what it needs."


async def look_over(
    *,
    token: str,
    guilds: Collection[str] = (),
    channels: Collection[tuple[str, str]] = (),
    posts: Collection[str] = (),
    api_url: str = "",
    follow_ups: bool = False,
) -> list[Finding]:
    """`channels` are (guild, channel) ids that the settings name, `posts` ids of channels where the bot posts of its
    own accord. Nothing is changed or posted, and no connection to the gateway is made."""
    with pointed(api_url, ""):
        try:
            async with _logged_in(token) as client:
                found = [finding async for finding in _findings(client, guilds, channels, follow_ups=follow_ups)]
                return [*found, *[await _posting(client, channel) for channel in sorted(posts)]]
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
    where, me, there = await _guild(client, guild)
    for id_ in sorted(wanted):
        if (channel := there.get(int(id_))) is None:
            advice = f"Look at channels.discord:{guild}:{id_} in the settings: threads go by their channel."
            yield Finding(NAME, False, f"There is no channel {id_} in {where.name}.", advice)
            continue
        text = f"#{channel.name} in {where.name}"
        yield _lacking(text, channel.permissions_for(me), NEEDED) or Finding(
            NAME, True, f"{text}: the bot may do all that it needs"
        )


async def _posting(client: discord.Client, id_: str) -> Finding:
    """Whether a notice for the admins, or a question for a human, would arrive."""
    advice = "Look at discord.admin_channel and discord.ask_human in the settings."
    unseen = Finding(NAME, False, f"Channel {id_} is not there, or the bot may not look into it.", advice)
    if not id_.isdigit():
        return Finding(NAME, False, f"{id_} is no channel of Discord's: its id is a number.", advice)
    try:
        found = await calling(lambda: client.fetch_channel(int(id_)))
    except Refused:
        return unseen
    if not isinstance(found, discord.abc.GuildChannel | discord.Thread):
        return Finding(NAME, False, f"Channel {id_} is in no guild.", advice)
    where, me, there = await _guild(client, found.guild.id)
    thread = isinstance(found, discord.Thread)
    parent = there.get(found.parent_id if isinstance(found, discord.Thread) else found.id)
    if parent is None:
        return unseen
    needed = ["send_messages_in_threads" if thread and name == "send_messages" else name for name in POSTING]
    text = f"#{found.name} in {where.name}"
    return _lacking(text, parent.permissions_for(me), needed) or Finding(NAME, True, f"{text}: the bot may post there")


async def _guild(
    client: discord.Client, guild: int
) -> tuple[discord.Guild, discord.Member, Mapping[int, discord.abc.GuildChannel]]:
    """The guild, the bot in it, and its channels."""
    where = await calling(lambda: client.fetch_guild(guild))
    me = await calling(lambda: where.fetch_member(client.user.id if client.user else 0))
    return where, me, {channel.id: channel for channel in await calling(where.fetch_channels)}


def _lacking(text: str, rights: discord.Permissions, needed: Iterable[str]) -> Finding | None:
    """What is lacking; None where nothing is."""
    lacking = [NEEDED[name] for name in needed if not getattr(rights, name)]
    if not lacking:
        return None
    advice = "Give them to the bot's role in the channel's settings under Permissions."
    return Finding(NAME, False, f"{text}: the bot lacks {', '.join(lacking)}.", advice)
