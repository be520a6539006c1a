"""Slack's refusals as sentences; answers that aren't Slack's at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from slack_sdk.errors import SlackApiError

from adapters.slack.blocks import Post, section
from adapters.slack.calls import Calls
from adapters.slack.refusals import FAILURES, code_of, is_unclear, retry_after, screen_error, start_error
from crag.errors import ScreenError, ScreenUnreachable, SettingsError
from tests.peers.slack import SlackPeer

POST = Post("hi", (section("hi"),))


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=2)) as made:
        yield made


@pytest.fixture
def calls(peer: SlackPeer, session: aiohttp.ClientSession) -> Calls:
    return Calls(session, peer.app.bot_token, peer.api_url, pauses_s=(0.01, 0.01))


@pytest.mark.parametrize(
    ("answer", "status"), [("{half", 503), ("<html>", 502), ("plain", 503), ("[]", 500), ("{}", 500), ("", 504)]
)
@pytest.mark.parametrize("kind", ["application/json", "text/plain", "text/html"])
async def test_what_a_proxy_answers_is_no_refusal(
    session: aiohttp.ClientSession, answer: str, status: int, kind: str
) -> None:
    async def serve(_: web.Request) -> web.Response:
        return web.Response(text=answer, status=status, content_type=kind)

    app = web.Application()
    app.router.add_route("*", "/{any:.*}", serve)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/api"
        with pytest.raises(ScreenUnreachable, match="Slack can't be reached, or doesn't answer"):
            await Calls(session, "xoxb-1", url, pauses_s=(0.01,)).post("C1", POST)
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("is_archived", "That Slack channel is archived."),
        ("not_in_channel", "I'm not in that Slack channel; invite me there with /invite."),
        ("token_revoked", "Slack no longer accepts the bot token (token_revoked)."),
        ("missing_scope", "lacks the scope"),
        ("something_new", "Slack refused the message: something_new."),
    ],
)
async def test_a_refusal_is_a_sentence(peer: SlackPeer, calls: Calls, code: str, sentence: str) -> None:
    peer.fail("chat.postMessage", error=code, extra={"needed": "chat:write"})
    with pytest.raises(ScreenError) as caught:
        await calls.post("C0GENERAL", POST)
    assert sentence in str(caught.value)
    assert not isinstance(caught.value, ScreenUnreachable)
    assert len(peer.calls("chat.postMessage")) == 1


async def test_what_slack_says_of_its_rates_is_read(peer: SlackPeer, calls: Calls) -> None:
    peer.fail("chat.update", status=429, retry_after=7)
    with pytest.raises(SlackApiError) as caught:
        await calls.loose.chat_update(channel="C0GENERAL", ts="1.1", text="x")
    assert retry_after(caught.value) == 7
    assert code_of(caught.value) == "ratelimited"
    assert not is_unclear(caught.value)


def test_an_error_without_an_answer_is_unclear() -> None:
    assert is_unclear(TimeoutError())
    assert code_of(TimeoutError()) == ""
    assert retry_after(TimeoutError()) == 0
    assert isinstance(TimeoutError(), FAILURES)
    assert str(screen_error(TimeoutError())) == "Slack can't be reached, or doesn't answer."
    assert not isinstance(start_error(TimeoutError(), "X"), SettingsError)


async def test_messages_of_a_channel_go_out_in_order(peer: SlackPeer, calls: Calls) -> None:
    peer.fail("chat.postMessage", status=429, retry_after=1)
    posts = [calls.post("C0GENERAL", Post(str(n), (section(str(n)),))) for n in range(5)]
    await asyncio.gather(*posts)
    assert [message.text for message in peer.messages("C0GENERAL")] == list("01234")
