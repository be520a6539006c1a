"""What a test sees of the peer: records, and waiting for what should happen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from tests.peers.slack.delivery import Delivery
from tests.peers.slack.sockets import Connection, Sockets
from tests.peers.slack.state import ApiCall, Ephemeral, State, Status, View
from tests.peers.slack.workspace import Message, Where

Json = dict[str, Any]
T = TypeVar("T")

_WRITES = (
    *("chat.postMessage", "chat.postEphemeral", "chat.update", "chat.delete", "response_url", "reactions.add"),
    *("chat.startStream", "chat.appendStream", "chat.stopStream", "assistant.threads.setStatus", "views.open"),
)


class Watching:
    """The half of SlackPeer that only looks."""

    def __init__(self, state: State, sockets: Sockets) -> None:
        self.state = state
        self.sockets = sockets
        self.workspace = state.workspace

    @property
    def deliveries(self) -> list[Delivery]:
        return self.state.deliveries

    @property
    def scopes_used(self) -> set[str]:
        """The bot scopes without which something would have failed so far."""
        return self.state.scopes_used

    @property
    def ephemerals(self) -> list[Ephemeral]:
        return self.state.ephemerals

    @property
    def views(self) -> list[View]:
        return self.state.views

    @property
    def statuses(self) -> list[Status]:
        return self.state.statuses

    @property
    def prompts(self) -> list[Json]:
        return self.state.prompts

    def calls(self, method: str = "") -> list[ApiCall]:
        """The requests to the Web API (and `response_url`), in the order they were answered."""
        return [call for call in self.state.calls if method in ("", call.method)]

    def messages(self, channel: str, *, thread_ts: str | None = None, by: str | None = None) -> list[Message]:
        """The living messages of a channel or thread; `by` is a user id."""
        found = self.workspace.thread(channel, thread_ts) if thread_ts else self.workspace.in_channel(channel)
        return [m for m in found if not m.deleted and by in (None, m.user)]

    def transcript(self, channel: str) -> str:
        """A channel as a person reads it, replies indented."""
        lines = []
        for message in self.messages(channel):
            indent = "    " if message.in_thread else ""
            name = self.workspace.users[message.user].name if message.user in self.workspace.users else message.user
            lines += [f"{indent}{name}:", *(f"{indent}  {line}" for line in message.rendering.splitlines())]
        return "\n".join(lines)

    async def message(
        self,
        channel: str,
        where: Where = lambda message: True,
        *,
        thread_ts: str | None = None,
        within_s: float = 5.0,
    ) -> Message:
        """The first message of the bot (in a thread: the first after its parent) for which `where` holds."""

        def found() -> Message | None:
            mine = self.messages(channel, thread_ts=thread_ts, by=self.workspace.bot.id)
            return next((m for m in mine if m.subtype != "assistant_app_thread" and where(m)), None)

        return await self.until(found, within_s, f"no such message in {channel}")

    async def ephemeral(
        self, user: str, where: Callable[[Ephemeral], bool] = lambda e: True, *, within_s: float = 5.0
    ) -> Ephemeral:
        def found() -> Ephemeral | None:
            return next((e for e in self.ephemerals if e.user == user and not e.deleted and where(e)), None)

        return await self.until(found, within_s, f"no such ephemeral message for {user}")

    async def view(self, user: str, where: Callable[[View], bool] = lambda v: True, *, within_s: float = 5.0) -> View:
        """The open modal or home tab of a person, the topmost first."""

        def found() -> View | None:
            return next((v for v in reversed(self.views) if v.user == user and v.open and where(v)), None)

        return await self.until(found, within_s, f"no such view for {user}")

    async def status(self, message: Message, *, within_s: float = 5.0) -> Status:
        """The status that shows under the thread of `message`."""
        return await self.until(
            lambda: self.state.showing(message.channel, message.root), within_s, "no status in the thread"
        )

    async def connected(self, count: int = 1, *, within_s: float = 10.0) -> list[Connection]:
        """Waits until the app has `count` sockets open that aren't stalled."""

        def found() -> list[Connection] | None:
            live = [c for c in self.sockets.open if not c.stalled]
            return live if len(live) >= count else None

        return await self.until(found, within_s, f"the app didn't open {count} socket(s)")

    async def settled(self, *, within_s: float = 10.0) -> None:
        """Waits until every delivery is acknowledged or given up."""
        await self.until(
            lambda: True if all(d.done.is_set() for d in self.deliveries) else None, within_s, "deliveries under way"
        )

    async def silent(self, *, for_s: float = 0.5) -> None:
        """AssertionError if the bot does anything that one sees (messages, edits, statuses, modals) within `for_s`."""
        before = len(self._writes())
        await asyncio.sleep(for_s)
        if written := self._writes()[before:]:
            raise AssertionError(f"the bot wrote: {[(call.method, call.arguments) for call in written]}")

    async def until(self, found: Callable[[], T | None], within_s: float, complaint: str) -> T:
        """What `found` gives as soon as it isn't None; else AssertionError with all that is there."""
        return await self.state.until(found, within_s, lambda: f"{complaint} within {within_s} s\n{self._scene()}")

    def _writes(self) -> list[ApiCall]:
        return [call for call in self.calls() if call.method in _WRITES]

    def _scene(self) -> str:
        channels = {m.channel for m in self.workspace.messages}
        parts = [f"#{self.workspace.channels[c].name}\n{self.transcript(c)}" for c in sorted(channels)]
        parts += [f"(only {e.user}) {e.rendering}" for e in self.ephemerals]
        parts += [str(delivery) for delivery in self.deliveries]
        parts += [f"{call.method} -> {call.error or 'ok'}" for call in self.calls()[-30:]]
        return "\n".join(parts)
