"""The Web API of the peer, through the SDK's own client."""

from __future__ import annotations

import time

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from tests.peers.slack import SlackPeer

CHANNEL = "C0GENERAL"


async def refusal(call: object) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call  # type: ignore[misc]
    return str(caught.value.response["error"])


async def test_a_bot_learns_who_it_is(client: AsyncWebClient) -> None:
    answer = await client.auth_test()
    assert (answer["user_id"], answer["bot_id"], answer["team_id"]) == ("U0CANDOR", "B0CANDOR", "T0CANDOR")


async def test_tokens_are_checked(peer: SlackPeer, client: AsyncWebClient) -> None:
    assert await refusal(client.auth_test(token="")) == "not_authed"
    assert await refusal(client.auth_test(token="xoxb-other")) == "invalid_auth"
    assert await refusal(client.auth_test(token=peer.app.app_token)) == "not_allowed_token_type"
    assert await refusal(client.apps_connections_open(app_token=peer.app.bot_token)) == "not_allowed_token_type"
    peer.revokes()
    assert await refusal(client.auth_test()) == "token_revoked"


async def test_a_missing_scope_is_named(peer: SlackPeer, client: AsyncWebClient) -> None:
    peer.scopes(without="groups:history")
    await client.conversations_history(channel=CHANNEL)
    with pytest.raises(SlackApiError) as caught:
        await client.conversations_history(channel="C0SECRET")
    assert caught.value.response["error"] == "missing_scope"
    assert caught.value.response["needed"] == "groups:history"
    assert "channels:history" in caught.value.response["provided"].split(",")


async def test_a_bot_writes_only_where_it_may(peer: SlackPeer, client: AsyncWebClient) -> None:
    assert await refusal(client.chat_postMessage(channel="C0RANDOM", text="hi")) == "not_in_channel"
    assert await refusal(client.chat_postMessage(channel="C0OLD", text="hi")) == "is_archived"
    assert await refusal(client.chat_postMessage(channel="C0NOWHERE", text="hi")) == "channel_not_found"
    peer.bot_leaves("C0SECRET")
    assert await refusal(client.conversations_info(channel="C0SECRET")) == "channel_not_found"
    assert await refusal(client.chat_postEphemeral(channel=CHANNEL, user="U0ALIEN", text="x")) == "user_not_in_channel"


async def test_a_request_is_recorded_as_it_came(peer: SlackPeer, client: AsyncWebClient) -> None:
    await client.chat_postMessage(channel=CHANNEL, text="hi", unfurl_links=False)
    message = await peer.message(CHANNEL)
    await client.reactions_add(channel=CHANNEL, name="eyes", timestamp=message.ts)
    await client.conversations_info(channel=CHANNEL)
    posted, reacted, read = peer.calls()
    assert posted.arguments == {"channel": CHANNEL, "text": "hi", "unfurl_links": False}
    assert [(c.verb, c.sent_as) for c in (posted, reacted, read)] == [
        ("POST", "json"),
        ("POST", "query"),
        ("GET", "query"),
    ]
    assert message.reactions == {"eyes": ["U0CANDOR"]}
    assert await refusal(client.reactions_add(channel=CHANNEL, name="eyes", timestamp=message.ts)) == "already_reacted"


async def test_a_reply_to_a_deleted_parent_lands_at_the_root(peer: SlackPeer, client: AsyncWebClient) -> None:
    question = await peer.user("U0ADA").says(CHANNEL, "anyone?")
    await peer.user("U0ADA").deletes(question)
    answer = await client.chat_postMessage(channel=CHANNEL, thread_ts=question.ts, text="yes")
    assert answer["ok"]
    assert "thread_ts" not in answer["message"]
    assert not (await peer.message(CHANNEL)).in_thread


async def test_a_deleted_parent_with_replies_leaves_a_tombstone(peer: SlackPeer, client: AsyncWebClient) -> None:
    question = await peer.user("U0ADA").says(CHANNEL, "anyone?")
    await client.chat_postMessage(channel=CHANNEL, thread_ts=question.ts, text="looking")
    await peer.user("U0ADA").deletes(question)
    thread = await client.conversations_replies(channel=CHANNEL, ts=question.ts)
    assert [m.get("subtype") for m in thread["messages"]] == ["tombstone", None]
    answer = await client.chat_postMessage(channel=CHANNEL, thread_ts=question.ts, text="yes")
    assert answer["message"]["thread_ts"] == question.ts


