"""Where a question is answered: in a thread on it, which is made if need be, or where it stands."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

import aiohttp
import discord

from adapters.discord.errands import Errands
from adapters.discord.failures import HAS_THREAD, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, Refused, calling
from adapters.discord.limits import THREAD_NAME, one_line
from adapters.discord.pages import notice
from adapters.discord.reading import is_draft, is_reply
from adapters.discord.screen import DiscordScreen, Elsewhere
from adapters.discord.surfaces import Channel, ChannelSurface, Spot, Surface, in_private
from crag.errors import ScreenError
from crag.platform import Entry, Incoming, Place

log = logging.getLogger(__name__)

THREAD_S = 5.0
"""How long a thread may take: Discord allows a channel only so many new ones in five minutes."""
DRAFT_S = 5.0
DRAFTS = 50
"""How long, and how many messages below a question, are looked through for what an earlier process left."""
CLOSED = "The thread {thread} was closed while I was working on your question, so I can't answer there. Please open it \
again and ask once more."


class Placing:
    """`humans`: whether there is a channel for "Ask a human"."""

    def __init__(self, client: discord.Client, errands: Errands, *, humans: bool) -> None:
        self._client = client
        self._humans = humans
        self._began = discord.Object(discord.utils.time_snowflake(discord.utils.utcnow()))
        self._taken: set[int] = set()
        self.errands = errands

    def screen_for(self, incoming: Incoming, *, again: bool = False) -> DiscordScreen:
        """Answers in the question's thread, which is made if need be, or where the question stands. A command's message
        is the bot's own and takes the answer, unless a thread hangs on it. `again`: an earlier process was at it, and
        what it left there takes the answer."""
        place, message = incoming.place, int(incoming.message or 0)
        own = incoming.entry is Entry.COMMAND and place.thread != incoming.message

        async def opened() -> Spot:
            if place.direct:
                return Spot(self._client.get_partial_messageable(int(place.channel)))
            if place.thread and place.thread == incoming.message and not self._is_forum(place.channel):
                return await self._thread_on(place, message, incoming.text)
            where = int(place.thread or place.channel)
            return Spot(self._channel(place, where), reply_to(where, message, must_exist=not place.thread))

        async def taken_up() -> Spot:
            return await self._taken_up(await opened(), message, talk=place.direct)

        surface = ChannelSurface(taken_up if again and message and not own else opened, first=message if own else None)
        return self.on(surface, self._elsewhere(incoming) if place.thread else None)

    def on(self, surface: Surface, elsewhere: Elsewhere | None = None) -> DiscordScreen:
        return DiscordScreen(surface, self.errands, elsewhere, humans=self._humans)

    async def _taken_up(self, spot: Spot, question: int, *, talk: bool) -> Spot:
        """With what an earlier process left: the draft, or the reply. In a thread it replies to its question; what
        replies to none is the next that no other question has taken. In a private talk (`talk`) nobody could tell whose
        reply it is."""
        me = self._client.user.id if self._client.user else 0
        wanted = spot.reply_to.message_id if spot.reply_to else None
        after = discord.Object(question)
        below = spot.channel.history(limit=DRAFTS, after=after, before=self._began, oldest_first=True)
        try:
            async with asyncio.timeout(DRAFT_S):
                async for left in below:
                    replies_to = left.reference.message_id if left.reference else None
                    if left.author.id != me or replies_to != wanted or left.id in self._taken:
                        continue
                    answered = not talk and is_reply(left)
                    if answered or is_draft(left, me):
                        self._taken.add(left.id)
                        return replace(spot, draft=left.id, answered=answered)
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            log.warning("what an earlier process left below question %s can't be read: %s", question, error)
        return spot

    async def echo(self, incoming: Incoming) -> discord.Message | None:
        """The message that repeats the question of a command, by an earlier process; None where there is none."""
        interaction = int(incoming.keys[0].rpartition(":")[2])
        where = self._client.get_partial_messageable(int(incoming.place.thread or incoming.place.channel))
        after = discord.Object(interaction)
        try:
            async with asyncio.timeout(DRAFT_S):
                async for left in where.history(limit=DRAFTS, after=after, before=self._began, oldest_first=True):
                    if left.interaction_metadata and left.interaction_metadata.id == interaction:
                        return left
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            log.warning("what an earlier process answered to a command can't be read: %s", error)
        return None

    async def _thread_on(self, place: Place, message: int, text: str) -> Spot:
        """The thread on the question, made or found. Where none can be made, the answer is a reply to the question;
        where the question is gone, there is no answer."""
        channel = self._channel(place, int(place.channel))
        name = one_line(text, THREAD_NAME) or "Question"
        here = Spot(channel, reply_to(int(place.channel), message, must_exist=True))
        try:
            async with asyncio.timeout(THREAD_S):
                thread: Channel = await calling(lambda: channel.get_partial_message(message).create_thread(name=name))
        except TimeoutError:
            log.warning("a thread in channel %s takes too long, so I reply there", place.channel)
            return here
        except Refused as refused:
            if refused.code in (UNKNOWN_MESSAGE, UNKNOWN_CHANNEL):
                raise
            if refused.code == HAS_THREAD:
                return Spot(self._channel(place, message))
            log.info("no thread in channel %s, so I reply there: %s", place.channel, refused)
            return here
        return Spot(thread)

    def _channel(self, place: Place, channel: int) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(channel, guild_id=int(place.tenant))

    def _is_forum(self, channel: str) -> bool:
        """There a post and its thread have the same id, too."""
        return isinstance(self._client.get_channel(int(channel)), discord.ForumChannel)

    def _elsewhere(self, incoming: Incoming) -> Elsewhere:
        """In the channel beside the question, else in private."""
        place = incoming.place
        page = notice(CLOSED.format(thread=f"<#{place.thread}>"))

        async def beside() -> Spot:
            where, message = int(place.channel), int(incoming.message or 0)
            reply = reply_to(where, message, must_exist=True) if place.thread == incoming.message else None
            return Spot(self._channel(place, where), reply)

        async def tell() -> None:
            try:
                await ChannelSurface(beside).show(page)
            except ScreenError:
                asker = await calling(lambda: self._client.fetch_user(int(incoming.person.id)))
                await in_private(asker).show(page)

        return tell


def reply_to(channel: int, message: int, *, must_exist: bool) -> discord.MessageReference | None:
    if not message:
        return None
    return discord.MessageReference(message_id=message, channel_id=channel, fail_if_not_exists=must_exist)
