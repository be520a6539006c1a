"""What a platform under load is measured by."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from adapters.discord import discord_bot
from adapters.slack import slack_bot
from bench import ackdiscord, ackslack
from bench.flood import Figures, Flooded, Opening, Outcome, Seen, outcome
from crag.platform import PlatformBot
from tests.adapters.discord.conftest import Memory
from tests.adapters.slack.samples import answer
from tests.fakes.desk import FakeDesk

Adapter = Callable[[FakeDesk, Mapping[str, str]], AbstractAsyncContextManager[None]]


def test_a_question_is_lost_where_neither_a_reply_nor_busy_stands() -> None:
    assert outcome([]) is Outcome.LOST
    assert outcome(["Reading the question…"]) is Outcome.LOST
    assert outcome(["I'm busy: all my hands are full. Please ask again in a minute."]) is Outcome.BUSY
    assert outcome(["Five days.", "[How was this graded?]"]) is Outcome.ANSWERED


def test_figures_count_and_spread() -> None:
    seen = [Seen(Outcome.ANSWERED, 0.01, 0.1), Seen(Outcome.BUSY, None, 0.3), Seen(Outcome.LOST, 3.0, None)]
    figures = Figures.of(seen, 60.0)
    assert (figures.asked, figures.lost, figures.busy) == (3, 1, 1)
    assert figures.acks == [10.0, 3000.0]
    assert figures.signs == [100.0, 300.0]
    assert figures.lines()[-1].startswith("| sign of life | 200 | ")
    assert Figures.of([], 0.0).lines()[-1] == "| sign of life | - | - | - | - |"


@asynccontextmanager
async def slack(desk: FakeDesk, told: Mapping[str, str]) -> AsyncIterator[None]:
    opened = slack_bot(
        desk,
        bot_token=told["SLACK__BOT_TOKEN"],
        app_token=told["SLACK__APP_TOKEN"],
        api_url=told["SLACK__API_URL"],
    )
    async with opened as bot, receiving(bot):
        yield


@asynccontextmanager
async def discord(desk: FakeDesk, told: Mapping[str, str]) -> AsyncIterator[None]:
    opened = discord_bot(
        desk,
        token=told["DISCORD__TOKEN"],
        api_url=told["DISCORD__API_URL"],
        gateway_url=told["DISCORD__GATEWAY_URL"],
        remembered=Memory(),
    )
    async with opened as bot, receiving(bot):
        yield


@asynccontextmanager
async def receiving(bot: PlatformBot) -> AsyncIterator[None]:
    running = asyncio.create_task(bot.run())
    try:
        yield
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize(("opening", "adapter"), [(ackslack.opened, slack), (ackdiscord.opened, discord)])
async def test_what_came_of_each_question_is_seen(opening: Opening, adapter: Adapter) -> None:
    """One that is answered, two that are told that I'm busy, one whose bot is gone."""
    desk = FakeDesk(answer())
    async with opening(limits=True) as platform:
        async with adapter(desk, platform.settings):
            await platform.connected(10)
            await platform.ask(0)
            await until(platform, [Outcome.ANSWERED])
            desk.refusal = "I'm busy: all my hands are full. Please ask again in a minute."
            await platform.ask(1)
            await platform.ask(2)
            await until(platform, [Outcome.ANSWERED, Outcome.BUSY, Outcome.BUSY])
            await asyncio.sleep(0.2)
        seen = platform.seen()
        assert all(one.sign is not None and 0 <= one.sign < 3 for one in seen)
        acked = [one.ack for one in seen if one.ack is not None]
        assert len(acked) == (3 if platform.name == "slack" else 2)
        assert all(0 < ack < 3 for ack in acked)
        await platform.ask(3)
        assert platform.seen()[3].outcome is Outcome.LOST


async def until(platform: Flooded, outcomes: list[Outcome]) -> None:
    async with asyncio.timeout(10):
        while [one.outcome for one in platform.seen()] != outcomes:  # noqa: ASYNC110 - it is looked at
            await asyncio.sleep(0.05)