async def test_threads_and_history_are_read_in_pages(peer: SlackPeer, client: AsyncWebClient) -> None:
    ada = peer.user("U0ADA")
    question = await ada.says(CHANNEL, "first")
    for number in range(3):
        await ada.says(CHANNEL, f"reply {number}", thread_ts=question.ts)
    newest = await ada.says(CHANNEL, "second")
    page = await client.conversations_replies(channel=CHANNEL, ts=question.ts, limit=3)
    assert [m["text"] for m in page["messages"]] == ["first", "reply 0", "reply 1"]
    rest = await client.conversations_replies(
        channel=CHANNEL, ts=question.ts, limit=3, cursor=page["response_metadata"]["next_cursor"]
    )
    assert [m["text"] for m in rest["messages"]] == ["reply 2"]
    history = await client.conversations_history(channel=CHANNEL, latest=newest.ts, inclusive=True)
    assert [m["text"] for m in history["messages"]] == ["second", "first"]
    assert await refusal(client.conversations_replies(channel=CHANNEL, ts="1.000001")) == "thread_not_found"


async def test_who_is_who(peer: SlackPeer, client: AsyncWebClient) -> None:
    assert (await client.users_info(user="U0GUEST"))["user"]["is_restricted"]
    assert (await client.users_info(user="U0VISIT"))["user"]["is_ultra_restricted"]
    assert (await client.users_info(user="U0ALIEN"))["user"]["team_id"] == "T0OTHER"
    assert (await client.conversations_info(channel="C0SHARED"))["channel"]["is_ext_shared"]
    assert (await client.usergroups_users_list(usergroup="S0ADMINS"))["users"] == ["U0CARLA"]
    assert (await client.bots_info(bot="B0OTHER"))["bot"]["user_id"] == "U0OTHERBOT"
    assert (await client.team_info())["team"]["id"] == "T0CANDOR"
    assert (await client.conversations_open(users="U0ADA"))["channel"]["id"] == "D0ADA"
    assert "U0ADA" in (await client.conversations_members(channel=CHANNEL))["members"]


async def test_blocks_that_are_too_long_are_refused_with_the_reason(peer: SlackPeer, client: AsyncWebClient) -> None:
    peer.rates.off = True

    def section(length: int) -> dict[str, object]:
        return {"type": "section", "text": {"type": "mrkdwn", "text": "x" * length}}

    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel=CHANNEL, text="x", blocks=[section(3001)])
    assert caught.value.response["error"] == "invalid_blocks"
    reason = "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"
    assert caught.value.response["errors"] == [reason]
    divider = {"type": "divider"}
    header = {"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}
    buttons = [{"type": "button", "action_id": f"a{n}", "text": {"type": "plain_text", "text": "x"}} for n in range(26)]
    for blocks in (
        [divider] * 51,
        [header],
        [{"type": "actions", "elements": buttons}],
        [{"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * 11}],
        [{"type": "section", "fields": [{"type": "mrkdwn", "text": "x"}] * 11}],
        [{"type": "markdown", "text": "x" * 12_001}],
        [{"type": "context_actions", "elements": []}],
        [{"type": "banner"}],
        [{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]}] * 2,
        [{"type": "card", "actions": [buttons[0] | {"value": "x" * 2001}]}],
        [divider | {"block_id": "one"}, divider | {"block_id": "one"}],
    ):
        assert await refusal(client.chat_postMessage(channel=CHANNEL, text="x", blocks=blocks)) == "invalid_blocks"
    assert (
        await refusal(client.chat_postMessage(channel=CHANNEL, text="x", blocks=[section(2900)] * 5))
        == "msg_blocks_too_long"
    )
    assert (await client.chat_postMessage(channel=CHANNEL, text="x", blocks=[section(2900)] * 4))["ok"]


async def test_long_texts_are_cut_or_refused(peer: SlackPeer, client: AsyncWebClient) -> None:
    peer.rates.off = True
    posted = await client.chat_postMessage(channel=CHANNEL, text="x" * 41_000)
    assert len(posted["message"]["text"]) == 40_000
    assert await refusal(client.chat_update(channel=CHANNEL, ts=posted["ts"], text="x" * 4001)) == "msg_too_long"
    assert await refusal(client.chat_postMessage(channel=CHANNEL, markdown_text="x" * 12_001)) == "msg_too_long"
    assert await refusal(client.api_call("chat.postMessage", json={"channel": CHANNEL})) == "no_text"


async def test_an_update_keeps_blocks_that_it_does_not_name(peer: SlackPeer, client: AsyncWebClient) -> None:
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "*looking*"}}]
    posted = await client.chat_postMessage(channel=CHANNEL, text="looking", blocks=blocks)
    await client.chat_update(channel=CHANNEL, ts=posted["ts"], text="still looking")
    message = await peer.message(CHANNEL)
    assert message.rendering == "*looking*"
    await client.chat_update(channel=CHANNEL, ts=posted["ts"], text="found", blocks=[])
    assert message.rendering == "found"
    assert [(v.by, v.rendering) for v in message.versions] == [
        ("chat.postMessage", "*looking*"),
        ("chat.update", "*looking*"),
        ("chat.update", "found"),
    ]


