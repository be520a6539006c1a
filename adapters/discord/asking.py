"""Messages -> questions: mentions, direct messages, follow-ups; and the screen on which each is answered."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import aiohttp
import discord

from adapters.discord.failures import calling
from adapters.discord.members import Members, nobody_knows
from adapters.discord.pages import notice
from adapters.discord.placing import Placing, reply_to
from adapters.discord.reading import (
    HISTORY,
    asker_of,
    mentions,
    mentions_role,
    place_of,
    question_of,
    takes_threads,
    turns,
    written_by_a_person,
)
from adapters.discord.screen import DiscordScreen
from adapters.discord.surfaces import ChannelSurface, Spot
from crag import wording
from crag.errors import ScreenError
from crag.events import State
from crag.platform import Desk, Entry, Incoming, Place

K = TypeVar("K")
V = TypeVar("V")
log = logging.getLogger(__name__)

READ_S = 3.0
"""How long the history of a thread may take; without it the question is asked as it stands."""
EARLY_S = 0.4
"""Who takes longer to be looked up, sees first that the question has arrived."""
DIRECT_HISTORY = 8
RECENT = timedelta(hours=1)
"""What was said in private before that is another conversation."""
KEPT = 5000
MY_ROLE = "You mentioned my role, and Discord doesn't let me read such a message. Please mention me: <@{me}>."


class Asking:
    """`follow_ups`: whether messages without a mention can be read at all."""

    def __init__(
        self, client: discord.Client, desk: Desk, members: Members, placing: Placing, *, follow_ups: bool
    ) -> None:
        self._client = client
        self._desk = desk
        self._members = members
        self.errands = placing.errands
        self._placing = placing
        self._follow_ups = follow_ups
        self._askers: OrderedDict[str, str] = OrderedDict()
        self._heard: OrderedDict[int, None] = OrderedDict()

    @property
    def me(self) -> int:
        return self._client.user.id if self._client.user else 0

    def hear(self, message: discord.Message, *, edited: bool = False) -> None:
        """Ask what a message asks, if it asks anything here. An edit counts only where it has a mention that wasn't
        there; what was asked before a restart, the desk knows."""
        if not written_by_a_person(message) or not self._members.served(message.guild.id if message.guild else None):
            return
        if edited and (message.guild is None or message.id in self._heard or not mentions(message, self.me)):
            return
        if message.guild is not None and isinstance(message.channel, discord.PartialMessageable):
            self.errands.start(self._look_up(message), "a channel")
        else:
            self._consider(message, message.channel)

    async def _look_up(self, message: discord.Message) -> None:
        """discord.py doesn't know threads that were in the archive when it started: Discord has to be asked for the
        channel that they belong to."""
        try:
            self._consider(message, await calling(lambda: self._client.fetch_channel(message.channel.id)))
        except ScreenError as error:
            log.warning("the channel of a message is not known: %s", error)

    def _consider(self, message: discord.Message, channel: object) -> None:
        place = place_of(channel, message.guild.id if message.guild else None)
        entry = self._entry(message, channel, place)
        by_role = entry is None and mentions_role(message)
        if not (entry or by_role) or not self._desk.serves(place):
            return
        _keep(self._heard, message.id, None)
        if entry is not None:
            self.errands.start(self._never_silent(message, self._ask(message, channel, place, entry)), "a question")
        else:
            self.errands.start(self._tell(message, MY_ROLE.format(me=self.me)), "a mention of the role")

    def _entry(self, message: discord.Message, channel: object, place: Place) -> Entry | None:
        if place.direct:
            return Entry.DIRECT
        if mentions(message, self.me) or (message.content and mentions_role(message)):
            return Entry.MENTION
        if not (self._follow_ups and isinstance(channel, discord.Thread) and message.content.strip()):
            return None
        taking_part = channel.me is not None or channel.owner_id == self.me
        return Entry.FOLLOW_UP if taking_part and self._desk.follows_up(place) else None

    async def _never_silent(self, message: discord.Message, work: Awaitable[None]) -> None:
        """What nobody foresaw is logged, and who asked reads a sentence instead of nothing."""
        try:
            await work
        except Exception:
            log.exception("a question could not be asked")
            await self._tell(message, wording.INTERNAL)

    async def _tell(self, message: discord.Message, text: str) -> None:
        """In reply to a message."""
        where = self._client.get_partial_messageable(message.channel.id)

        async def opened() -> Spot:
            return Spot(where, reply_to(where.id, message.id, must_exist=True))

        try:
            await ChannelSurface(opened).show(notice(text))
        except ScreenError as error:
            log.info("a message was not answered: %s", error)

    async def _ask(self, message: discord.Message, channel: object, place: Place, entry: Entry) -> None:
        if entry is Entry.FOLLOW_UP and await self._asker(message, place) != str(message.author.id):
            return
        referred = message.reference.resolved if message.reference else None
        text = question_of(message, self.me)
        if isinstance(referred, discord.Message):
            text = text or question_of(referred, self.me)
        asked_in = replace(place, thread=str(message.id)) if _takes_thread(place, channel) else place
        incoming = Incoming(
            keys=(f"discord:message:{message.id}",),
            place=asked_in,
            person=nobody_knows(message.author),
            entry=entry,
            text=text,
            message=str(message.id),
            link=message.jump_url,
        )
        screen = self._placing.screen_for(incoming)
        async with self._desk.receiving(incoming) as new:
            if not new:
                return
            async with asyncio.TaskGroup() as group:
                history = group.create_task(self.before(message.channel, message, place))
                person = group.create_task(self._members.person(message.author))
                if (await asyncio.wait({history, person}, timeout=EARLY_S))[1]:
                    await screen.stage(State.RECEIVED)
            before = history.result()
            if isinstance(referred, discord.Message):
                before = before or [referred]
            await self.put(replace(incoming, person=person.result(), history=turns(reversed(before), self.me)), screen)

    async def put(self, incoming: Incoming, screen: DiscordScreen) -> None:
        """To the desk, which knows whether it was asked before."""
        _keep(self._askers, incoming.place.conversation, incoming.person.id)
        await self._desk.ask(incoming, screen)
        await screen.withdraw()

    async def completed(self, incoming: Incoming) -> Incoming | None:
        """See crag.platform.PlatformBot."""
        place = incoming.place
        await self._client.wait_until_ready()
        if not incoming.message:
            message = await self._placing.echo(incoming)
            if message is None:
                return None
            incoming = replace(incoming, message=str(message.id), link=message.jump_url)
            in_a_channel = not (place.thread or place.direct)
            if in_a_channel and not message.embeds and takes_threads(self._client.get_channel(int(place.channel))):
                incoming = replace(incoming, place=replace(place, thread=str(message.id)))
        where = self._client.get_partial_messageable(int(place.thread or place.channel))
        before, person = await asyncio.gather(
            self.before(where, discord.Object(int(incoming.message)), incoming.place),
            self._members.by_id(int(incoming.person.id), int(place.tenant or 0)),
        )
        return replace(incoming, person=person, history=turns(reversed(before), self.me))

    async def _asker(self, message: discord.Message, place: Place) -> str:
        """Whose question was the last that the bot answered in this thread."""
        if (known := self._askers.get(place.conversation)) is not None:
            return known
        return str(asker_of(await self.before(message.channel, message, place), self.me) or "")

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


def _takes_thread(place: Place, channel: object) -> bool:
    return not place.direct and not place.thread and takes_threads(channel)


def _keep(kept: OrderedDict[K, V], key: K, value: V) -> None:
    """The newest few thousand: what is forgotten costs a look into the thread or the journal."""
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > KEPT:
        kept.popitem(last=False)
