"""What a test sees of the peer: records, and waiting for what should happen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from tests.peers.discord.gateway import Connection, Gateway
from tests.peers.discord.interactions import Interaction, Modal
from tests.peers.discord.messages import Message, Sort
from tests.peers.discord.state import ApiCall, State, Typing
from tests.peers.discord.world import Channel, Where

Json = dict[str, Any]
T = TypeVar("T")

_WRITES = (
    *("create_message", "edit_message", "delete_message", "typing", "add_reaction", "remove_reaction"),
    *("start_thread", "start_thread_on_message", "edit_channel", "delete_channel", "interaction_callback"),
    *("create_followup", "edit_original", "delete_original", "edit_followup", "delete_followup"),
)


class Watching:
    """The half of DiscordPeer that only looks. Channels, people and roles go by name or id."""

    def __init__(self, state: State, gateway: Gateway) -> None:
        self.state = state
        self.gateway = gateway
        self.world = state.world

    @property
    def interactions(self) -> list[Interaction]:
        return self.state.interactions

    @property
    def modals(self) -> list[Modal]:
        return self.state.modals

    @property
    def ephemerals(self) -> list[Message]:
        return [m for m in self.world.messages if m.only_for is not None]

    @property
    def identifies(self) -> int:
        """How many sessions were begun: of 1,000 a day."""
        return self.state.identifies

    @property
    def invalid_requests(self) -> int:
        """Answers of 401, 403 and 429 in the last ten minutes: 10,000 are a ban."""
        return self.state.rates.invalid_requests

    def commands(self, guild: str = "") -> dict[str, Json]:
        """The app's registered commands by name, global or of a guild."""
        return {command["name"]: command for command in self.state.commands.get(guild, [])}

    def calls(self, name: str = "") -> list[ApiCall]:
        """The requests to the REST API, in the order they were answered."""
        return [call for call in self.state.calls if name in ("", call.name)]

    def channel(self, name: str | Channel) -> Channel:
        """A channel or thread by name or id."""
        return self.world.channel(name)

    def messages(self, channel: str | Channel, *, by: str | None = None) -> list[Message]:
        """The living messages of a channel or thread that all see, system messages aside; `by` is a name or id."""
        author = self.world.user(by).id if by else None
        there = [m for m in self.world.in_channel(self.channel(channel).id) if not m.deleted and m.only_for is None]
        return [m for m in there if author in (None, m.author) and m.sort in Sort.WRITTEN]

    def threads(self, channel: str | Channel) -> list[Channel]:
        parent = self.channel(channel).id
        return [c for c in self.world.channels.values() if c.parent == parent and not c.deleted]

    def typing(self, channel: str | Channel) -> list[Typing]:
        """When the bot showed that it types there; each lasts ten seconds on the screen."""
        where = self.channel(channel).id
        return [typing for typing in self.state.typings if typing.channel == where]

    def transcript(self, channel: str | Channel) -> str:
        """A channel as a person reads it, its threads indented under their messages."""
        where, lines = self.channel(channel), list[str]()
        for message in self.messages(where):
            lines += [f"{self._author(message)}:", *(f"  {line}" for line in message.rendering.splitlines())]
            if (thread := self.world.thread_on(message)) is not None:
                lines += [f"    > {thread.name}", *(f"    {line}" for line in self.transcript(thread).splitlines())]
        return "\n".join(lines)

    async def message(
        self, channel: str | Channel, where: Where = lambda message: True, *, within_s: float = 5.0
    ) -> Message:
        """The first message of the bot in a channel or thread for which `where` holds; not while it only thinks."""

        def found() -> Message | None:
            mine = self.messages(channel, by=self.world.bot.id)
            return next((m for m in mine if not m.thinking and where(m)), None)

        return await self.until(found, within_s, f"no such message in {channel}")

    async def thread(self, message: Message, *, within_s: float = 5.0) -> Channel:
        """The thread that hangs on `message`."""
        return await self.until(lambda: self.world.thread_on(message), within_s, "no thread on the message")

    async def ephemeral(self, user: str, where: Where = lambda message: True, *, within_s: float = 5.0) -> Message:
        """The first message that only this person sees for which `where` holds; not while it only thinks."""
        person = self.world.user(user).id

        def found() -> Message | None:
            mine = (m for m in self.ephemerals if m.only_for == person and not m.deleted and not m.thinking)
            return next((m for m in mine if where(m)), None)

        return await self.until(found, within_s, f"no such ephemeral message for {user}")

    async def answer(
        self, interaction: Interaction, where: Where = lambda message: True, *, within_s: float = 5.0
    ) -> Message:
        """The response or follow-up of this very interaction for which `where` holds, once it no longer thinks."""

        def found() -> Message | None:
            mine = [m for m in (interaction.original, *interaction.followups) if m is not None and not m.deleted]
            return next((m for m in mine if not m.thinking and where(m)), None)

        return await self.until(found, within_s, f"no such answer to {interaction}")

    async def modal(
        self, user: str, where: Callable[[Modal], bool] = lambda m: True, *, within_s: float = 5.0
    ) -> Modal:
        """The open form before a person's eyes."""
        person = self.world.user(user).id

        def found() -> Modal | None:
            return next((m for m in reversed(self.modals) if m.user == person and m.open and where(m)), None)

        return await self.until(found, within_s, f"no such form for {user}")

    async def connected(self, count: int = 1, *, within_s: float = 10.0) -> list[Connection]:
        """Waits until the app has `count` sessions with an open socket that isn't stalled."""

        def found() -> list[Connection] | None:
            live = [c for c in self.gateway.open if c.session is not None and not c.stalled]
            return live if len(live) >= count else None

        return await self.until(found, within_s, f"the app has no {count} session(s)")

    async def settled(self, *, within_s: float = 10.0) -> None:
        """Waits until every interaction is answered or failed, and no answer thinks any more."""

        def found() -> bool | None:
            return True if all(i.done.is_set() and not i.thinking for i in self.interactions) else None

        await self.until(found, within_s, "interactions under way")

    async def silent(self, *, for_s: float = 0.5) -> None:
        """AssertionError if the bot does anything that one sees (messages, edits, reactions, typing) within `for_s`."""
        before = len(self._writes())
        await asyncio.sleep(for_s)
        if written := self._writes()[before:]:
            raise AssertionError(f"the bot wrote: {[(call.name, call.body) for call in written]}")

    async def until(self, found: Callable[[], T | None], within_s: float, complaint: str) -> T:
        """What `found` gives as soon as it isn't None; else AssertionError with all that is there."""
        return await self.state.until(found, within_s, lambda: f"{complaint} within {within_s} s\n{self._scene()}")

    def _author(self, message: Message) -> str:
        if message.webhook_id not in (None, self.state.app.id):
            return "a webhook"
        return self.world.users[message.author].name

    def _writes(self) -> list[ApiCall]:
        return [call for call in self.calls() if call.name in _WRITES]

    def _scene(self) -> str:
        channels = {m.channel for m in self.world.messages}
        parts = [f"#{self.world.channels[c].name}\n{self.transcript(c)}" for c in sorted(channels)]
        parts += [f"(only {self.world.users[e.only_for or ''].name}) {e.rendering}" for e in self.ephemerals]
        parts += [str(interaction) for interaction in self.interactions]
        parts += [f"{call.name} {call.status} {call.error or ''}" for call in self.calls()[-30:]]
        return "\n".join(parts)
