"""Answers to interactions: within three seconds there is a first response, whatever else is going on."""

from __future__ import annotations

import logging
from typing import Any

import discord

from adapters.discord.buttons import Interaction, view_of
from adapters.discord.failures import calling
from adapters.discord.pages import Page
from adapters.discord.surfaces import Channel, ChannelSurface, Spot, Surface, TokenSurface, in_private
from crag.errors import ScreenError

log = logging.getLogger(__name__)


async def promised(interaction: Interaction) -> bool:
    """Tell Discord that a private answer will come. False where it wants none: it was answered, or it is too late."""
    try:
        await calling(lambda: interaction.response.defer(ephemeral=True, thinking=True), again=False)
    except (ScreenError, discord.InteractionResponded) as error:
        log.info("an interaction takes no answer: %s", error)
        return False
    return True


async def responded(interaction: Interaction, page: Page, *, private: bool) -> int | None:
    """Answer with a page. The id of its message; None where Discord wants no answer any more."""
    more: dict[str, Any] = {"view": view} if (view := view_of(page.buttons)) else {}
    try:
        done = await calling(
            lambda: interaction.response.send_message(
                content=page.content, embeds=list(page.embeds), ephemeral=private, **more
            ),
            again=False,
        )
    except (ScreenError, discord.InteractionResponded) as error:
        log.info("an interaction takes no answer: %s", error)
        return None
    message: int | None = done.message_id
    return message


def privately(interaction: Interaction) -> Surface:
    """Only the person who pressed sees it; from 15 minutes on it goes to their direct messages."""
    return TokenSurface(interaction, in_private(interaction.user), private=True)


def publicly(interaction: Interaction, message: int) -> Surface:
    """The response that is there, changed by the bot's own rights, which don't expire; else by the token."""
    channel = interaction.channel
    if isinstance(channel, Channel) and may_write(interaction):

        async def opened() -> Spot:
            return Spot(channel)

        return ChannelSurface(opened, first=message)
    return TokenSurface(interaction, in_private(interaction.user), private=False)


def may_write(interaction: Interaction) -> bool:
    """Whether the bot may look into the channel and write there: a command works without, too."""
    rights = interaction.app_permissions
    if interaction.guild_id is None:
        return True
    thread = isinstance(interaction.channel, discord.Thread)
    writes = rights.send_messages_in_threads if thread else rights.send_messages
    return rights.view_channel and writes and rights.embed_links
