"""Streams: their states, what they refuse, how they end."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.peers.slack import Message, SlackPeer
from tests.peers.slack.test_web_api import CHANNEL, refusal

TO: dict[str, Any] = {"recipient_user_id": "U0ADA", "recipient_team_id": "T0CANDOR"}


@pytest.fixture
async def question(peer: SlackPeer) -> Message:
    return await peer.user("U0ADA").says(CHANNEL, "why?")


async def test_a_streamed_answer_grows_in_the_thread(
    peer: SlackPeer, client: AsyncWebClient, question: Message
) -> None:
    stream = await client.chat_stream(channel=CHANNEL, thread_ts=question.ts, buffer_size=5, **TO)
    await stream.append(markdown_text="Because ")
    await stream.append(markdown_text="**it is so**.")
    feedback = {"type": "context", "elements": [{"type": "mrkdwn", "text": "Well supported"}]}
    await stream.stop(blocks=[feedback])
    (answer,) = peer.messages(CHANNEL, thread_ts=question.ts, by="U0CANDOR")
    assert answer.text == "Because **it is so**."
    assert answer.rendering == "Because **it is so**.\n| Well supported"
    assert [(v.by, v.text) for v in answer.versions] == [
        ("chat.startStream", "Because "),
        ("chat.appendStream", "Because **it is so**."),
        ("chat.stopStream", "Because **it is so**."),
    ]
    assert answer.versions[0].rendering == "Because "
    assert not answer.streaming


async def test_a_stream_in_a_channel_needs_its_recipient(client: AsyncWebClient, question: Message) -> None:
    start: dict[str, Any] = {"channel": CHANNEL, "thread_ts": question.ts}
    assert await refusal(client.chat_startStream(**start)) == "missing_recipient_user_id"
    assert await refusal(client.chat_startStream(**start, recipient_user_id="U0ADA")) == "missing_recipient_team_id"
    assert await refusal(client.api_call("chat.startStream", json={"channel": CHANNEL})) == "invalid_arguments"


@pytest.mark.parametrize("pauses", [(301,), (100, 100, 107)])
async def test_a_stream_ends_by_itself_when_idle_or_old(
    peer: SlackPeer, client: AsyncWebClient, question: Message, pauses: tuple[int, ...]
) -> None:
    started = await client.chat_startStream(channel=CHANNEL, thread_ts=question.ts, markdown_text="One. ", **TO)
    where = {"channel": CHANNEL, "ts": started["ts"]}
    for pause in pauses[:-1]:
        peer.skip(pause)
        await client.chat_appendStream(**where, markdown_text="More. ")
    peer.skip(pauses[-1])
    assert await refusal(client.chat_appendStream(**where, markdown_text="late")) == "message_not_in_streaming_state"
    assert await refusal(client.chat_stopStream(**where)) == "message_not_in_streaming_state"
    await client.chat_update(**where, text="The whole answer.", blocks=[])
    assert (await peer.message(CHANNEL)).rendering == "The whole answer."


async def test_a_running_stream_refuses_other_writers(
    peer: SlackPeer, client: AsyncWebClient, question: Message
) -> None:
    started = await client.chat_startStream(channel=CHANNEL, thread_ts=question.ts, markdown_text="One", **TO)
    where = {"channel": CHANNEL, "ts": started["ts"]}
    assert await refusal(client.chat_update(**where, text="x")) == "streaming_state_conflict"
    assert await refusal(client.chat_delete(**where)) == "cant_delete_message"
    chunks = [{"type": "markdown_text", "text": "two"}]
    assert await refusal(client.chat_appendStream(**where, chunks=chunks)) == "streaming_mode_mismatch"
    await client.chat_stopStream(**where)
    assert await refusal(client.chat_stopStream(**where)) == "message_not_in_streaming_state"
    await client.chat_update(**where, text="x")


async def test_a_piece_is_limited_and_the_sum_is_not(
    peer: SlackPeer, client: AsyncWebClient, question: Message
) -> None:
    started = await client.chat_startStream(channel=CHANNEL, thread_ts=question.ts, **TO)
    where = {"channel": CHANNEL, "ts": started["ts"]}
    assert await refusal(client.chat_appendStream(**where, markdown_text="x" * 12_001)) == "msg_too_long"
    await client.chat_appendStream(**where, markdown_text="x" * 12_000)
    await client.chat_appendStream(**where, markdown_text="x" * 12_000)
    await client.chat_stopStream(**where)
    assert len((await peer.message(CHANNEL)).text) == 24_000


async def test_a_status_ends_with_the_reply(peer: SlackPeer, client: AsyncWebClient, question: Message) -> None:
    where: dict[str, Any] = {"channel_id": CHANNEL, "thread_ts": question.ts}
    await client.assistant_threads_setStatus(**where, status="is searching", loading_messages=["Searching ..."])
    assert (await peer.status(question)).text == "is searching"
    await client.assistant_threads_setStatus(**where, status="is reading")
    await client.chat_postMessage(channel=CHANNEL, thread_ts=question.ts, text="done")
    assert [(s.text, s.cleared_by) for s in peer.statuses] == [("is searching", "call"), ("is reading", "reply")]
    await client.assistant_threads_setStatus(**where, status="is thinking")
    peer.skip(121)
    assert peer.state.showing(CHANNEL, question.ts) is None
    assert peer.statuses[-1].cleared_by == "timeout"
