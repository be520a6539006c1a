"""Socket Mode: what the peer sends a Bolt app, and how connections end."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.peers.slack import SlackPeer
from tests.peers.slack.conftest import Bot, bolt

CHANNEL = "C0GENERAL"


async def heard(peer: SlackPeer, bot: Bot, count: int) -> list[dict[str, Any]]:
    await peer.until(lambda: True if len(bot.heard) >= count else None, 3, f"{count} events not heard")
    return bot.heard


async def test_a_mention_comes_twice_with_one_ts_and_two_event_ids(peer: SlackPeer, bot: Bot) -> None:
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days off?")
    bodies = await heard(peer, bot, 2)
    assert {body["event"]["type"] for body in bodies} == {"message", "app_mention"}
    assert {body["event"]["ts"] for body in bodies} == {question.ts}
    assert len({body["event_id"] for body in bodies}) == 2
    assert bodies[0]["event"]["text"] == "<@U0CANDOR> how many days off?"
    await peer.settled()
    assert all(delivery.acked and len(delivery.attempts) == 1 for delivery in peer.deliveries)
    assert all((delivery.latency_s or 1) < 0.4 for delivery in peer.deliveries)


async def test_the_first_delivery_carries_a_retry_number_of_zero(peer: SlackPeer, bot: Bot) -> None:
    await peer.user("U0ADA").says(CHANNEL, "hello")
    await heard(peer, bot, 1)
    assert bot.headers[0]["x-slack-retry-num"] == ["0"]


async def test_the_app_hears_nothing_of_channels_it_is_not_in(peer: SlackPeer, bot: Bot) -> None:
    await peer.user("U0ADA").mentions("C0RANDOM", "are you there?")
    assert peer.deliveries == []


async def test_an_unsubscribed_event_is_not_sent(peer: SlackPeer, bot: Bot) -> None:
    peer.app.events.discard("message.channels")
    await peer.user("U0ADA").mentions(CHANNEL, "hi")
    assert [delivery.event["type"] for delivery in peer.deliveries] == ["app_mention"]


async def test_an_event_without_a_listener_comes_again(peer: SlackPeer, bot: Bot) -> None:
    message = await peer.user("U0ADA").says(CHANNEL, "x")
    await peer.user("U0BEN").reacts(message, "eyes")
    await peer.user("U0BEN").unreacts(message, "eyes")
    await peer.settled()
    delivery = next(d for d in peer.deliveries if d.event["type"] == "reaction_removed")
    assert delivery.gave_up
    assert [(a.number, a.reason) for a in delivery.attempts] == [
        (0, ""),
        (1, "timeout"),
        (2, "timeout"),
        (3, "timeout"),
    ]


async def test_the_same_event_can_be_delivered_again(peer: SlackPeer, bot: Bot) -> None:
    await peer.user("U0ADA").says(CHANNEL, "x")
    await peer.settled()
    peer.redeliver(peer.deliveries[0])
    first, second = await heard(peer, bot, 2)
    assert first["event_id"] == second["event_id"]
    assert bot.headers[1]["x-slack-retry-num"] == ["1"]


async def test_edits_unfurls_and_deletions_are_told(peer: SlackPeer, bot: Bot) -> None:
    ada = peer.user("U0ADA")
    message = await ada.says(CHANNEL, "see https://example.com")
    await peer.unfurls(message)
    await ada.edits(message, "<@U0CANDOR> see this")
    await ada.deletes(message)
    bodies = await heard(peer, bot, 5)
    kinds = [(b["event"]["type"], b["event"].get("subtype")) for b in bodies]
    assert kinds == [
        ("message", None),
        ("message", "message_changed"),
        ("message", "message_changed"),
        ("app_mention", None),
        ("message", "message_deleted"),
    ]
    assert "attachments" in bodies[1]["event"]["message"]
    assert "edited" not in bodies[1]["event"]["message"]
    assert bodies[3]["event"]["edited"]["user"] == "U0ADA"
    assert bodies[2]["event"]["previous_message"]["text"] == "see https://example.com"


async def test_a_message_that_forbids_it_is_not_unfurled(peer: SlackPeer, bot: Bot) -> None:
    await bot.app.client.chat_postMessage(channel=CHANNEL, text="https://x.example", unfurl_links=False)
    assert not await peer.unfurls(await peer.message(CHANNEL))


async def test_bolt_drops_the_bots_own_messages_but_not_other_bots(peer: SlackPeer, bot: Bot) -> None:
    await bot.app.client.chat_postMessage(channel=CHANNEL, text="me")
    await peer.user("U0OTHERBOT").says(CHANNEL, "beep")
    await peer.user("U0OTHERBOT").says(CHANNEL, "boop", classic=True)
    bodies = await heard(peer, bot, 2)
    assert [b["event"]["text"] for b in bodies] == ["beep", "boop"]
    assert [b["event"]["bot_id"] for b in bodies] == ["B0OTHER", "B0OTHER"]
    assert bodies[1]["event"]["subtype"] == "bot_message"
    assert peer.deliveries[0].event["user"] == "U0CANDOR"


async def test_a_broadcast_reply_gives_two_message_events(peer: SlackPeer, bot: Bot) -> None:
    question = await peer.user("U0ADA").says(CHANNEL, "q")
    await peer.user("U0ADA").says(CHANNEL, "a", thread_ts=question.ts, broadcast=True)
    bodies = await heard(peer, bot, 3)
    assert [b["event"].get("subtype") for b in bodies] == [None, None, "thread_broadcast"]
    assert bodies[1]["event"]["ts"] == bodies[2]["event"]["ts"]
    assert bodies[1]["event"]["parent_user_id"] == "U0ADA"


async def test_joins_direct_messages_and_the_assistant_pane(peer: SlackPeer, bot: Bot) -> None:
    ada = peer.user("U0ADA")
    await ada.joins("C0SECRET")
    root = await ada.opens_assistant(looking_at=CHANNEL)
    await ada.dm("hello", thread_ts=root.ts)
    bodies = await heard(peer, bot, 4)
    assert [(b["event"]["type"], b["event"].get("subtype")) for b in bodies] == [
        ("member_joined_channel", None),
        ("message", "channel_join"),
        ("assistant_thread_started", None),
        ("message", None),
    ]
    assert bodies[2]["event"]["assistant_thread"]["context"]["channel_id"] == CHANNEL
    assert bodies[3]["event"]["channel_type"] == "im"
    assert bodies[3]["event"]["thread_ts"] == root.ts


async def test_a_shared_channel_says_whose_message_it_is(peer: SlackPeer, bot: Bot) -> None:
    await peer.user("U0ALIEN").mentions("C0SHARED", "hi")
    for body in await heard(peer, bot, 2):
        assert body["is_ext_shared_channel"]
        assert body["event"]["user_team"] == "T0OTHER"
        assert body["team_id"] == "T0CANDOR"


async def test_each_event_goes_to_one_of_several_sockets(peer: SlackPeer, bot: Bot) -> None:
    second = bolt(peer)
    await second.handler.connect_async()
    await peer.connected(2)
    try:
        for number in range(4):
            await peer.user("U0ADA").says(CHANNEL, str(number))
        await peer.settled()
        await peer.until(lambda: True if len(bot.heard) + len(second.heard) == 4 else None, 3, "4 events")
        assert len(bot.heard) == 2
        assert {d.attempts[0].carrier for d in peer.deliveries} == {"s1", "s2"}
    finally:
        await second.handler.close_async()


async def test_a_disconnect_frame_makes_the_app_connect_anew(peer: SlackPeer, bot: Bot) -> None:
    await peer.disconnect("refresh_requested")
    (connection,) = await peer.connected()
    assert connection.id == "s2"
    await peer.user("U0ADA").says(CHANNEL, "still there?")
    await heard(peer, bot, 1)
    assert len(peer.calls("apps.connections.open")) == 2


async def test_events_survive_a_killed_connection(peer: SlackPeer) -> None:
    bot = bolt(peer, ping_interval=0.1)
    await bot.handler.connect_async()
    await peer.connected()
    try:
        peer.kill()
        await peer.user("U0ADA").says(CHANNEL, "meanwhile")
        await heard(peer, bot, 1)
        assert len(peer.sockets.all) >= 2
    finally:
        await bot.handler.close_async()


async def test_a_stalled_socket_loses_what_is_sent_and_still_looks_connected(peer: SlackPeer, bot: Bot) -> None:
    peer.stall()
    await peer.user("U0ADA").says(CHANNEL, "lost")
    await peer.settled()
    assert bot.heard == []
    assert peer.deliveries[0].gave_up
    assert await bot.handler.client.is_connected()
    assert peer.sockets.all[0].pings > 0


async def test_a_stalled_socket_without_pongs_is_replaced(peer: SlackPeer, bot: Bot) -> None:
    peer.stall(pongs=False)
    (connection,) = await peer.connected()
    assert connection.id == "s2"


async def test_a_ticket_serves_once(peer: SlackPeer) -> None:
    client = AsyncWebClient(base_url=peer.api_url)
    url = (await client.apps_connections_open(app_token=peer.app.app_token))["url"]
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(url) as socket:
            hello = await socket.receive_json()
            assert (hello["type"], hello["num_connections"]) == ("hello", 1)
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(url)
    assert len(peer.sockets.refused) == 1


async def test_the_sdk_shows_a_spent_ticket_again_and_again(peer: SlackPeer) -> None:
    bot = bolt(peer, ping_interval=0.05)
    client = bot.handler.client
    client.wss_uri = peer.sockets.ticket()
    peer.skip(60)
    connecting = asyncio.create_task(bot.handler.connect_async())
    await peer.until(lambda: True if len(peer.sockets.refused) >= 3 else None, 3, "no three tries")
    assert peer.calls("apps.connections.open") == []
    await bot.handler.close_async()
    await connecting


async def test_a_busy_app_acknowledges_late_and_hears_it_again(peer: SlackPeer, bot: Bot) -> None:
    async def block() -> None:
        time.sleep(0.6)  # noqa: ASYNC251 - the event loop is what is being blocked

    bot.app.event("app_home_opened")(block)
    await peer.user("U0ADA").opens_home()
    await asyncio.sleep(0.05)
    await peer.user("U0ADA").says(CHANNEL, "and now?")
    await peer.settled()
    assert max(d.latency_s or 0 for d in peer.deliveries) > 0.4


async def test_slack_can_be_out_of_reach_and_come_back(peer: SlackPeer, bot: Bot) -> None:
    peer.goes_down()
    with pytest.raises(aiohttp.ClientError):
        await bot.app.client.auth_test()
    peer.comes_back()
    await peer.connected()
    assert (await bot.app.client.auth_test())["ok"]


async def test_revoking_the_token_is_told(peer: SlackPeer, bot: Bot) -> None:
    await bot.app.client.auth_test()
    await peer.user("U0ADA").says(CHANNEL, "before")
    await heard(peer, bot, 1)
    peer.revokes()
    await heard(peer, bot, 2)
    assert bot.named("tokens_revoked")


async def test_silence_and_missing_messages_fail_with_the_scene(peer: SlackPeer, bot: Bot) -> None:
    await peer.silent(for_s=0.01)
    question = await peer.user("U0ADA").says(CHANNEL, "anyone?")
    with pytest.raises(AssertionError, match=r"(?s)within 0.05 s.*ada:\n  anyone\?"):
        await peer.message(CHANNEL, thread_ts=question.ts, within_s=0.05)
    writing = asyncio.create_task(bot.app.client.chat_postMessage(channel=CHANNEL, text="me"))
    with pytest.raises(AssertionError, match="the bot wrote"):
        await peer.silent(for_s=0.3)
    await writing
