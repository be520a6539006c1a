"""The adapter, open, on a peer of its own, with a desk that answers as the test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from adapters.discord import DiscordBot, Patience, discord_bot
from tests.adapters.discord.samples import answer
from tests.fakes.desk import FakeDesk
from tests.peers.discord import DiscordPeer, Message, Rates

FAST = Patience(silent=30, lost=30, look=0.05)
HOW = "How was this graded?"


@dataclass
class Memory:
    """Satisfies crag.platform.Remembered."""

    kept: dict[str, str] = field(default_factory=dict)

    async def get(self, name: str) -> str | None:
        return self.kept.get(name)

    async def put(self, name: str, value: str) -> None:
        self.kept[name] = value


@pytest.fixture
async def peer() -> AsyncIterator[DiscordPeer]:
    async with DiscordPeer(rates=Rates.none()) as made:
        yield made


@pytest.fixture
def desk(peer: DiscordPeer) -> FakeDesk:
    return FakeDesk(answer(), admins=frozenset({peer.world.role("candor-admins").id}))


def opened(peer: DiscordPeer, desk: FakeDesk, **how: Any) -> AbstractAsyncContextManager[DiscordBot]:
    """The adapter with the peer's token; `how` overrides what it is given."""
    given: dict[str, Any] = {"token": peer.app.token, "api_url": peer.api_url, "gateway_url": peer.gateway_url}
    return discord_bot(desk, **(given | {"remembered": Memory(), "patience": FAST} | how))


@asynccontextmanager
async def running(peer: DiscordPeer, desk: FakeDesk, **how: Any) -> AsyncIterator[DiscordBot]:
    """Open, and receiving."""
    async with opened(peer, desk, **how) as made:
        receiving = asyncio.create_task(made.run())
        await peer.connected()
        await peer.until(lambda: True if made.connected else None, 5, "the bot doesn't see that it is connected")
        try:
            yield made
        finally:
            receiving.cancel()
            await asyncio.gather(receiving, return_exceptions=True)


@pytest.fixture
async def bot(peer: DiscordPeer, desk: FakeDesk) -> AsyncIterator[DiscordBot]:
    async with running(peer, desk) as made:
        yield made


def settled(message: Message) -> bool:
    """Whether it is a reply in its last form."""
    return HOW in message.rendering


async def answered(peer: DiscordPeer, question: Message) -> Message:
    """The reply in the thread on a question."""
    return await peer.message(await peer.thread(question), settled)


async def asked(peer: DiscordPeer, desk: FakeDesk, count: int = 1) -> None:
    await peer.until(lambda: True if len(desk.asked) >= count else None, 5, f"{count} question(s) not asked")
