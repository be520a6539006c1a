"""The connection to Discord: which events arrive, and who takes them."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import discord

from adapters.discord.administering import Administering
from adapters.discord.answering import Answering
from adapters.discord.asking import Asking
from adapters.discord.buttons import Pressed
from adapters.discord.commands import build_tree
from adapters.discord.errands import Errands
from adapters.discord.members import Members
from adapters.discord.placing import Placing
from adapters.discord.pressing import Pressing
from adapters.discord.reading import place_of
from adapters.discord.rights import missing
from adapters.discord.voting import Voting
from crag.errors import SettingsError
from crag.platform import Desk

log = logging.getLogger(__name__)

INVITE = "`candor discord-invite` prints the link that grants what is needed."


def intents(*, reactions: bool, follow_ups: bool) -> discord.Intents:
    """Message content is a privileged intent: what mentions the bot or is written to it in private needs none."""
    wanted = discord.Intents.none()
    wanted.guilds = wanted.guild_messages = wanted.dm_messages = True
    wanted.guild_reactions = wanted.dm_reactions = reactions
    wanted.message_content = follow_ups
    return wanted


class CandorClient(discord.Client):
    """`heard_at` is when the gateway last said anything (time.monotonic()); `live` whether events arrive; `verdict` is
    set, with an error or None, once it is known whether the bot has what it needs."""

    def __init__(self, desk: Desk, *, guilds: frozenset[str], reactions: bool, follow_ups: bool, humans: bool) -> None:
        super().__init__(
            intents=intents(reactions=reactions, follow_ups=follow_ups),
            allowed_mentions=discord.AllowedMentions.none(),
            enable_debug_events=True,
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
        )
        self._desk = desk
        self.errands = Errands()
        self.members = Members(self, guilds)
        self.placing = Placing(self, self.errands, humans=humans)
        self.asking = Asking(self, desk, self.members, self.placing, follow_ups=follow_ups)
        self.answering = Answering(desk, self.members, self.asking, self.placing)
        self.pressing = Pressing(self, desk, self.members, self.answering)
        self.administering = Administering(desk, self.members, self.answering, self.errands)
        self._voting = Voting(self, desk, self.members)
        self.tree = build_tree(self)
        self.add_dynamic_items(Pressed)
        self.heard_at = time.monotonic()
        self.live = False
        self.verdict: asyncio.Future[SettingsError | None] = asyncio.get_running_loop().create_future()

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        if event == "socket_raw_receive":
            self.heard_at = time.monotonic()
            return
        if self.is_closed():  # discord.py waits up to 2 s before it says that it is ready
            return
        if event in ("connect", "resumed", "disconnect"):
            self.live = event != "disconnect"
        super().dispatch(event, *args, **kwargs)

    async def close(self) -> None:
        await self.errands.close()
        await super().close()

    async def on_ready(self) -> None:
        """Comes again after each new session; what the bot may do is asked once, at the start."""
        if self.verdict.done():
            return
        guilds = [guild for guild in self.guilds if self.members.served(guild.id)]
        if not guilds:
            log.warning("The bot is in no guild yet. %s", INVITE)
        lacking = missing(guilds, lambda channel: self._desk.serves(place_of(channel, channel.guild.id)))
        self.verdict.set_result(SettingsError(lacking, advice=INVITE) if lacking else None)

    async def on_message(self, message: discord.Message) -> None:
        self.asking.hear(message)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Discord also sends this when it adds a preview or a thread: then nothing was edited."""
        if event.message.edited_at is not None:
            self.asking.hear(event.message, edited=True)

    async def on_raw_reaction_add(self, reaction: discord.RawReactionActionEvent) -> None:
        if self._voting.counts(reaction):
            self.errands.start(self._voting.vote(reaction), "a vote")

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        log.exception("the event %s could not be handled", event_method)