async def test_only_own_messages_can_be_changed(peer: SlackPeer, client: AsyncWebClient) -> None:
    theirs = await peer.user("U0ADA").says(CHANNEL, "mine")
    assert await refusal(client.chat_update(channel=CHANNEL, ts=theirs.ts, text="x")) == "cant_update_message"
    assert await refusal(client.chat_delete(channel=CHANNEL, ts=theirs.ts)) == "cant_delete_message"
    assert await refusal(client.chat_update(channel=CHANNEL, ts="1.1", text="x")) == "message_not_found"


async def test_a_permalink_points_into_the_thread(peer: SlackPeer, client: AsyncWebClient) -> None:
    question = await peer.user("U0ADA").says(CHANNEL, "?")
    reply = await client.chat_postMessage(channel=CHANNEL, thread_ts=question.ts, text="!")
    link = (await client.chat_getPermalink(channel=CHANNEL, message_ts=reply["ts"]))["permalink"]
    assert link.endswith(f"/p{reply['ts'].replace('.', '')}?thread_ts={question.ts}&cid={CHANNEL}")


async def test_posting_is_held_to_one_a_second_in_a_channel(peer: SlackPeer, client: AsyncWebClient) -> None:
    for _ in range(3):
        await client.chat_postMessage(channel=CHANNEL, text="burst")
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel=CHANNEL, text="one too many")
    assert caught.value.response.status_code == 429
    assert caught.value.response.headers["Retry-After"] == "1"
    await client.chat_postMessage(channel="C0HELP", text="elsewhere")
    peer.skip(1)
    await client.chat_postMessage(channel=CHANNEL, text="later")


async def test_the_sdk_waits_for_a_429_only_with_its_handler(peer: SlackPeer, client: AsyncWebClient) -> None:
    peer.fail("chat.postMessage", status=429, retry_after=1, skip=1)
    await client.chat_postMessage(channel=CHANNEL, text="one")
    assert await refusal(client.chat_postMessage(channel=CHANNEL, text="two")) == "ratelimited"
    client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=1))
    peer.fail("chat.postMessage", status=429, retry_after=1)
    before = time.monotonic()
    await client.chat_postMessage(channel=CHANNEL, text="three")
    assert time.monotonic() - before >= 1
    assert [m.text for m in peer.messages(CHANNEL)] == ["one", "three"]


async def test_a_reply_lost_on_its_way_makes_the_sdk_post_twice(peer: SlackPeer, client: AsyncWebClient) -> None:
    peer.fail("chat.postMessage", drop=True, after=True)
    await client.chat_postMessage(channel=CHANNEL, text="once")
    assert [m.text for m in peer.messages(CHANNEL)] == ["once", "once"]


async def test_scripted_trouble_strikes_where_it_should(peer: SlackPeer, client: AsyncWebClient) -> None:
    peer.fail("chat.update", error="edit_window_closed")
    peer.fail("users.info", error="user_not_found", where=lambda a: a["user"] == "U0BEN")
    peer.fail("team.info", status=503)
    posted = await client.chat_postMessage(channel=CHANNEL, text="x")
    assert await refusal(client.chat_update(channel=CHANNEL, ts=posted["ts"], text="y")) == "edit_window_closed"
    await client.users_info(user="U0ADA")
    assert await refusal(client.users_info(user="U0BEN")) == "user_not_found"
    with pytest.raises(SlackApiError) as caught:
        await client.team_info()
    assert caught.value.response.status_code == 503


async def test_reads_can_be_held_to_the_rule_for_distributed_apps(peer: SlackPeer, client: AsyncWebClient) -> None:
    peer.rates.marketplace_reads = True
    for number in range(16):
        await peer.user("U0ADA").says(CHANNEL, str(number))
    assert len((await client.conversations_history(channel=CHANNEL, limit=100))["messages"]) == 15
    assert await refusal(client.conversations_history(channel=CHANNEL)) == "ratelimited"
