"""A peer, the SDK's client on it, and a Bolt app in Socket Mode."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from tests.peers.slack import Rates, SlackPeer, Timing


@dataclass
class Bot:
    """A Bolt app that notes what it hears. `heard` are the events of `message` and `app_mention` listeners."""

    app: AsyncApp
    handler: Any  # AsyncSocketModeHandler, whose methods have no types
    heard: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, Any]] = field(default_factory=list)

    def named(self, kind: str) -> list[dict[str, Any]]:
        return [body for body in self.heard if body["event"]["type"] == kind]


@pytest.fixture
async def peer() -> AsyncIterator[SlackPeer]:
    timing = Timing(ack_timeout_s=0.4, retry_delays_s=(0.0, 0.05, 0.05))
    async with SlackPeer(timing=timing, rates=Rates(post_burst=3)) as made:
        yield made


@pytest.fixture
def client(peer: SlackPeer) -> AsyncWebClient:
    return AsyncWebClient(token=peer.app.bot_token, base_url=peer.api_url)


def bolt(peer: SlackPeer, *, ping_interval: float = 0.3) -> Bot:
    app = AsyncApp(
        token=peer.app.bot_token,
        signing_secret=peer.app.signing_secret,
        client=AsyncWebClient(token=peer.app.bot_token, base_url=peer.api_url),
    )
    bot = Bot(app, AsyncSocketModeHandler(app, peer.app.app_token, ping_interval=ping_interval))

    async def hear(body: dict[str, Any], request: Any) -> None:
        bot.heard.append(body)
        bot.headers.append(request.headers)

    for kind in ("message", "app_mention", "reaction_added", "member_joined_channel"):
        app.event(kind)(hear)
    for kind in ("assistant_thread_started", "tokens_revoked"):
        app.event(kind)(hear)
    return bot


@pytest.fixture
async def bot(peer: SlackPeer) -> AsyncIterator[Bot]:
    """Connected by Socket Mode."""
    made = bolt(peer)
    await made.handler.connect_async()
    await peer.connected()
    yield made
    await made.handler.close_async()
