"""What the buttons do: how it was graded, passages, votes, other words, a human, cancel."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict

import discord

from adapters.discord import replies
from adapters.discord.answering import Answering
from adapters.discord.buttons import Form, Interaction
from adapters.discord.correcting import CorrectionForm
from adapters.discord.desk_views import handover_page
from adapters.discord.escaping import literal
from adapters.discord.failures import calling
from adapters.discord.grades import grade_pages
from adapters.discord.limits import DESCRIPTION
from adapters.discord.members import Members
from adapters.discord.pages import Act, Page, Press, notice
from adapters.discord.reading import place_of
from adapters.discord.responding import privately, promised, responded
from adapters.discord.surfaces import ChannelSurface, Spot
from crag import wording
from crag.errors import ScreenError
from crag.platform import Desk, Person, Place
from crag.types import Reply

log = logging.getLogger(__name__)

RECALL_S = 1.5
"""How long a form waits for the question that it is filled in with: it has to open within three seconds."""
KEPT = 1000
"""How many questions that were handed over are known, so that each is posted once."""
PASSED_ON = wording.PASSED_ON + " It stands in {channel}."


class Pressing:
    """Everything is asked of the desk anew: nothing is trusted that stands in a button."""

    def __init__(self, client: discord.Client, desk: Desk, members: Members, answering: Answering) -> None:
        self._client = client
        self._desk = desk
        self._members = members
        self._answering = answering
        self._handed: OrderedDict[str, str] = OrderedDict()

    async def pressed(self, interaction: Interaction, press: Press) -> None:
        """A button of Candor's, whoever pressed it and however old it is."""
        try:
            if not self._members.served(interaction.guild_id):
                await responded(interaction, notice(wording.NOT_HERE), private=True)
            else:
                await self._press(interaction, press)
        except Exception as error:
            await self._answering.failed(interaction, error)

    async def _press(self, interaction: Interaction, press: Press) -> None:
        match press.act:
            case Act.NO:
                await self._not_helpful(interaction, press.reply)
            case Act.CORRECT:
                await self._correct(interaction, press.reply)
            case Act.AGAIN:
                await self._other_words(interaction, press.reply)
            case Act.PAGE:
                await self._turn(interaction, press)
            case _ if await promised(interaction):
                await privately(interaction).show(await self._told(interaction, press))

    async def _told(self, interaction: Interaction, press: Press) -> Page:
        """What a button that only tells or does something answers."""
        place, person = (
            place_of(interaction.channel, interaction.guild_id),
            await self._members.person(interaction.user),
        )
        match press.act:
            case Act.YES:
                return notice(await self._desk.vote(press.reply, place, person, helpful=True))
            case Act.CANCEL:
                return notice(await self._desk.cancel(person, place, press.reply))
            case Act.HUMAN:
                return await self._hand_over(press.reply, place, person)
        reply = await self._answering.recall(interaction, press.reply)
        if isinstance(reply, str):
            return notice(reply)
        if press.act is Act.HOW:
            return grade_pages(reply)[0]
        return replies.passage(reply, press.act, press.number or 0) or notice(wording.GONE)

    async def _turn(self, interaction: Interaction, press: Press) -> None:
        """Another page in place of the one that the button is on."""
        await calling(interaction.response.defer, again=False)
        reply = await self._answering.recall(interaction, press.reply)
        if isinstance(reply, str):
            await privately(interaction).show(notice(reply))
            return
        pages = grade_pages(reply)
        await privately(interaction).show(pages[min(press.number or 0, len(pages) - 1)])

    async def _not_helpful(self, interaction: Interaction, reply: str) -> None:
        """The vote counts at once; the reason, if there is one, comes with the form."""

        where = place_of(interaction.channel, interaction.guild_id)

        async def given(submitted: Interaction, form: CorrectionForm) -> None:
            if await promised(submitted):
                person = await self._members.person(submitted.user)
                told = await self._desk.vote(reply, where, person, helpful=False, reason=form.reason)
                if form.says_something:
                    told = await self._desk.correct(reply, where, person, form.correction)
                await privately(submitted).show(notice(literal(told, DESCRIPTION)))

        past = await self._soon(interaction, reply)
        form = CorrectionForm(given, past if isinstance(past, Reply) else None, why=True)
        await calling(lambda: interaction.response.send_modal(form), again=False)
        await self._desk.vote(reply, where, await self._members.person(interaction.user), helpful=False)

    async def _correct(self, interaction: Interaction, reply: str) -> None:
        """What the reply should have been. Without its passages where they take too long."""
        where = place_of(interaction.channel, interaction.guild_id)

        async def given(submitted: Interaction, form: CorrectionForm) -> None:
            if await promised(submitted):
                person, told = await self._members.person(submitted.user), wording.CHOOSE_WHAT_IS_RIGHT
                if form.says_something:
                    told = await self._desk.correct(reply, where, person, form.correction)
                await privately(submitted).show(notice(literal(told, DESCRIPTION)))

        past = await self._soon(interaction, reply)
        if isinstance(past, str):
            await responded(interaction, notice(past), private=True)
            return
        form = CorrectionForm(given, past)
        await calling(lambda: interaction.response.send_modal(form), again=False)

    async def _soon(self, interaction: Interaction, reply: str) -> Reply | str | None:
        """The reply, or why not; None where that takes too long."""
        try:
            async with asyncio.timeout(RECALL_S):
                return await self._answering.recall(interaction, reply)
        except TimeoutError:
            return None

    async def _other_words(self, interaction: Interaction, reply: str) -> None:
        """Without the question where it is gone: it can be written anew."""
        past = await self._soon(interaction, reply) or wording.GONE
        if isinstance(past, str) and past != wording.GONE:
            await responded(interaction, notice(past), private=True)
            return
        text = "" if isinstance(past, str) else past.question.text
        form = Form(wording.ASK_AGAIN, wording.YOUR_QUESTION, self._answering.ask, text=text)
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
        self._handed[reply] = PASSED_ON.format(channel=f"<#{handover.channel}>")
        try:
            await surface.show(handover_page(handover, person.id))
        except (ScreenError, ValueError) as error:
            log.warning("the question of reply %s could not be handed over: %s", reply, error)
            del self._handed[reply]
            return notice(f"{wording.NOT_PASSED_ON} {error}")
        told = self._handed[reply]
        while len(self._handed) > KEPT:
            self._handed.popitem(last=False)
        return notice(told)
