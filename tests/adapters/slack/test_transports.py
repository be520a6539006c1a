"""Socket Mode and HTTP mode: how connections begin, break, heal and end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adapters.slack import SlackBot, slack_bot
from adapters.slack.sockets import Watch
from crag.errors import CandorError, SettingsError
from tests.adapters.slack.conftest import opened, running
from tests.fakes.desk import FakeDesk
from tests.peers.slack import Hostile, SlackPeer

CHANNEL = "C0GENERAL"
HTTP: dict[str, Any] = {"mode": "http", "port": 0, "app_token": ""}


async def answered(peer: SlackPeer, desk: FakeDesk) -> None:
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.message(CHANNEL, thread_ts=question.ts, within_s=8)


async def until_connected(peer: SlackPeer, bot: SlackBot, *, connected: bool = True) -> None:
    await peer.until(lambda: True if bot.connected is connected else None, 8, f"connected isn't {connected}")


async def test_a_killed_connection_is_replaced(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    assert bot.connected
    peer.kill()
    await until_connected(peer, bot, connected=False)
    await peer.connected()
    await until_connected(peer, bot)
    await answered(peer, desk)


async def test_a_disconnect_frame_leads_to_a_new_connection(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    await peer.disconnect("refresh_requested")
    await peer.connected()
    await answered(peer, desk)


async def test_a_stalled_connection_without_pongs_is_replaced(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    peer.stall(pongs=False)
    await peer.connected()
    await answered(peer, desk)


async def test_a_silent_connection_that_looks_alive_is_replaced_in_bounded_time(
    peer: SlackPeer, desk: FakeDesk
) -> None:
    async with running(peer, desk, watch=Watch(ping_s=0.2, look_s=0.05, dead_s=1, silent_s=1, connect_s=2)) as bot:
        peer.stall()
        await peer.connected(within_s=5)
        await answered(peer, desk)
        assert bot.connected


async def test_slack_may_be_away_for_a_while(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    peer.goes_down()
    await until_connected(peer, bot, connected=False)
    await asyncio.sleep(1.5)
    peer.comes_back()
    await until_connected(peer, bot)
    await answered(peer, desk)


async def test_a_spent_ticket_is_not_shown_forever(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    peer.fail("apps.connections.open", times=1, extra={"ok": True, "url": f"{peer.state.base_url}/link/?ticket=spent"})
    peer.kill()
    await until_connected(peer, bot, connected=False)
    await until_connected(peer, bot)
    await answered(peer, desk)


async def test_after_the_end_of_intake_nothing_new_is_taken_and_replies_still_go_out(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.gate = asyncio.Event()
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.status(question)
    await bot.stop_intake()
    await bot.stop_intake()
    assert not bot.connected
    late = await peer.user("U0ADA").mentions(CHANNEL, "too late?")
    desk.gate.set()
    await peer.message(CHANNEL, thread_ts=question.ts)
    await peer.settled()
    assert [incoming.message for incoming in desk.asked] == [question.ts]
    assert not any(d.acked for d in peer.deliveries if d.event.get("ts") == late.ts)


@pytest.mark.parametrize(
    ("end", "sentence"),
    [("revokes", "Slack revoked the bot's token"), ("uninstalls", "The app was uninstalled from the Slack workspace")],
)
async def test_slack_taking_the_bot_away_ends_the_run_with_a_sentence(
    peer: SlackPeer, desk: FakeDesk, end: str, sentence: str
) -> None:
    async with opened(peer, desk) as bot:
        receiving = asyncio.create_task(bot.run())
        await peer.connected()
        getattr(peer, end)()
        with pytest.raises(CandorError, match=sentence):
            await asyncio.wait_for(receiving, 5)
        assert not bot.connected


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"bot_token": "xoxb-wrong"}, "Slack refuses CANDOR_SLACK__BOT_TOKEN (invalid_auth)"),
        ({"app_token": "xapp-wrong"}, "Slack refuses CANDOR_SLACK__APP_TOKEN (invalid_auth)"),
        ({"app_token": "xoxb-100-200-candorbot"}, "CANDOR_SLACK__APP_TOKEN is a Slack token of another kind"),
        ({"mode": "http", "signing_secret": " "}, "CANDOR_SLACK__SIGNING_SECRET is not set"),
    ],
)
async def test_a_wrong_token_ends_the_start_with_a_sentence(
    peer: SlackPeer, desk: FakeDesk, how: dict[str, str], sentence: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        async with opened(peer, desk, **how):
            pass
    assert sentence in str(caught.value)
    assert "xapp-wrong" not in str(caught.value)


@pytest.mark.parametrize("scope", ["users:read", "groups:history", "assistant:write"])
async def test_a_missing_scope_ends_the_start_and_is_named(peer: SlackPeer, desk: FakeDesk, scope: str) -> None:
    peer.scopes(without=scope)
    with pytest.raises(SettingsError, match=f"lacks the scope {scope}"):
        async with opened(peer, desk):
            pass


async def test_the_scope_for_reactions_is_only_needed_where_they_count(peer: SlackPeer, desk: FakeDesk) -> None:
    peer.scopes(without="reactions:read")
    async with opened(peer, desk):
        pass
    with pytest.raises(SettingsError, match="lacks the scope reactions:read"):
        async with opened(peer, desk, reactions=True):
            pass


async def test_the_app_tokens_scope_is_named(peer: SlackPeer, desk: FakeDesk) -> None:
    peer.state.tokens[peer.app.app_token].scopes.clear()
    with pytest.raises(SettingsError, match="connections:write of the app-level token"):
        async with opened(peer, desk):
            pass


async def test_slack_out_of_reach_ends_the_start_with_a_sentence(desk: FakeDesk) -> None:
    with pytest.raises(CandorError, match="Slack can't be reached"):
        async with slack_bot(desk, bot_token="xoxb-1", app_token="xapp-1", api_url="http://127.0.0.1:9/api/"):
            pass


async def test_http_mode_hears_events_commands_and_buttons(peer: SlackPeer, desk: FakeDesk) -> None:
    secret = peer.app.signing_secret
    async with running(peer, desk, **HTTP, signing_secret=secret) as bot:
        assert bot.connected
        assert peer.http is not None
        assert await peer.http.verify() == "3eZbrw1aB10"
        await answered(peer, desk)
        reply = peer.messages(CHANNEL, by="U0CANDOR")[0]
        await peer.user("U0ADA").presses(reply, "candor_graded")
        await peer.view("U0ADA", lambda v: "CORRECT" in v.rendering)
        assert (await peer.user("U0ADA").slash("/ask", "grüße & mehr?", channel=CHANNEL)).acked
        await peer.until(lambda: True if len(desk.asked) == 2 else None, 3, "not asked")
        assert desk.asked[1].text == "grüße & mehr?"
        await bot.stop_intake()
        assert not bot.connected
        await peer.user("U0ADA").mentions(CHANNEL, "too late?")
        await peer.settled()
    assert len(desk.asked) == 2


STATUS = {
    Hostile.NO_SIGNATURE: 401,
    Hostile.BAD_SIGNATURE: 401,
    Hostile.OTHER_BODY: 401,
    Hostile.OLD_TIMESTAMP: 401,
    Hostile.FUTURE_TIMESTAMP: 401,
    Hostile.NO_TIMESTAMP: 401,
    Hostile.TEXT_TIMESTAMP: 401,
    Hostile.NOT_UTF8: 400,
    Hostile.MALFORMED_JSON: 400,
    Hostile.JSON_ARRAY: 400,
    Hostile.JSON_STRING: 400,
    Hostile.EMPTY_BODY: 400,
    Hostile.BAD_FORM_PAYLOAD: 400,
}


async def test_hostile_requests_get_400_or_401(peer: SlackPeer, desk: FakeDesk) -> None:
    async with running(peer, desk, **HTTP, signing_secret=peer.app.signing_secret):
        assert {kind: (await peer.hostile(kind))[0] for kind in Hostile} == STATUS
    assert desk.asked == []


async def test_a_taken_port_ends_the_start_with_a_sentence(peer: SlackPeer, desk: FakeDesk) -> None:
    async with opened(peer, desk, **HTTP, signing_secret="s") as first:
        port = int(first.address.split(":")[2].split("/")[0])
        with pytest.raises(CandorError, match="can't listen for Slack"):
            async with opened(peer, desk, **(HTTP | {"port": port}), signing_secret="s"):
                pass
