"""Messages -> questions: mentions, direct messages, follow-ups; and the screen on which each is answered."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import aiohttp
import discord

from adapters.discord.errands import Errands
from adapters.discord.failures import HAS_THREAD, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, Refused, calling
from adapters.discord.limits import THREAD_NAME, one_line
from adapters.discord.members import Members
from adapters.discord.pages import notice
from adapters.discord.reading import (
    HISTORY,
    asker_of,
    mentions,
    place_of,
    question_of,
    takes_threads,
    turns,
    written_by_a_person,
)
from adapters.discord.screen import DiscordScreen, Elsewhere
from adapters.discord.surfaces import Channel, ChannelSurface, Spot, in_private
from crag.errors import ScreenError
from crag.platform import Desk, Entry, Incoming, Place

K = TypeVar("K")
V = TypeVar("V")
log = logging.getLogger(__name__)

READ_S = 5.0
"""How long the history of a thread may take; without it the question is asked as it stands."""
DIRECT_HISTORY = 8
RECENT = timedelta(hours=1)
"""What was said in private before that is another conversation."""
KEPT = 5000
CLOSED = "The thread {thread} was closed while I was working on your question, so I can't answer there. Please open it \
again and ask once more."


class Asking:
    """`follow_ups`: whether messages without a mention can be read at all."""

    def __init__(
        self, client: discord.Client, desk: Desk, members: Members, errands: Errands, *, follow_ups: bool
    ) -> None:
        self._client = client
        self._desk = desk
        self._members = members
        self.errands = errands
        self._follow_ups = follow_ups
        self._askers: OrderedDict[str, str] = OrderedDict()
        self._heard: OrderedDict[int, None] = OrderedDict()

    @property
    def me(self) -> int:
        return self._client.user.id if self._client.user else 0

    def hear(self, message: discord.Message, *, edited: bool = False) -> None:
        """Ask what a message asks, if it asks anything here. An edit counts only where it has a mention that wasn't
        there; what was asked before a restart, the desk knows."""
        guild = message.guild.id if message.guild else None
        if not written_by_a_person(message) or not self._members.served(guild):
            return
        place = place_of(message.channel, guild)
        entry = self._entry(message, place)
        if entry is None or (edited and (entry is not Entry.MENTION or message.id in self._heard)):
            return
        if not self._desk.serves(place):
            return
        _keep(self._heard, message.id, None)
        self.errands.start(self._ask(message, place, entry), "a question")

    def _entry(self, message: discord.Message, place: Place) -> Entry | None:
        if place.direct:
            return Entry.DIRECT
        if mentions(message, self.me):
            return Entry.MENTION
        thread = message.channel
        if not (self._follow_ups and isinstance(thread, discord.Thread) and message.content.strip()):
            return None
        taking_part = thread.me is not None or thread.owner_id == self.me
        return Entry.FOLLOW_UP if taking_part and self._desk.follows_up(place) else None

    async def _ask(self, message: discord.Message, place: Place, entry: Entry) -> None:
        before = await self.before(message.channel, message, place)
        if entry is Entry.FOLLOW_UP and self._asker(place, before) != str(message.author.id):
            return
        referred = message.reference.resolved if message.reference else None
        if not before and isinstance(referred, discord.Message):
            before = [referred]
        if not place.direct and not place.thread and takes_threads(message.channel):
            place = replace(place, thread=str(message.id))
        incoming = Incoming(
            keys=(f"discord:message:{message.id}",),
            place=place,
            person=await self._members.person(message.author),
            entry=entry,
            text=question_of(message, self.me),
            history=turns(reversed(before), self.me),
            message=str(message.id),
            link=message.jump_url,
        )
        await self.put(incoming, self.screen_for(incoming))

    async def put(self, incoming: Incoming, screen: DiscordScreen) -> None:
        """To the desk, which knows whether it was asked before."""
        _keep(self._askers, incoming.place.conversation, incoming.person.id)
        await self._desk.ask(incoming, screen)

    def _asker(self, place: Place, before: list[discord.Message]) -> str:
        return self._askers.get(place.conversation) or str(asker_of(before, self.me) or "")

    async def before(
        self, channel: discord.abc.Messageable, message: discord.abc.Snowflake, place: Place
    ) -> list[discord.Message]:
        """What was said before a message in its thread or private talk, the newest first; [] in a channel."""
        if not (place.thread or place.direct) or place.thread == str(message.id):
            return []
        limit = DIRECT_HISTORY if place.direct else HISTORY
        try:
            async with asyncio.timeout(READ_S):
                found = [m async for m in channel.history(limit=limit, before=message)]
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            log.warning("the history of %s can't be read: %s", place.conversation, error)
            return []
        since = discord.utils.snowflake_time(message.id) - RECENT
        return [m for m in found if not place.direct or m.created_at >= since]

    def screen_for(self, incoming: Incoming, *, first: int | None = None) -> DiscordScreen:
        """Answers in the question's thread, which is made if need be, or where the question stands. `first` is a
        message of the bot's that is there already."""
        place, message = incoming.place, int(incoming.message or 0)

        async def opened() -> Spot:
            if place.direct:
                return Spot(self._client.get_partial_messageable(int(place.channel)))
            if place.thread and place.thread == incoming.message and not self._is_forum(place.channel):
                return await self._thread_on(place, message, incoming.text)
            where = int(place.thread or place.channel)
            return Spot(self._channel(place, where), _reply(where, message, must_exist=not place.thread))

        surface = ChannelSurface(opened, first=first)
        return DiscordScreen(surface, self.errands, self._elsewhere(incoming) if place.thread else None)

    async def _thread_on(self, place: Place, message: int, text: str) -> Spot:
        """The thread on the question, made or found. Where none can be made, the answer is a reply to the question;
        where the question is gone, there is no answer."""
        channel = self._channel(place, int(place.channel))
        name = one_line(text, THREAD_NAME) or "Question"
        try:
            thread: Channel = await calling(lambda: channel.get_partial_message(message).create_thread(name=name))
        except Refused as refused:
            if refused.code in (UNKNOWN_MESSAGE, UNKNOWN_CHANNEL):
                raise
            if refused.code == HAS_THREAD:
                return Spot(self._channel(place, message))
            log.info("no thread in channel %s, so I reply there: %s", place.channel, refused)
            return Spot(channel, _reply(int(place.channel), message, must_exist=True))
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
            reply = _reply(where, message, must_exist=True) if place.thread == incoming.message else None
            return Spot(self._channel(place, where), reply)

        async def tell() -> None:
            try:
                await ChannelSurface(beside).show(page)
            except ScreenError:
                asker = await calling(lambda: self._client.fetch_user(int(incoming.person.id)))
                await in_private(asker).show(page)

        return tell


def _reply(channel: int, message: int, *, must_exist: bool) -> discord.MessageReference | None:
    if not message:
        return None
    return discord.MessageReference(message_id=message, channel_id=channel, fail_if_not_exists=must_exist)


def _keep(kept: OrderedDict[K, V], key: K, value: V) -> None:
    """The newest few thousand: what is forgotten costs a look into the thread or the journal."""
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > KEPT:
        kept.popitem(last=False)
