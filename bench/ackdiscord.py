"""Discord under load, see bench/flood.py: python -m bench.ackdiscord [--questions 500] [--per-second 20] [--no-limits]
[--write]

Every second question is an `/ask`, whose first response is timed; a mention needs none. Discord takes 50 calls a second
from a bot, and a question that finds the queue full costs two (a thread, and the sentence in it): 20 questions a second
are near what it allows at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from bench.flood import ACK_S, CHANNELS, QUESTIONS, Seen, main, outcome
from tests.peers.discord import Channel, DiscordPeer, Interaction, Message, Rates, World

PEOPLE = ("ada", "ben", "dora")


class Discord:
    """Mentions and commands by turns."""

    name = "discord"

    def __init__(self, peer: DiscordPeer) -> None:
        self._peer = peer
        self._asked: list[Message | asyncio.Task[Interaction]] = []

    @property
    def settings(self) -> Mapping[str, str]:
        urls = {"API_URL": self._peer.api_url, "GATEWAY_URL": self._peer.gateway_url}
        return {f"DISCORD__{name}": value for name, value in ({"TOKEN": self._peer.app.token} | urls).items()}

    async def connected(self, within_s: float) -> None:
        await self._peer.connected(within_s=within_s)

    async def ask(self, number: int) -> None:
        who = self._peer.user(PEOPLE[number % len(PEOPLE)])
        text, channel = f"{QUESTIONS[number % len(QUESTIONS)]} ({number})", f"team-{number % CHANNELS}"
        if number % 2:
            self._asked.append(await who.mentions(channel, text))
        else:
            self._asked.append(asyncio.create_task(who.slash("ask", question=text, channel=channel)))

    def seen(self) -> list[Seen]:
        return [self._of_message(one) if isinstance(one, Message) else self._of_command(one) for one in self._asked]

    def _of_command(self, asking: asyncio.Task[Interaction]) -> Seen:
        if not asking.done() or (echo := asking.result().original) is None:
            return Seen(outcome([]), ACK_S, None)
        interaction = asking.result()
        shown = self._shown(echo)
        sign = shown.sign + echo.versions[0].at - interaction.made_at if shown.sign is not None else None
        return Seen(shown.outcome, ACK_S if interaction.latency_s is None else interaction.latency_s, sign)

    def _of_message(self, question: Message) -> Seen:
        return self._shown(question)

    def _shown(self, question: Message) -> Seen:
        """In the thread on it; where Discord allows no more threads, in the channel."""
        peer = self._peer
        thread = peer.world.thread_on(question)
        there = peer.messages(thread or question.channel, by=peer.world.bot.id)
        mine = [m for m in there if m.id != question.id and (thread or m.reference == question.id)]
        sign = min((m.versions[0].at for m in mine), default=None)
        return Seen(
            outcome([m.rendering for m in mine]), None, None if sign is None else sign - question.versions[0].at
        )


@asynccontextmanager
async def opened(*, limits: bool) -> AsyncIterator[Discord]:
    world = World.small()
    for number in range(CHANNELS):
        channel = Channel(f"9000000000000005{number:02d}", f"team-{number}")
        world.channels[channel.id] = channel
    async with DiscordPeer(world, rates=Rates() if limits else Rates.none()) as peer:
        yield Discord(peer)


if __name__ == "__main__":
    main("Discord", opened)
