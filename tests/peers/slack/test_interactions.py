"""Commands, shortcuts, buttons, modals, response URLs, through Bolt."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from tests.peers.slack import Message, SlackPeer
from tests.peers.slack.conftest import Bot

CHANNEL = "C0GENERAL"

FORM = {
    "type": "modal",
    "callback_id": "why",
    "title": {"type": "plain_text", "text": "What was wrong?"},
    "submit": {"type": "plain_text", "text": "Send"},
    "private_metadata": "reply-1",
    "blocks": [
        {
            "type": "input",
            "block_id": "reason",
            "label": {"type": "plain_text", "text": "Reason"},
            "element": {"type": "plain_text_input", "action_id": "text"},
        }
    ],
}


def button(action_id: str, value: str = "v") -> dict[str, Any]:
    text = {"type": "plain_text", "text": action_id.title()}
    return {"type": "button", "action_id": action_id, "value": value, "text": text}


async def posted(peer: SlackPeer, bot: Bot, *elements: dict[str, Any]) -> Message:
    blocks = [{"type": "actions", "elements": list(elements)}]
    answer = await bot.app.client.chat_postMessage(channel=CHANNEL, text="pick", blocks=blocks)
    return await peer.message(CHANNEL, lambda m: m.ts == answer["ts"])


async def test_a_command_shows_what_its_ack_carries(peer: SlackPeer, bot: Bot) -> None:
    async def ask(ack: Any, command: dict[str, Any]) -> None:
        await ack(f"You asked: {command['text']}")

    bot.app.command("/ask")(ask)
    delivery = await peer.user("U0ADA").slash("/ask", "why?", channel=CHANNEL)
    assert delivery.acked
    assert (await peer.ephemeral("U0ADA")).text == "You asked: why?"


async def test_a_command_without_an_answer_times_out_for_the_person(peer: SlackPeer, bot: Bot) -> None:
    delivery = await peer.user("U0ADA").slash("/nobody", channel=CHANNEL)
    assert delivery.error == "operation_timeout"
    assert len(delivery.attempts) == 1


async def test_a_response_url_serves_five_times_in_thirty_minutes(peer: SlackPeer, bot: Bot) -> None:
    urls: list[str] = []

    async def ask(ack: Any, command: dict[str, Any]) -> None:
        urls.append(command["response_url"])
        await ack()

    bot.app.command("/ask")(ask)
    await peer.user("U0ADA").slash("/ask", channel="C0RANDOM")
    await peer.user("U0ADA").slash("/ask", channel="C0RANDOM")
    first, second = (AsyncWebhookClient(url) for url in urls)
    answers = [await first.send(text=str(number)) for number in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [404]
    assert "used_url" in answers[-1].body
    await second.send(text="for all", response_type="in_channel")
    assert (await peer.message("C0RANDOM")).text == "for all"
    peer.skip(1801)
    assert "expired_url" in (await second.send(text="late")).body
    assert [e.text for e in peer.ephemerals] == ["0", "1", "2", "3", "4"]


async def test_a_message_shortcut_carries_the_message(peer: SlackPeer, bot: Bot) -> None:
    seen: list[dict[str, Any]] = []

    async def shortcut(ack: Any, shortcut: dict[str, Any]) -> None:
        seen.append(shortcut)
        await ack()

    bot.app.shortcut("ask_candor")(shortcut)
    message = await peer.user("U0BEN").says(CHANNEL, "how many days off?")
    assert (await peer.user("U0ADA").shortcut("ask_candor", message)).acked
    assert seen[0]["message"]["text"] == "how many days off?"
    assert seen[0]["user"]["id"] == "U0ADA"


async def test_a_pressed_button_says_who_where_and_which(peer: SlackPeer, bot: Bot) -> None:
    seen: list[dict[str, Any]] = []

    async def pressed(ack: Any, body: dict[str, Any], respond: Any) -> None:
        seen.append(body)
        await ack()
        await respond(text="gone", replace_original=True)

    bot.app.action("show")(pressed)
    message = await posted(peer, bot, button("show", "1"), button("hide"))
    await peer.user("U0BEN").presses(message, "show")
    await peer.until(lambda: True if message.text == "gone" else None, 2, "not replaced")
    assert seen[0]["user"]["id"] == "U0BEN"
    assert seen[0]["actions"][0]["value"] == "1"
    assert seen[0]["message"]["ts"] == message.ts
    with pytest.raises(AssertionError, match="nothing to press called 'other'"):
        await peer.user("U0BEN").presses(message, "other")


async def test_feedback_buttons_give_their_value(peer: SlackPeer, bot: Bot) -> None:
    seen: list[str] = []

    async def voted(ack: Any, action: dict[str, Any]) -> None:
        seen.append(action["value"])
        await ack()

    bot.app.action("vote")(voted)
    words = {"type": "plain_text", "text": "Helpful"}
    element = {
        "type": "feedback_buttons",
        "action_id": "vote",
        "positive_button": {"text": words, "value": "up"},
        "negative_button": {"text": words | {"text": "Not helpful"}, "value": "down"},
    }
    blocks = [{"type": "context_actions", "elements": [element]}]
    await bot.app.client.chat_postMessage(channel=CHANNEL, text="answer", blocks=blocks)
    message = await peer.message(CHANNEL)
    assert message.rendering == "[Helpful] [Not helpful]"
    await peer.user("U0ADA").presses(message, "vote", value="down")
    assert seen == ["down"]


async def test_a_modal_is_opened_filled_in_and_checked(peer: SlackPeer, bot: Bot) -> None:
    values: list[str] = []

    async def pressed(ack: Any, body: dict[str, Any], client: Any) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    async def submitted(ack: Any, view: dict[str, Any]) -> None:
        values.append(view["state"]["values"]["reason"]["text"]["value"])
        if len(values) == 1:
            await ack(response_action="errors", errors={"reason": "Say more"})
        else:
            await ack()

    bot.app.action("bad")(pressed)
    bot.app.view("why")(submitted)
    ada = peer.user("U0ADA")
    await ada.presses(await posted(peer, bot, button("bad")), "bad")
    view = await peer.view("U0ADA")
    assert view.rendering == "== What was wrong? ==\nReason*: (plain_text_input: )"
    with pytest.raises(AssertionError, match="'text' must be filled in"):
        await ada.submits(view)
    refused = await ada.submits(view, {"text": "no"})
    assert refused.response == {"response_action": "errors", "errors": {"reason": "Say more"}}
    assert view.open
    await ada.submits(view, {"text": "the number is wrong"})
    assert not view.open
    assert values == ["no", "the number is wrong"]


async def test_a_trigger_serves_once_and_for_three_seconds(peer: SlackPeer, bot: Bot) -> None:
    triggers: list[str] = []

    async def ask(ack: Any, command: dict[str, Any]) -> None:
        triggers.append(command["trigger_id"])
        await ack()

    bot.app.command("/grade")(ask)
    for _ in range(2):
        await peer.user("U0ADA").slash("/grade", channel=CHANNEL)
    client = bot.app.client
    opened = await client.views_open(trigger_id=triggers[0], view=FORM)
    with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
        await client.views_open(trigger_id=triggers[0], view=FORM)
    peer.skip(4)
    with pytest.raises(SlackApiError, match="expired_trigger_id"):
        await client.views_open(trigger_id=triggers[1], view=FORM)
    page = FORM | {"title": {"type": "plain_text", "text": "Page 2"}}
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await client.views_update(view_id=opened["view"]["id"], hash="old", view=page)
    await client.views_update(view_id=opened["view"]["id"], hash=opened["view"]["hash"], view=page)
    assert (await peer.view("U0ADA")).rendering.startswith("== Page 2 ==")
    title = {"type": "plain_text", "text": "x" * 25}
    with pytest.raises(SlackApiError, match="must be less than 25 characters"):
        await client.views_update(view_id=opened["view"]["id"], view=FORM | {"title": title})


async def test_a_home_tab_is_published_for_one_person(peer: SlackPeer, bot: Bot) -> None:
    text = {"type": "mrkdwn", "text": "*Welcome*"}
    home = {"type": "home", "blocks": [{"type": "section", "text": text}]}
    await bot.app.client.views_publish(user_id="U0ADA", view=home)
    assert (await peer.view("U0ADA")).rendering == "== home ==\n*Welcome*"


async def test_an_ephemeral_message_is_for_one_person_and_can_be_taken_back(peer: SlackPeer, bot: Bot) -> None:
    seen: list[dict[str, Any]] = []

    async def dismiss(ack: Any, body: dict[str, Any], respond: Any) -> None:
        seen.append(body)
        await ack()
        await respond(delete_original=True)

    bot.app.action("dismiss")(dismiss)
    blocks = [{"type": "actions", "elements": [button("dismiss")]}]
    await bot.app.client.chat_postEphemeral(channel=CHANNEL, user="U0ADA", text="for you", blocks=blocks)
    shown = await peer.ephemeral("U0ADA")
    await peer.user("U0ADA").presses(shown, "dismiss")
    await peer.until(lambda: True if shown.deleted else None, 2, "not taken back")
    assert seen[0]["container"]["is_ephemeral"]
    assert "message" not in seen[0]
    assert peer.messages(CHANNEL) == []


async def test_the_assistant_pane_gets_prompts_and_a_title(peer: SlackPeer, bot: Bot) -> None:
    root = await peer.user("U0ADA").opens_assistant()
    where = {"channel_id": root.channel, "thread_ts": root.ts}
    client = bot.app.client
    await client.assistant_threads_setSuggestedPrompts(**where, prompts=[{"title": "Leave", "message": "How much?"}])
    await client.assistant_threads_setTitle(**where, title="Days off")
    assert peer.prompts[0]["prompts"] == [{"title": "Leave", "message": "How much?"}]
    assert peer.state.titles == {(root.channel, root.ts): "Days off"}
    with pytest.raises(SlackApiError, match="invalid_arguments"):
        await client.assistant_threads_setSuggestedPrompts(**where, prompts=[{"title": "x", "message": "y"}] * 5)
