"""Buttons, modals and thumbs under a reply."""

from __future__ import annotations

import asyncio

import pytest

from adapters.slack import SlackBot
from crag import wording
from crag.platform import Entry, Handover
from tests.adapters.slack import samples
from tests.adapters.slack.conftest import running
from tests.fakes.desk import FakeDesk
from tests.peers.slack import Message, SlackPeer

CHANNEL = "C0GENERAL"


async def replied(peer: SlackPeer, channel: str = CHANNEL) -> Message:
    question = await peer.user("U0ADA").mentions(channel, samples.QUESTION)
    return await peer.message(channel, lambda m: "graded?" in m.rendering, thread_ts=question.ts)


async def test_everyone_sees_privately_how_a_reply_was_graded(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    reply = await replied(peer)
    assert (await peer.user("U0BEN").presses(reply, "candor_graded")).acked
    view = await peer.view("U0BEN", lambda v: "CORRECT" in v.rendering)
    assert "0.910, at or above the upper threshold 0.720" in view.rendering
    assert len(peer.messages(CHANNEL)) == 2
    await peer.user("U0BEN").presses(view, "candor_page_on")
    await peer.until(lambda: True if "Timings" in view.rendering else None, 3, "no second page")
    await peer.user("U0BEN").presses(view, "candor_page_back")
    await peer.until(lambda: True if "CORRECT" in view.rendering else None, 3, "not back")


async def test_a_forgotten_reply_is_said_to_be_gone(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    reply = await replied(peer)
    desk.replies.clear()
    await peer.user("U0BEN").presses(reply, "candor_graded")
    view = await peer.view("U0BEN", lambda v: "moment" not in v.rendering)
    assert "I no longer have this reply" in view.rendering


@pytest.mark.parametrize("action", ["candor_graded", "candor_passage", "candor_reword"])
async def test_whoever_is_refused_an_answer_hears_why_from_a_button_too(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, action: str
) -> None:
    desk.reply = samples.abstention()
    reply = await replied(peer)
    desk.refusal = "You are a guest here."
    value = "r1:n2" if action == "candor_passage" else None
    await peer.user("U0GUEST").presses(reply, action, value=value)
    view = await peer.view("U0GUEST", lambda v: "moment" not in v.rendering)
    assert view.rendering.endswith("You are a guest here.")


async def test_the_grade_command_shows_the_table_to_the_asker(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.reply = samples.abstention()
    assert (await peer.user("U0ADA").slash("/grade", "how many days?", channel=CHANNEL)).acked
    view = await peer.view("U0ADA", lambda v: "CORRECT" in v.rendering)
    assert "I don't know" in view.rendering
    assert desk.graded[0].text == "how many days?"
    desk.replies.clear()
    await peer.user("U0ADA").presses(view, "candor_page_on")
    await peer.until(lambda: True if "Timings" in view.rendering else None, 3, "no second page")
    assert peer.messages(CHANNEL, by="U0CANDOR") == []


async def test_a_refused_grading_says_why(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.refusal = "I am busy right now."
    await peer.user("U0ADA").slash("/grade", "how many days?", channel=CHANNEL)
    await peer.view("U0ADA", lambda v: "I am busy right now." in v.rendering)


async def test_a_passage_without_an_address_is_shown_in_a_window(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    reply = await replied(peer)
    await peer.user("U0BEN").presses(reply, "candor_passage", value="r1:c2")
    view = await peer.view("U0BEN", lambda v: "moment" not in v.rendering)
    assert "You may carry over *five days*" in view.rendering
    assert "people/leave-2.md#carrying-over" in view.rendering


async def test_the_nearest_passages_can_be_read(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.reply = samples.abstention()
    reply = await replied(peer)
    await peer.user("U0BEN").presses(reply, "candor_passage", value="r1:n2")
    view = await peer.view("U0BEN", lambda v: "moment" not in v.rendering)
    assert "people/leave-2.md#carrying-over" in view.rendering


async def test_votes_are_counted_and_a_reason_may_be_given(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    reply = await replied(peer)
    ben = peer.user("U0BEN")
    await ben.presses(reply, "candor_vote", value="r1:up")
    assert (await peer.ephemeral("U0BEN")).rendering == "Thank you, that helps."
    await ben.presses(reply, "candor_vote", value="r1:down")
    view = await peer.view("U0BEN")
    await ben.submits(view, {"words": "It is six days now."})
    await peer.until(lambda: True if len(desk.votes) == 3 else None, 3, "three votes")
    assert desk.votes == [
        ("r1", "U0BEN", True, ""),
        ("r1", "U0BEN", False, ""),
        ("r1", "U0BEN", False, "It is six days now."),
    ]
    await ben.presses(reply, "candor_vote", value="r1:down")
    await ben.submits(await peer.view("U0BEN"))
    await peer.until(lambda: True if len(desk.votes) == 4 else None, 3, "four votes")


async def test_a_vote_counts_where_its_reason_cannot_be_asked_for(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    reply = await replied(peer)
    peer.fail("views.open", error="expired_trigger_id")
    await peer.user("U0BEN").presses(reply, "candor_vote", value="r1:down")
    assert (await peer.ephemeral("U0BEN")).rendering == "Thank you, that helps."
    assert desk.votes == [("r1", "U0BEN", False, "")]


async def test_a_window_that_slack_refuses_is_said(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    reply = await replied(peer)
    peer.fail("views.open", error="expired_trigger_id")
    await peer.user("U0BEN").presses(reply, "candor_graded")
    assert "Please try again." in (await peer.ephemeral("U0BEN")).rendering


async def test_a_grading_whose_window_slack_refuses_is_said(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    peer.fail("views.open", error="expired_trigger_id")
    await peer.user("U0ADA").slash("/grade", "how many days?", channel=CHANNEL)
    assert "Please try again." in (await peer.ephemeral("U0ADA")).rendering


async def test_a_window_whose_answer_is_lost_is_said(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    reply = await replied(peer)
    peer.fail("views.open", drop=True)
    await peer.user("U0BEN").presses(reply, "candor_graded")
    assert "Please try again." in (await peer.ephemeral("U0BEN")).rendering


@pytest.mark.parametrize("on", [True, False])
async def test_thumbs_are_votes_where_the_setting_says_so(peer: SlackPeer, desk: FakeDesk, on: bool) -> None:
    async with running(peer, desk, reactions=on):
        reply = await replied(peer)
        await peer.user("U0BEN").reacts(reply, "+1")
        await peer.user("U0CARLA").reacts(reply, "thumbsdown::skin-tone-3")
        await peer.user("U0BEN").reacts(reply, "eyes")
        question = peer.messages(CHANNEL)[0]
        await peer.user("U0BEN").reacts(question, "+1")
        await peer.settled()
        if on:
            await peer.until(lambda: True if len(desk.votes) == 2 else None, 3, "two votes")
    assert sorted(desk.votes) == ([("r1", "U0BEN", True, ""), ("r1", "U0CARLA", False, "")] if on else [])


async def test_a_thumb_under_the_sources_of_a_long_reply_counts(peer: SlackPeer, desk: FakeDesk) -> None:
    async with running(peer, desk, reactions=True):
        desk.reply = samples.long_answer(10_000)
        reply = await replied(peer)
        assert not [block for block in reply.blocks if str(block["block_id"]).startswith("said:")]
        await peer.user("U0BEN").reacts(reply, "+1")
        await peer.until(lambda: desk.votes or None, 3, "no vote")
    assert desk.votes == [("r1", "U0BEN", True, "")]


async def test_a_question_goes_to_humans_once_with_a_link_back(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.reply = samples.abstention()
    desk.handover = Handover("C0HELP", "S0ADMINS", "how many days & <why>?", "")
    reply = await replied(peer)
    await peer.user("U0ADA").presses(reply, "candor_human")
    passed = await peer.message("C0HELP")
    assert passed.rendering.splitlines()[0].startswith("<!subteam^S0ADMINS> <@U0ADA> has a question")
    assert "> how many days & <why>?" in passed.rendering
    assert f"archives/{CHANNEL}/p{reply.ts.replace('.', '')}" in passed.rendering
    assert passed.pings == ["!subteam^S0ADMINS", "@U0ADA"]
    await peer.until(lambda: True if "Passed on" in reply.rendering else None, 3, "not marked")
    assert "Ask a human" not in reply.rendering
    assert "Try other words" in reply.rendering


async def test_two_presses_at_once_pass_a_question_on_once(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.reply = samples.abstention()
    desk.handover = Handover("C0HELP", "", "how many?", "")
    reply = await replied(peer)
    peer.fail("chat.postMessage", delay_s=0.3)
    ada, ben = peer.user("U0ADA"), peer.user("U0BEN")
    await asyncio.gather(ada.presses(reply, "candor_human"), ben.presses(reply, "candor_human"))
    await peer.until(lambda: peer.ephemerals or None, 3, "the second isn't told")
    assert "passed" in peer.ephemerals[0].rendering
    assert len(peer.messages("C0HELP")) == 1


async def test_a_question_that_was_passed_on_is_never_said_not_to_be(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.reply = samples.abstention()
    desk.handover = Handover("C0HELP", "", "how many?", "")
    reply = await replied(peer)
    peer.fail("chat.update", error="cant_update_message")
    await peer.user("U0ADA").presses(reply, "candor_human")
    assert (await peer.ephemeral("U0ADA")).rendering == "I passed your question on."
    await peer.user("U0ADA").presses(reply, "candor_human")
    await peer.until(lambda: True if len(peer.ephemerals) == 2 else None, 3, "not told")
    assert len(peer.messages("C0HELP")) == 1


@pytest.mark.parametrize("action", ["candor_vote", "candor_human"])
async def test_a_button_whose_work_fails_says_so(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    desk.reply = samples.abstention()
    reply = await replied(peer)
    monkeypatch.setattr(desk, "vote", broken)
    monkeypatch.setattr(desk, "hand_over", broken)
    await peer.user("U0BEN").presses(reply, action, value="r1:up" if action == "candor_vote" else None)
    assert (await peer.ephemeral("U0BEN")).rendering == wording.INTERNAL


async def test_a_reason_that_cannot_be_kept_is_said(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = await replied(peer)
    await peer.user("U0BEN").presses(reply, "candor_vote", value="r1:down")
    view = await peer.view("U0BEN")
    monkeypatch.setattr(desk, "vote", broken)
    await peer.user("U0BEN").submits(view, {"words": "It is six days now."})
    assert (await peer.ephemeral("U0BEN")).rendering == wording.INTERNAL


async def broken(*_: object, **__: object) -> None:
    raise RuntimeError("nobody foresaw this")


async def test_without_a_channel_for_humans_there_is_no_button(peer: SlackPeer, desk: FakeDesk) -> None:
    desk.reply = samples.abstention()
    async with running(peer, desk, humans=False):
        reply = await replied(peer)
    assert "[Try other words] [How was this graded?]" in reply.rendering
    assert "Ask a human" not in reply.rendering


async def test_where_no_human_can_be_asked_it_is_said(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.reply = samples.abstention()
    await peer.user("U0ADA").presses(await replied(peer), "candor_human")
    assert (await peer.ephemeral("U0ADA")).rendering == "No channel is set up for this."


async def test_a_handover_that_slack_refuses_is_said(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.reply = samples.abstention()
    desk.handover = Handover("C0RANDOM", "", "how many?", "")
    reply = await replied(peer)
    await peer.user("U0ADA").presses(reply, "candor_human")
    assert "I couldn't pass your question on. I'm not in" in (await peer.ephemeral("U0ADA")).rendering
    assert "Ask a human" in reply.rendering


async def test_other_words_ask_again_in_the_same_thread(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.reply = samples.abstention()
    reply = await replied(peer)
    await peer.user("U0BEN").presses(reply, "candor_reword")
    view = await peer.view("U0BEN", lambda v: "moment" not in v.rendering)
    assert samples.QUESTION in view.rendering
    await peer.user("U0BEN").submits(view, {"words": "How much leave moves to next year?"})
    await peer.message(CHANNEL, lambda m: "asked by <@U0BEN>" in m.rendering, thread_ts=reply.thread_ts)
    await peer.until(lambda: True if len(desk.replies) == 2 else None, 3, "no second reply")
    again = desk.asked[1]
    assert (again.text, again.entry, again.person.id) == ("How much leave moves to next year?", Entry.COMMAND, "U0BEN")
    assert again.place == desk.asked[0].place
    assert [turn.by_bot for turn in again.history] == [False, True]


async def test_buttons_work_in_private_talks(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    question = await peer.user("U0ADA").dm(samples.QUESTION)
    reply = await peer.message(question.channel, lambda m: "graded?" in m.rendering, thread_ts=question.ts)
    await peer.user("U0ADA").presses(reply, "candor_graded")
    await peer.view("U0ADA", lambda v: "CORRECT" in v.rendering)
    await peer.user("U0ADA").presses(reply, "candor_vote", value="r1:up")
    await peer.until(lambda: desk.votes or None, 3, "no vote")
