"""The commands that ask: /ask, a message's menu, /grade."""

from __future__ import annotations

import logging
from collections import OrderedDict
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import discord

from adapters.discord import replies
from adapters.discord.asking import Asking
from adapters.discord.buttons import Interaction
from adapters.discord.grades import grade_pages
from adapters.discord.limits import CONTENT
from adapters.discord.members import Members, nobody_knows
from adapters.discord.pages import Page, notice
from adapters.discord.placing import Placing
from adapters.discord.reading import place_of, question_of, takes_threads, turns
from adapters.discord.responding import may_write, privately, promised, publicly, responded
from crag import wording
from crag.errors import CandorError, ScreenError
from crag.events import State
from crag.platform import Desk, Entry, Incoming, Place
from crag.types import Reply

log = logging.getLogger(__name__)

RECORD_S = 0.05
"""How long the answer to an interaction waits until its question is recorded."""
KEPT = 100
"""How many graded replies are kept for turning their pages, in case the journal has lost them."""
ANSWERED = "My answer is in {place}."


class Answering:
    """Each is answered at once, then asked of the desk."""

    def __init__(self, desk: Desk, members: Members, asking: Asking, placing: Placing) -> None:
        self._desk = desk
        self._members = members
        self._asking = asking
        self._placing = placing
        self._graded: OrderedDict[tuple[int, str], Reply] = OrderedDict()

    async def ask(self, interaction: Interaction, question: str) -> None:
        """Repeats the question, which Discord doesn't show, and answers in a thread on it, or else in place."""
        place = self._place(interaction)
        if not await self.welcome(interaction, place):
            return
        async with self._receiving(interaction, place, Entry.COMMAND, question) as new:
            if not new:
                return
            writes = may_write(interaction)
            threaded = writes and takes_threads(interaction.channel)
            threaded = threaded and interaction.app_permissions.create_public_threads
            working = () if threaded else replies.working(State.RECEIVED).embeds
            echo = Page(working, content=replies.asked(question, CONTENT // 2))
            message = await responded(interaction, echo, private=False)
            if message is None:
                return
            incoming = await self._incoming(interaction, place, Entry.COMMAND, question, message)
            if threaded:
                incoming = replace(incoming, place=replace(place, thread=str(message)))
            if writes:
                screen = self._placing.screen_for(incoming)
            else:
                screen = self._placing.on(publicly(interaction, message))
            await self._asking.put(incoming, screen)

    async def ask_about(self, interaction: Interaction, message: discord.Message) -> None:
        """Asks what a message says, in a thread on it. Only the person who asked is told where."""
        place = self._place(interaction)
        if not await self.welcome(interaction, place) or not await promised(interaction):
            return
        text, private = question_of(message, self._asking.me), privately(interaction)
        asked_in, writes = place, may_write(interaction)
        if writes and not place.thread and not place.direct and takes_threads(interaction.channel):
            asked_in = replace(place, thread=str(message.id))
        async with self._receiving(interaction, asked_in, Entry.SHORTCUT, text, message.id) as new:
            if not new:
                return
            incoming = await self._incoming(interaction, place, Entry.SHORTCUT, text, message.id)
            incoming = replace(incoming, place=asked_in)
            if not writes:
                await self._asking.put(incoming, self._placing.on(private))
                return
            await self._asking.put(incoming, self._placing.screen_for(incoming))
            where = asked_in.thread or asked_in.channel
            await private.show(notice(ANSWERED.format(place=f"<#{where}>")))

    async def grade(self, interaction: Interaction, question: str) -> None:
        """How the passages for a question are judged, for the asker only."""
        place = self._place(interaction)
        if not await self.welcome(interaction, place) or not await promised(interaction):
            return
        reply = await self._desk.grade(await self._incoming(interaction, place, Entry.COMMAND, question, None))
        if isinstance(reply, str):
            await privately(interaction).show(notice(reply or wording.INTERNAL))
            return
        self._graded[interaction.user.id, reply.trace.id] = reply
        while len(self._graded) > KEPT:
            self._graded.popitem(last=False)
        await privately(interaction).show(grade_pages(reply)[0])

    async def failed(self, interaction: Interaction, error: Exception) -> None:
        """A sentence for the person, the rest for the log."""
        if isinstance(error, CandorError):
            log.warning("an interaction could not be answered: %s", error)
        else:
            log.error("an interaction failed", exc_info=error)
        page = replies.trouble()
        try:
            if interaction.response.is_done():
                await privately(interaction).show(page)
            else:
                await responded(interaction, page, private=True)
        except ScreenError as again:
            log.warning("nor could that be said: %s", again)

    async def welcome(self, interaction: Interaction, place: Place) -> bool:
        """Whether this place is served; if not, it is said."""
        if self._members.served(interaction.guild_id) and self._desk.serves(place):
            return True
        await responded(interaction, notice(wording.NOT_HERE), private=True)
        return False

    async def recall(self, interaction: Interaction, reply: str) -> Reply | str:
        graded = self._graded.get((interaction.user.id, reply))
        person = await self._members.person(interaction.user)
        return graded or await self._desk.recall(reply, self._place(interaction), person)

    def _receiving(
        self, interaction: Interaction, place: Place, entry: Entry, text: str, message: int | None = None
    ) -> AbstractAsyncContextManager[bool]:
        return self._desk.receiving(_bare(interaction, place, entry, text, message), within_s=RECORD_S)

    async def _incoming(
        self, interaction: Interaction, place: Place, entry: Entry, text: str, message: int | None
    ) -> Incoming:
        channel = interaction.channel
        until = discord.Object(message or interaction.id)
        before: list[discord.Message] = []
        if isinstance(channel, discord.Thread | discord.DMChannel) and may_write(interaction):
            before = await self._asking.before(channel, until, place)
        return replace(
            _bare(interaction, place, entry, text, message),
            person=await self._members.person(interaction.user),
            history=turns(reversed(before), self._asking.me),
        )

    def _place(self, interaction: Interaction) -> Place:
        return place_of(interaction.channel, interaction.guild_id)


def _bare(interaction: Interaction, place: Place, entry: Entry, text: str, message: int | None) -> Incoming:
    """Before it is known who asks, and what was said before."""
    guild = interaction.guild_id or "@me"
    return Incoming(
        keys=(f"discord:interaction:{interaction.id}",),
        place=place,
        person=nobody_knows(interaction.user),
        entry=entry,
        text=text,
        message=str(message or ""),
        link=f"https://discord.com/channels/{guild}/{interaction.channel_id}/{message}" if message else "",
    )
