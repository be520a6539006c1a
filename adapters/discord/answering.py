"""Commands and buttons about questions and replies: ask, grade, vote, passages, other words, a human."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import replace

import discord

from adapters.discord import replies
from adapters.discord.asking import Asking
from adapters.discord.buttons import Form, Interaction
from adapters.discord.desk_views import handover_page
from adapters.discord.failures import calling
from adapters.discord.grades import grade_pages
from adapters.discord.limits import CONTENT
from adapters.discord.members import Members
from adapters.discord.pages import Act, Page, Press, notice
from adapters.discord.reading import place_of, question_of, takes_threads, turns
from adapters.discord.responding import may_write, privately, promised, publicly, responded
from adapters.discord.screen import DiscordScreen
from adapters.discord.surfaces import ChannelSurface, Spot
from crag import wording
from crag.errors import CandorError, ScreenError
from crag.events import State
from crag.platform import Desk, Entry, Incoming, Person, Place
from crag.types import Reply

log = logging.getLogger(__name__)

RECALL_S = 1.5
"""How long a form waits for the question that it is filled in with: it has to open within three seconds."""
KEPT = 100
"""How many graded replies are kept for turning their pages, in case the journal has lost them."""
HUMANS = "I asked in {channel}."
NOT_POSTED = "I could not post your question."
ANSWERED = "My answer is in {place}."


class Answering:
    """What a person gets for a command or a button. Everything is asked of the desk anew, so that nothing is trusted
    that stands in a button."""

    def __init__(self, client: discord.Client, desk: Desk, members: Members, asking: Asking) -> None:
        self._client = client
        self._desk = desk
        self._members = members
        self._asking = asking
        self._graded: OrderedDict[tuple[int, str], Reply] = OrderedDict()
        self._handed: OrderedDict[str, str] = OrderedDict()

    async def ask(self, interaction: Interaction, question: str) -> None:
        """Repeats the question, which Discord doesn't show, and answers in a thread on it, or else in place."""
        place = self._place(interaction)
        if not await self.welcome(interaction, place):
            return
        writes = may_write(interaction)
        threaded = writes and takes_threads(interaction.channel) and interaction.app_permissions.create_public_threads
        working = () if threaded else replies.working(State.RECEIVED).embeds
        echo = Page(working, content=replies.asked(question, CONTENT // 2))
        message = await responded(interaction, echo, private=False)
        if message is None:
            return
        incoming = await self._incoming(interaction, place, Entry.COMMAND, question, message)
        if threaded:
            incoming = replace(incoming, place=replace(place, thread=str(message)))
            screen = self._asking.screen_for(incoming)
        elif writes:
            screen = self._asking.screen_for(incoming, first=message)
        else:
            screen = DiscordScreen(publicly(interaction, message), self._asking.errands)
        await self._asking.put(incoming, screen)

    async def ask_about(self, interaction: Interaction, message: discord.Message) -> None:
        """Asks what a message says, in a thread on it. Only the person who asked is told where."""
        place = self._place(interaction)
        if not await self.welcome(interaction, place) or not await promised(interaction):
            return
        text = question_of(message, self._asking.me)
        incoming = await self._incoming(interaction, place, Entry.SHORTCUT, text, message.id)
        private = privately(interaction)
        if not may_write(interaction):
            await self._asking.put(incoming, DiscordScreen(private, self._asking.errands))
            return
        if not place.thread and not place.direct and takes_threads(interaction.channel):
            incoming = replace(incoming, place=replace(place, thread=str(message.id)))
        await self._asking.put(incoming, self._asking.screen_for(incoming))
        where = incoming.place.thread or incoming.place.channel
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

    async def pressed(self, interaction: Interaction, press: Press) -> None:
        """A button of Candor's, whoever pressed it and however old it is."""
        try:
            if not self._members.served(interaction.guild_id):
                await responded(interaction, notice(wording.NOT_HERE), private=True)
            else:
                await self._press(interaction, press)
        except Exception as error:
            await self.failed(interaction, error)

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

    async def _press(self, interaction: Interaction, press: Press) -> None:
        match press.act:
            case Act.NO:
                await self._not_helpful(interaction, press.reply)
            case Act.AGAIN:
                await self._other_words(interaction, press.reply)
            case Act.PAGE:
                await self._turn(interaction, press)
            case _ if await promised(interaction):
                await privately(interaction).show(await self._told(interaction, press))

    async def _told(self, interaction: Interaction, press: Press) -> Page:
        """What a button that only tells or does something answers."""
        place, person = self._place(interaction), await self._members.person(interaction.user)
        match press.act:
            case Act.YES:
                return notice(await self._desk.vote(press.reply, person, helpful=True))
            case Act.CANCEL:
                return notice(await self._desk.cancel(person, place))
            case Act.HUMAN:
                return await self._hand_over(press.reply, place, person)
        reply = await self._recall(interaction, press.reply)
        if reply is None:
            return notice(wording.GONE)
        if press.act is Act.HOW:
            return grade_pages(reply)[0]
        return replies.passage(reply, press.act, press.number or 0) or notice(wording.GONE)

    async def _turn(self, interaction: Interaction, press: Press) -> None:
        """Another page in place of the one that the button is on."""
        await calling(interaction.response.defer, again=False)
        reply = await self._recall(interaction, press.reply)
        if reply is None:
            await privately(interaction).show(notice(wording.GONE))
            return
        pages = grade_pages(reply)
        await privately(interaction).show(pages[min(press.number or 0, len(pages) - 1)])

    async def _not_helpful(self, interaction: Interaction, reply: str) -> None:
        """The vote counts at once; the reason, if there is one, comes with the form."""

        async def given(submitted: Interaction, reason: str) -> None:
            if await promised(submitted):
                person = await self._members.person(submitted.user)
                told = await self._desk.vote(reply, person, helpful=False, reason=reason)
                await privately(submitted).show(notice(told))

        form = Form("What was not helpful?", "What was wrong or missing? (optional)", given, required=False)
        await calling(lambda: interaction.response.send_modal(form), again=False)
        await self._desk.vote(reply, await self._members.person(interaction.user), helpful=False)

    async def _other_words(self, interaction: Interaction, reply: str) -> None:
        try:
            async with asyncio.timeout(RECALL_S):
                past = await self._recall(interaction, reply)
        except TimeoutError:
            past = None
        text = past.question.text if past else ""
        form = Form("Try other words", "Your question", self.ask, text=text)
        await calling(lambda: interaction.response.send_modal(form), again=False)

    async def _hand_over(self, reply: str, place: Place, person: Person) -> Page:
        """Posted once, however often the button is pressed."""
        if (done := self._handed.get(reply)) is not None:
            return notice(done)
        handover = await self._desk.hand_over(reply, place, person)
        if isinstance(handover, str):
            return notice(handover)

        async def opened() -> Spot:
            return Spot(self._client.get_partial_messageable(int(handover.channel)))

        calls = [discord.Object(int(handover.mention))] if handover.mention.isdigit() else []
        surface = ChannelSurface(opened, calls=discord.AllowedMentions(everyone=False, users=False, roles=calls))
        self._handed[reply] = HUMANS.format(channel=f"<#{handover.channel}>")
        try:
            await surface.show(handover_page(handover, person.id))
        except (ScreenError, ValueError) as error:
            log.warning("the question of reply %s could not be handed over: %s", reply, error)
            del self._handed[reply]
            return notice(f"{NOT_POSTED} {error}")
        told = self._handed[reply]
        while len(self._handed) > KEPT:
            self._handed.popitem(last=False)
        return notice(told)

    async def _recall(self, interaction: Interaction, reply: str) -> Reply | None:
        graded = self._graded.get((interaction.user.id, reply))
        return graded or await self._desk.recall(reply, self._place(interaction))

    async def _incoming(
        self, interaction: Interaction, place: Place, entry: Entry, text: str, message: int | None
    ) -> Incoming:
        channel = interaction.channel
        until = discord.Object(message or interaction.id)
        before: list[discord.Message] = []
        if isinstance(channel, discord.Thread | discord.DMChannel) and may_write(interaction):
            before = await self._asking.before(channel, until, place)
        guild = interaction.guild_id or "@me"
        return Incoming(
            keys=(f"discord:interaction:{interaction.id}",),
            place=place,
            person=await self._members.person(interaction.user),
            entry=entry,
            text=text,
            history=turns(reversed(before), self._asking.me),
            message=str(message or ""),
            link=f"https://discord.com/channels/{guild}/{interaction.channel_id}/{message}" if message else "",
        )

    def _place(self, interaction: Interaction) -> Place:
        return place_of(interaction.channel, interaction.guild_id)
