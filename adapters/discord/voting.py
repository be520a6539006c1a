"""A thumb up or down under a reply is a vote."""

from __future__ import annotations

import logging

import discord

from adapters.discord.failures import calling
from adapters.discord.members import Members
from adapters.discord.pages import CUSTOM_ID, Act
from adapters.discord.reading import place_of
from crag.errors import ScreenError
from crag.platform import Desk

log = logging.getLogger(__name__)

THUMBS = {"👍": True, "👎": False}
_TONES = "🏻🏼🏽🏾🏿"


class Voting:
    def __init__(self, client: discord.Client, desk: Desk, members: Members) -> None:
        self._client = client
        self._desk = desk
        self._members = members

    def counts(self, reaction: discord.RawReactionActionEvent) -> bool:
        """Whether it is a thumb of a person under a message of the bot's, where the bot answers."""
        me = self._client.user.id if self._client.user else 0
        mine = reaction.message_author_id == me and reaction.user_id != me
        return mine and _thumb(reaction) in THUMBS and self._members.served(reaction.guild_id)

    async def vote(self, reaction: discord.RawReactionActionEvent) -> None:
        """Which reply it is about stands in the buttons of the message."""
        channel = self._client.get_partial_messageable(reaction.channel_id, guild_id=reaction.guild_id)
        try:
            message = await calling(lambda: channel.fetch_message(reaction.message_id))
            user: discord.User | discord.Member
            if reaction.member is not None:
                user = reaction.member
            else:
                user = await calling(lambda: self._client.fetch_user(reaction.user_id))
        except ScreenError as error:
            log.info("a reaction was not counted: %s", error)
            return
        reply = reply_of(message)
        place = place_of(message.channel, reaction.guild_id)
        if user.bot or not reply or not self._desk.serves(place):
            return
        await self._desk.vote(reply, place, await self._members.person(user), helpful=THUMBS[_thumb(reaction)])


def reply_of(message: discord.Message) -> str:
    """The id of the reply that a message shows; "" where it shows none that can be voted on."""
    for row in message.components:
        for item in row.children if isinstance(row, discord.ActionRow) else ():
            found = CUSTOM_ID.fullmatch(getattr(item, "custom_id", None) or "")
            if found is not None and found["act"] == Act.YES:
                return found["reply"]
    return ""


def _thumb(reaction: discord.RawReactionActionEvent) -> str:
    return (reaction.emoji.name or "").rstrip(_TONES)
