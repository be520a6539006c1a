"""Slack under load, see bench/flood.py: python -m bench.ackslack [--questions 500] [--per-second 20] [--write]"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from bench.flood import ACK_S, CHANNELS, QUESTIONS, Seen, main, outcome
from tests.peers.slack import Channel, Message, Rates, SlackPeer, Workspace

PEOPLE = ("U0ADA", "U0BEN", "U0CARLA")


class Slack:
    """Mentions. Slack wants each of its events acknowledged."""

    name = "slack"

    def __init__(self, peer: SlackPeer) -> None:
        self._peer = peer
        self._asked: list[Message] = []

    @property
    def settings(self) -> Mapping[str, str]:
        app = self._peer.app
        tokens = {"BOT_TOKEN": app.bot_token, "APP_TOKEN": app.app_token, "API_URL": self._peer.api_url}
        return {f"SLACK__{name}": value for name, value in tokens.items()}

    async def connected(self, within_s: float) -> None:
        await self._peer.connected(within_s=within_s)

    async def ask(self, number: int) -> None:
        who = self._peer.user(PEOPLE[number % len(PEOPLE)])
        text = f"{QUESTIONS[number % len(QUESTIONS)]} ({number})"
        self._asked.append(await who.mentions(f"C1{number % CHANNELS:03d}", text))

    def seen(self) -> list[Seen]:
        """A mention comes as two events: the slower acknowledgement counts."""
        peer, bot = self._peer, self._peer.workspace.bot.id
        acks, shown = defaultdict(list), defaultdict(list)
        for delivery in peer.deliveries:
            acks[delivery.event.get("ts")].append(ACK_S if delivery.latency_s is None else delivery.latency_s)
        for status in peer.statuses:
            shown[status.channel, status.thread_ts].append(status.at)
        found = []
        for question in self._asked:
            mine = peer.messages(question.channel, thread_ts=question.ts, by=bot)
            first = [*shown[question.channel, question.ts], *(message.versions[0].at for message in mine)]
            sign = min(first) - question.versions[0].at if first else None
            found.append(Seen(outcome([m.rendering for m in mine]), max(acks[question.ts], default=ACK_S), sign))
        return found


@asynccontextmanager
async def opened(*, limits: bool) -> AsyncIterator[Slack]:
    made = Workspace.small()
    people = set(made.users)
    for number in range(CHANNELS):
        channel = Channel(f"C1{number:03d}", f"team-{number}", set(people))
        made.channels[channel.id] = channel
    async with SlackPeer(made, rates=Rates() if limits else Rates.none()) as peer:
        yield Slack(peer)


if __name__ == "__main__":
    main("Slack", opened)
