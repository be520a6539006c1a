"""A chat platform under load: the bot as a process of its own - real models, real Weaviate, its queue full - on a
platform of loopback with the platform's own rates. Target on 2 cores: of 500 questions at 20/s none is lost,
acknowledgements take under 300 ms (p99), and a sign of life stands within 1 s (p95).

A question counts as lost if neither a reply nor an honest "busy" stands there at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import enum
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bench.results import RESULTS, machine, with_section
from bench.world import HANDBOOK
from config.sections import CHECKOUT
from crag import wording

CHANNELS = 40
"""A platform takes about one message a second in a channel; a flood of questions comes from many."""
QUESTIONS = ("how much can I spend on a hotel?", "what does TOIL stand for?", "how long can a sabbatical be?")
READY_S = 180.0
ACK_S = 3.0
"""The platform's patience, counted for what wasn't acknowledged at all."""
DRAIN_S = 300.0
LOOK_S = 0.5


class Outcome(enum.Enum):
    LOST = enum.auto()
    BUSY = enum.auto()
    ANSWERED = enum.auto()


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of one question. Seconds; `ack` is None where none is asked for, `sign` where nothing shows."""

    outcome: Outcome
    ack: float | None
    sign: float | None


class Flooded(Protocol):
    """A platform of loopback. `name` is the command too; `settings` are the bot's, without CANDOR_."""

    @property
    def name(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, str]: ...

    async def connected(self, within_s: float) -> None: ...

    async def ask(self, number: int) -> None:
        """Somebody asks question `number`; doesn't wait for the bot."""
        ...

    def seen(self) -> list[Seen]:
        """What came of each question so far."""
        ...


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds."""

    asked: int
    lost: int
    busy: int
    acks: list[float]
    signs: list[float]
    seconds: float

    @classmethod
    def of(cls, seen: Sequence[Seen], seconds: float) -> Figures:
        outcomes = [one.outcome for one in seen]
        acks = [one.ack * 1000 for one in seen if one.ack is not None]
        signs = [one.sign * 1000 for one in seen if one.sign is not None]
        return cls(len(seen), outcomes.count(Outcome.LOST), outcomes.count(Outcome.BUSY), acks, signs, seconds)

    def lines(self) -> list[str]:
        """A sentence and a table."""
        return [
            f"{self.asked} questions, all dealt with after {self.seconds:.0f} s: {self.lost} lost, {self.busy} told at "
            "once that the queue is full.",
            "",
            "| what | p50 ms | p95 | p99 | at most |",
            "|---|---|---|---|---|",
            _row("acknowledged", self.acks),
            _row("sign of life", self.signs),
        ]


def _row(name: str, values: list[float]) -> str:
    if len(values) < 2:
        return f"| {name} | - | - | - | - |"
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return f"| {name} | {cuts[49]:.0f} | {cuts[94]:.0f} | {cuts[98]:.0f} | {max(values):.0f} |"


def outcome(renderings: Sequence[str]) -> Outcome:
    """From what the bot's messages under a question say."""
    if any(wording.HOW_GRADED in text for text in renderings):
        return Outcome.ANSWERED
    return Outcome.BUSY if any("I'm busy" in text for text in renderings) else Outcome.LOST


async def measure(platform: Flooded, count: int, per_second: float) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        async with _candor(platform, Path(folder)):
            begin = time.monotonic()
            for number in range(count):
                await asyncio.sleep(max(0.0, begin + number / per_second - time.monotonic()))
                await platform.ask(number)
            end = time.monotonic() + DRAIN_S
            while _lacks(platform) and time.monotonic() < end:  # noqa: ASYNC110 - it is looked at, nothing tells
                await asyncio.sleep(LOOK_S)
            return Figures.of(platform.seen(), time.monotonic() - begin)


def _lacks(platform: Flooded) -> bool:
    return any(one.outcome is Outcome.LOST for one in platform.seen())


@asynccontextmanager
async def _candor(platform: Flooded, folder: Path) -> AsyncIterator[None]:
    """The bot on a fresh index of the example handbook."""
    told = {
        "CHANNELS__DEFAULT__SERVED": "true",
        "LIMITS__PERSON_PER_MINUTE": "10000",
        "LIMITS__CHANNEL_PER_MINUTE": "10000",
        "SERVE__PORT": "0",
        "WEAVIATE__DATA_DIRECTORY": str(folder / "weaviate"),
        "JOURNAL__URL": f"sqlite:///{folder}/journal.db",
        **platform.settings,
    }
    environment = {**os.environ, **{f"CANDOR_{name}": value for name, value in told.items()}}
    program = (sys.executable, "-m", "bot")
    indexing = await asyncio.create_subprocess_exec(*program, "index", str(HANDBOOK), cwd=CHECKOUT, env=environment)
    if await indexing.wait():
        raise SystemExit("indexing failed")
    process = await asyncio.create_subprocess_exec(*program, platform.name, cwd=CHECKOUT, env=environment)
    try:
        await platform.connected(READY_S)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


class Opening(Protocol):
    """Opens the platform, with its own limits or without any."""

    def __call__(self, *, limits: bool) -> AbstractAsyncContextManager[Flooded]: ...


def main(title: str, opening: Opening) -> None:
    """Measure, print, and with --write put the section into bench/RESULTS.md."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--per-second", type=float, default=20)
    parser.add_argument("--no-limits", action="store_true", help="the platform takes as many calls as come")
    parser.add_argument("--write", action="store_true", help="put the figures into bench/RESULTS.md")
    arguments = parser.parse_args()
    limits = not arguments.no_limits
    before = os.getloadavg()[0]

    async def run() -> Figures:
        async with opening(limits=limits) as platform:
            return await measure(platform, arguments.questions, arguments.per_second)

    figures = asyncio.run(run())
    rates = f"{title}'s own rates" if limits else "no rates"
    load = f"Load average {before:.1f} before, {os.getloadavg()[0]:.1f} after."
    how = (
        f"{datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d}, {machine()}: the bot as its own process, real models, "
        f"embedded Weaviate, beside the peer that plays {title} with {rates}; {arguments.per_second:g} questions a "
        f"second in {CHANNELS} channels. {load}"
    )
    text = "\n".join([how, "", *figures.lines()])
    print(text)
    if arguments.write:
        RESULTS.write_text(with_section(RESULTS.read_text(encoding="utf-8"), title, text), encoding="utf-8")
