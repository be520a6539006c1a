"""The adapter, open, on a peer of its own, with a desk that answers as the test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from adapters.slack import SlackBot, slack_bot
from adapters.slack.sockets import Watch
from tests.adapters.slack.samples import answer
from tests.fakes.desk import FakeDesk
from tests.peers.slack import Rates, SlackPeer, Timing

FAST = Watch(ping_s=0.2, look_s=0.05, dead_s=0.5, silent_s=30, connect_s=2)
Opened = Callable[..., AbstractAsyncContextManager[SlackBot]]


@pytest.fixture
async def peer() -> AsyncIterator[SlackPeer]:
    timing = Timing(ack_timeout_s=1.0, retry_delays_s=(0.0, 0.05, 0.05))
    async with SlackPeer(timing=timing, rates=Rates.none()) as made:
        yield made


@pytest.fixture
def desk() -> FakeDesk:
    return FakeDesk(answer(), admins=frozenset({"U0CARLA"}))


def opened(peer: SlackPeer, desk: FakeDesk, **how: Any) -> AbstractAsyncContextManager[SlackBot]:
    """The adapter with the peer's tokens; `how` overrides them."""
    given: dict[str, Any] = {"bot_token": peer.app.bot_token, "app_token": peer.app.app_token}
    given |= {"api_url": peer.api_url, "watch": FAST, "pace_s": 0.1}
    return slack_bot(desk, **(given | how))


@asynccontextmanager
async def running(peer: SlackPeer, desk: FakeDesk, **how: Any) -> AsyncIterator[SlackBot]:
    """Open, and receiving."""
    async with opened(peer, desk, **how) as made:
        receiving = asyncio.create_task(made.run())
        if how.get("mode") == "http":
            await peer.http_mode(made.address)
        else:
            await peer.connected()
        try:
            yield made
        finally:
            receiving.cancel()
            await asyncio.gather(receiving, return_exceptions=True)


@pytest.fixture
async def bot(peer: SlackPeer, desk: FakeDesk) -> AsyncIterator[SlackBot]:
    async with running(peer, desk) as made:
        yield made
