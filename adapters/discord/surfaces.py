"""Where pages are shown: a channel or thread through the bot's own rights, or an interaction through its token."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

import discord

from adapters.discord.buttons import Interaction, view_of
from adapters.discord.failures import ARCHIVED, CLOSED, EXPIRED, UNKNOWN_MESSAGE, Refused, calling
from adapters.discord.pages import Page
from crag.errors import ScreenError

Channel = (
    discord.TextChannel
    | discord.Thread
    | discord.VoiceChannel
    | discord.StageChannel
    | discord.DMChannel
    | discord.PartialMessageable
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A channel or thread, the message there that the first page replies to, and the bot's own one that takes it.
    `answered`: an earlier process has shown the whole reply there."""

    channel: Channel
    reply_to: discord.MessageReference | None = None
    draft: int | None = None
    answered: bool = False


Opening = Callable[[], Awaitable[Spot]]


class Surface(Protocol):
    async def show(self, page: Page) -> None:
        """The page in place of what was shown before. Raises ScreenError."""
        ...

    async def add(self, page: Page) -> None:
        """A further message below. Raises ScreenError."""
        ...

    async def drop(self) -> None:
        """Take away what was shown; if that can't be, it stays."""
        ...


class ChannelSurface:
    """Messages of the bot. The spot is opened (the thread is made) with the first page; `first` is a message of the
    bot's that is there already and takes it. `calls` are the mentions that notify; by default none does."""

    def __init__(
        self, opening: Opening, *, first: int | None = None, calls: discord.AllowedMentions | None = None
    ) -> None:
        self._opening = opening
        self._calls = calls
        self._first = first
        self._spot: Spot | None = None

    async def show(self, page: Page) -> None:
        spot = await self._opened()
        if spot.answered:
            return
        if self._first is None:
            self._first = await self._send(spot, page)
            return
        shown = spot.channel.get_partial_message(self._first)
        try:
            await calling(lambda: shown.edit(**_changes(page)))
        except Refused as refused:
            if refused.code not in (UNKNOWN_MESSAGE, *CLOSED):
                raise
            # A message brings a thread out of the archive, an edit doesn't.
            self._first = await self._send(spot, page)
            if refused.code == ARCHIVED:
                await _dropped(shown.delete)

    async def add(self, page: Page) -> None:
        spot = await self._opened()
        if not spot.answered:
            await self._send(Spot(spot.channel), page)

    async def drop(self) -> None:
        if self._spot is not None and self._first is not None:
            await _dropped(self._spot.channel.get_partial_message(self._first).delete)

    async def _opened(self) -> Spot:
        if self._spot is None:
            self._spot = await self._opening()
            self._first = self._first or self._spot.draft
        return self._spot

    async def _send(self, spot: Spot, page: Page) -> int:
        """The nonce lets Discord see that a message sent again is the same one."""
        channel, nonce = spot.channel, secrets.randbits(63)
        more: dict[str, Any] = {"view": view} if (view := view_of(page.buttons)) else {}
        if spot.reply_to is not None:
            more["reference"] = spot.reply_to
        if self._calls is not None:
            more["allowed_mentions"] = self._calls
        sent = await calling(lambda: channel.send(content=page.content, embeds=list(page.embeds), nonce=nonce, **more))
        return sent.id


class TokenSurface:
    """The answer to an interaction, where the bot has no rights of its own or where only one person may see it. When
    the token has expired (15 minutes), `afterwards` goes on."""

    def __init__(self, interaction: Interaction, afterwards: Surface, *, private: bool) -> None:
        self._interaction = interaction
        self._afterwards = afterwards
        self._private = private
        self._expired = False

    async def show(self, page: Page) -> None:
        if not self._expired:
            try:
                await calling(lambda: self._interaction.edit_original_response(**_changes(page)))
            except Refused as refused:
                if refused.code not in (*EXPIRED, UNKNOWN_MESSAGE):
                    raise
                self._expired = True
        if self._expired:
            await self._afterwards.show(page)

    async def add(self, page: Page) -> None:
        if not self._expired:
            more: dict[str, Any] = {"view": view} if (view := view_of(page.buttons)) else {}
            try:
                await calling(
                    lambda: self._interaction.followup.send(
                        content=page.content or "", embeds=list(page.embeds), ephemeral=self._private, wait=True, **more
                    ),
                    again=False,
                )
            except Refused as refused:
                if refused.code not in EXPIRED:
                    raise
                self._expired = True
        if self._expired:
            await self._afterwards.add(page)

    async def drop(self) -> None:
        await _dropped(self._interaction.delete_original_response)


def _changes(page: Page) -> dict[str, Any]:
    changes: dict[str, Any] = {"embeds": list(page.embeds), "view": view_of(page.buttons)}
    return changes if page.content is None else changes | {"content": page.content}


async def _dropped(delete: Callable[[], Awaitable[None]]) -> None:
    """A placeholder that is of no use any more; if it stays, it does no harm."""
    try:
        await calling(delete)
    except ScreenError:
        return


def in_private(user: discord.User | discord.Member) -> ChannelSurface:
    """The direct messages with a person."""

    async def opened() -> Spot:
        return Spot(await calling(user.create_dm))

    return ChannelSurface(opened)
