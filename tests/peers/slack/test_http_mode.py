"""HTTP mode: signatures, redelivery, and hostile requests, against Bolt's own server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from tests.peers.slack import Hostile, SlackPeer

CHANNEL = "C0GENERAL"


@pytest.fixture
async def app(peer: SlackPeer) -> AsyncIterator[AsyncApp]:
    """A Bolt app that serves HTTP, to which the peer delivers."""
    client = AsyncWebClient(token=peer.app.bot_token, base_url=peer.api_url)
    made = AsyncApp(token=peer.app.bot_token, signing_secret=peer.app.signing_secret, client=client)
    runner = web.AppRunner(made.web_app(), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    await peer.http_mode(f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events")
    yield made
    await runner.cleanup()


async def test_a_new_address_is_verified(peer: SlackPeer, app: AsyncApp) -> None:
    assert peer.http is not None
    assert await peer.http.verify() == "3eZbrw1aB10"


async def test_events_commands_and_buttons_are_signed(peer: SlackPeer, app: AsyncApp) -> None:
    seen: list[str] = []

    async def listen(body: dict[str, Any], ack: Any) -> None:
        seen.append(str(body.get("command") or body.get("type")))
        await ack()

    async def hear(event: dict[str, Any], say: Any) -> None:
        seen.append(event["text"])
        element = {"type": "button", "action_id": "more", "text": {"type": "plain_text", "text": "More"}}
        await say(text="hi", blocks=[{"type": "actions", "elements": [element]}])

    async def ignore() -> None:
        pass

    app.event("app_mention")(hear)
    app.event("message")(ignore)
    app.command("/ask")(listen)
    app.action("more")(listen)
    await peer.user("U0ADA").mentions(CHANNEL, "grüße")
    message = await peer.message(CHANNEL)
    assert (await peer.user("U0ADA").slash("/ask", "why & how?", channel=CHANNEL)).acked
    assert (await peer.user("U0ADA").presses(message, "more")).acked
    assert seen == ["<@U0CANDOR> grüße", "/ask", "block_actions"]


async def test_an_unanswered_event_comes_again_with_its_number(peer: SlackPeer, app: AsyncApp) -> None:
    await peer.user("U0ADA").says(CHANNEL, "nobody listens")
    await peer.settled()
    (delivery,) = peer.deliveries
    assert [(a.number, a.status, a.failure) for a in delivery.attempts] == [(n, 404, "http_error") for n in range(4)]


async def test_an_app_that_is_away_gets_nothing(peer: SlackPeer) -> None:
    await peer.http_mode("http://127.0.0.1:9/slack/events")
    delivery = await peer.user("U0ADA").slash("/ask", "x", channel=CHANNEL)
    assert delivery.error == "dispatch_failed"


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (Hostile.BAD_SIGNATURE, 401),
        (Hostile.OTHER_BODY, 401),
        (Hostile.NO_SIGNATURE, 401),
        (Hostile.OLD_TIMESTAMP, 401),
        (Hostile.FUTURE_TIMESTAMP, 401),
        (Hostile.NO_TIMESTAMP, 401),
        (Hostile.TEXT_TIMESTAMP, 500),
        (Hostile.NOT_UTF8, 500),
        (Hostile.MALFORMED_JSON, 500),
        (Hostile.JSON_ARRAY, 500),
    ],
)
async def test_bolt_alone_refuses_strangers_and_falls_over_nonsense(
    peer: SlackPeer, app: AsyncApp, kind: Hostile, status: int
) -> None:
    assert (await peer.hostile(kind))[0] == status
