"""Slack and Discord as one person sees them: the same acts and the same sights on both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from crag import wording
from tests.peers import discord, slack

ANSWER_S = 20.0
START_S = 90.0
JOB_S = 30.0
_LINK = re.compile(r"<(https?://[^>|]+)")


@dataclass(frozen=True)
class Seen:
    """A reply on the screen: its text with buttons, whom it notified, and where its links lead."""

    text: str
    pings: list[str]

    @property
    def links(self) -> list[str]:
        return _LINK.findall(self.text)


class Chat(Protocol):
    """`settings` are what Candor is told of it, without CANDOR_."""

    @property
    def settings(self) -> dict[str, str]: ...

    async def connected(self) -> None: ...

    async def ask(self, text: str) -> Seen:
        """Mention the bot in a channel, and wait for the settled reply; nothing of the work may show any more."""
        ...

    async def correct(self, page: str) -> str:
        """Say in the table of grades of the last reply which page is right. Returns what is then said of it."""
        ...

    async def reindex(self) -> str:
        """Let an admin type the command, and wait for the result."""
        ...

    async def status(self) -> str:
        """What an admin reads who asks for it."""
        ...


class SlackChat:
    def __init__(self, peer: slack.SlackPeer) -> None:
        self._peer = peer

    @property
    def settings(self) -> dict[str, str]:
        app = self._peer.app
        tokens = {"BOT_TOKEN": app.bot_token, "APP_TOKEN": app.app_token, "API_URL": self._peer.api_url}
        return {f"SLACK__{name}": value for name, value in (tokens | {"ADMIN_GROUPS": "S0ADMINS"}).items()}

    async def connected(self) -> None:
        await self._peer.connected(within_s=START_S)

    async def ask(self, text: str) -> Seen:
        peer = self._peer
        question = await peer.user("U0ADA").mentions("C0GENERAL", text)
        reply = await peer.message(
            "C0GENERAL", lambda m: _settled(m.rendering), thread_ts=question.ts, within_s=ANSWER_S
        )
        await peer.until(
            lambda: True if peer.state.showing(reply.channel, question.ts) is None else None, 2, "the status stays"
        )
        self._last = reply
        return Seen(reply.rendering, reply.pings)

    async def correct(self, page: str) -> str:
        ada = self._peer.user("U0ADA")
        await ada.presses(self._last, "candor_graded")
        table = await self._peer.view("U0ADA", lambda v: wording.CORRECT_A_VERDICT in v.rendering)
        await ada.presses(table, "candor_correct")
        form = await self._peer.view("U0ADA", lambda v: wording.WHICH_PASSAGES in v.rendering)
        await ada.submits(form, {"truth": "answerable", "page": page})
        return await self._peer.until(lambda: table.rendering if "noted" in table.rendering else None, 5, "not noted")

    async def reindex(self) -> str:
        before = len(self._results)
        assert (await self._peer.user("U0CARLA").slash("/candor", "reindex handbook", channel="C0GENERAL")).acked
        told = await self._peer.until(lambda: self._results[before:] or None, JOB_S, "no result")
        return told[0]

    async def status(self) -> str:
        await self._peer.user("U0CARLA").slash("/candor", "status", channel="C0GENERAL")
        return (await self._peer.ephemeral("U0CARLA", lambda e: "calls today" in e.rendering)).rendering

    @property
    def _results(self) -> list[str]:
        return [m.rendering for m in self._peer.workspace.messages if _finished(m.rendering)]


class DiscordChat:
    def __init__(self, peer: discord.DiscordPeer) -> None:
        self._peer = peer

    @property
    def settings(self) -> dict[str, str]:
        urls = {"API_URL": self._peer.api_url, "GATEWAY_URL": self._peer.gateway_url}
        admins = {"ADMIN_ROLES": self._peer.world.role("candor-admins").id}
        told = {"TOKEN": self._peer.app.token} | urls | admins
        return {f"DISCORD__{name}": value for name, value in told.items()}

    async def connected(self) -> None:
        await self._peer.connected(within_s=START_S)

    async def ask(self, text: str) -> Seen:
        peer = self._peer
        thread = await peer.thread(await peer.user("ada").mentions("general", text), within_s=ANSWER_S)
        reply = await peer.message(thread, lambda m: _settled(m.rendering), within_s=ANSWER_S)
        assert peer.messages(thread, by="candor") == [reply]
        self._last = reply
        return Seen(reply.rendering, reply.pings)

    async def correct(self, page: str) -> str:
        peer, ada = self._peer, self._peer.user("ada")
        table = await peer.answer(await ada.presses(self._last, wording.HOW_GRADED))
        await ada.presses(table, wording.CORRECT_A_VERDICT)
        told = await peer.answer(await ada.submits(await peer.modal("ada"), {"truth": ["answerable"], "page": page}))
        return told.rendering

    async def reindex(self) -> str:
        peer = self._peer
        interaction = await peer.user("dora").slash("candor reindex", channel="general", source="handbook")
        told = await peer.answer(interaction, lambda m: _finished(m.rendering), within_s=JOB_S)
        assert told.ephemeral
        return told.rendering

    async def status(self) -> str:
        return (
            await self._peer.answer(await self._peer.user("dora").slash("candor status", channel="general"))
        ).rendering


def _settled(text: str) -> bool:
    return wording.HOW_GRADED in text


def _finished(text: str) -> bool:
    """Whether it tells how a job went."""
    return " added, " in text
