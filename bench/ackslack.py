"""Slack under load: `candor slack` as a process of its own - real models, real Weaviate, its queue full - on a Slack of
loopback with Slack's own rates. Target on 2 cores: of 500 questions at 20/s none is lost, acknowledgements take under
300 ms (p99), and a sign of life stands within 1 s (p95).

    python -m bench.ackslack [--questions 500] [--per-second 20]

A question counts as lost if neither a reply nor an honest "busy" stands in its thread at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bench.world import HANDBOOK
from config.sections import CHECKOUT
from tests.peers.slack import Channel, Message, SlackPeer, Workspace

CHANNELS = 40
"""Slack takes one message a second in a channel; a flood of questions comes from many."""
QUESTIONS = ("how much can I spend on a hotel?", "what does TOIL stand for?", "how long can a sabbatical be?")
READY_S = 180.0
ACK_S = 3.0
"""Slack's patience, counted for an event that wasn't acknowledged at all."""
DRAIN_S = 300.0


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds; `lost` are questions without any answer."""

    asked: int
    lost: int
    busy: int
    acks: list[float]
    signs: list[float]
    seconds: float

    def lines(self) -> list[str]:
        return [
            f"{self.asked} questions in {self.seconds:.1f} s: {self.lost} lost, {self.busy} told that I am busy",
            f"acknowledged after {_spread(self.acks)}",
            f"sign of life after {_spread(self.signs)}",
        ]


def _spread(values: list[float]) -> str:
    cuts = statistics.quantiles(values, n=100)
    return f"p50 {cuts[49]:.0f} ms, p95 {cuts[94]:.0f} ms, p99 {cuts[98]:.0f} ms, at most {max(values):.0f} ms"


def workspace() -> Workspace:
    made = Workspace.small()
    people = set(made.users)
    for number in range(CHANNELS):
        channel = Channel(f"C1{number:03d}", f"team-{number}", set(people))
        made.channels[channel.id] = channel
    return made


@asynccontextmanager
async def candor(peer: SlackPeer, folder: Path) -> AsyncIterator[None]:
    """`candor slack` on a fresh index of the example handbook."""
    app = peer.app
    environment = {
        **os.environ,
        "CANDOR_SLACK__BOT_TOKEN": app.bot_token,
        "CANDOR_SLACK__APP_TOKEN": app.app_token,
        "CANDOR_SLACK__API_URL": peer.api_url,
        "CANDOR_CHANNELS__DEFAULT__SERVED": "true",
        "CANDOR_LIMITS__PERSON_PER_MINUTE": "10000",
        "CANDOR_LIMITS__CHANNEL_PER_MINUTE": "10000",
        "CANDOR_SERVE__PORT": "0",
        "CANDOR_WEAVIATE__DATA_DIRECTORY": str(folder / "weaviate"),
        "CANDOR_JOURNAL__URL": f"sqlite:///{folder}/journal.db",
    }
    program = (sys.executable, "-m", "bot")
    indexing = await asyncio.create_subprocess_exec(*program, "index", str(HANDBOOK), cwd=CHECKOUT, env=environment)
    if await indexing.wait():
        raise SystemExit("indexing failed")
    process = await asyncio.create_subprocess_exec(*program, "slack", cwd=CHECKOUT, env=environment)
    try:
        await peer.connected(within_s=READY_S)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


async def ask_all(peer: SlackPeer, count: int, per_second: float) -> list[Message]:
    people = [user.id for user in peer.workspace.users.values() if user.id in ("U0ADA", "U0BEN", "U0CARLA")]
    begin, asked = time.monotonic(), []
    for number in range(count):
        await asyncio.sleep(max(0.0, begin + number / per_second - time.monotonic()))
        who = peer.user(people[number % len(people)])
        text = f"{QUESTIONS[number % len(QUESTIONS)]} ({number})"
        asked.append(await who.mentions(f"C1{number % CHANNELS:03d}", text))
    return asked


def replies(peer: SlackPeer, question: Message) -> list[Message]:
    mine = peer.messages(question.channel, thread_ts=question.ts, by=peer.workspace.bot.id)
    return [message for message in mine if "graded?" in message.rendering or "busy" in message.rendering.lower()]


def sign_of_life(peer: SlackPeer, question: Message) -> float | None:
    """Seconds from the question to the first thing that one sees."""
    shown = [s.at for s in peer.statuses if (s.channel, s.thread_ts) == (question.channel, question.ts)]
    mine = peer.messages(question.channel, thread_ts=question.ts, by=peer.workspace.bot.id)
    shown += [message.versions[0].at for message in mine]
    return min(shown) - question.versions[0].at if shown else None


async def measure(count: int, per_second: float) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        async with SlackPeer(workspace()) as peer, candor(peer, Path(folder)):
            begin = time.monotonic()
            asked = await ask_all(peer, count, per_second)
            with suppress(AssertionError):  # what is lost is counted below
                await peer.until(lambda: all(replies(peer, question) for question in asked) or None, DRAIN_S, "")
            seconds = time.monotonic() - begin
            answers = [replies(peer, question) for question in asked]
            signs = [sign * 1000 for question in asked if (sign := sign_of_life(peer, question)) is not None]
            stamps = {question.ts for question in asked}
            mine = [delivery for delivery in peer.deliveries if delivery.event.get("ts") in stamps]
            acks = [(delivery.latency_s or ACK_S) * 1000 for delivery in mine]
            busy = sum("graded?" not in found[0].rendering for found in answers if found)
            return Figures(count, sum(not found for found in answers), busy, acks, signs, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--per-second", type=float, default=20)
    arguments = parser.parse_args()
    figures = asyncio.run(measure(arguments.questions, arguments.per_second))
    print("\n".join(figures.lines()))


if __name__ == "__main__":
    main()
