"""How a reply appears: the sign of life, the answer as it is written, the settled reply; and what goes wrong there."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from adapters.slack import SlackBot
from crag.errors import ScreenError
from crag.events import State
from crag.platform import Incoming, Screen
from crag.types import Courtesy
from tests.adapters.slack import samples
from tests.adapters.slack.conftest import running
from tests.fakes.desk import FakeDesk
from tests.peers.slack import Message, SlackPeer

CHANNEL = "C0GENERAL"


async def settled_reply(peer: SlackPeer, question: Message) -> Message:
    return await peer.message(
        question.channel, lambda m: "How was this graded?" in m.rendering, thread_ts=question.root, within_s=10
    )


async def test_a_status_names_the_stage_and_ends_with_the_reply(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.gate = asyncio.Event()
    desk.stages = (State.RECEIVED, State.SEARCH)
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    status = await peer.status(question, within_s=1)
    assert status.text == "is searching the documents …"
    assert peer.messages(CHANNEL, by="U0CANDOR") == []
    desk.gate.set()
    await settled_reply(peer, question)
    assert status.cleared_by == "reply"
    assert peer.state.showing(CHANNEL, question.ts) is None


async def test_where_slack_shows_no_status_a_placeholder_becomes_the_reply(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    peer.fail("assistant.threads.setStatus", times=99, error="not_allowed")
    desk.gate = asyncio.Event()
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    placeholder = await peer.message(CHANNEL, thread_ts=question.ts, within_s=1)
    assert placeholder.rendering == "_Searching the documents …_"
    desk.gate.set()
    assert await settled_reply(peer, question) is placeholder


async def test_an_answer_is_streamed_and_then_settled(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.pieces, desk.pause_s = ("You may carry ", "over **ten", " days** [1]."), 0.25
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    reply = await settled_reply(peer, question)
    assert reply.versions[0].by == "chat.startStream"
    assert reply.versions[0].text.startswith("You may carry ")
    assert "chat.appendStream" in {version.by for version in reply.versions}
    assert reply.versions[-1].by == "chat.update"
    assert not any("supported" in version.rendering for version in reply.versions[:-1])
    assert "five days" in reply.rendering
    assert "ten" not in reply.rendering
    assert not reply.streaming
    assert peer.calls("chat.startStream")[0].arguments["recipient_user_id"] == "U0ADA"
    assert peer.calls("chat.startStream")[0].arguments["recipient_team_id"] == "T0CANDOR"


async def test_a_reply_on_the_heels_of_its_pieces_is_shown(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.pieces = ("You may ", "carry ", "over")
    for number in range(20):
        await peer.user("U0ADA").mentions(CHANNEL, f"question {number}")
    await peer.until(lambda: True if len(settled(peer)) == 20 else None, 10, "20 replies")


def settled(peer: SlackPeer) -> list[Message]:
    return [m for m in peer.messages(CHANNEL, by="U0CANDOR") if "graded?" in m.rendering and not m.streaming]


async def test_a_writer_that_starts_anew_drops_what_was_shown(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.pieces, desk.pause_s = ("Nonsense that failed", "", "You may carry"), 0.25
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    reply = await settled_reply(peer, question)
    shown = [version.rendering for version in reply.versions]
    assert "Nonsense that failed" in shown[0]
    assert "You may carry" in shown
    assert "Nonsense" not in reply.rendering


async def test_a_sentence_that_was_shown_and_withdrawn_is_struck_through(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.reply = samples.partly()
    desk.pieces, desk.pause_s = ("Five days carry over [1]. ", "Interns get six."), 0.25
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    reply = await settled_reply(peer, question)
    assert "~Interns get six.~" in reply.rendering
    await peer.user("U0ADA").mentions(CHANNEL, "and interns?", thread_ts=question.ts)
    await peer.until(lambda: True if len(desk.asked) == 2 else None, 3, "not asked")
    assert "Interns" not in desk.asked[1].history[-1].text


async def test_without_streams_pieces_edit_a_message(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    peer.fail("chat.startStream", times=9, error="method_not_supported_for_channel_type")
    desk.pieces, desk.pause_s = ("You may ", "carry ", "over"), 0.25
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    reply = await settled_reply(peer, question)
    assert reply.versions[0].by == "chat.postMessage"
    assert reply.versions[0].rendering.startswith("You may")
    assert len(peer.messages(CHANNEL, thread_ts=question.ts)) == 2


async def test_a_stream_that_slack_ended_is_replaced_all_the_same(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.pieces, desk.pause_s = ("You may ", "carry over"), 0.2
    desk.gate = asyncio.Event()
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.status(question)
    desk.gate.set()
    reply = await peer.message(CHANNEL, thread_ts=question.ts)
    peer.skip(400)
    await settled_reply(peer, question)
    assert not reply.streaming
    assert len(peer.messages(CHANNEL, thread_ts=question.ts)) == 2


async def test_a_stream_that_began_without_an_answer_is_settled_too(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    peer.fail("chat.startStream", after=True, drop=True)
    desk.pieces, desk.pause_s = ("You may ", "carry ", "over"), 0.25
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    reply = await settled_reply(peer, question)
    assert reply.versions[0].by == "chat.startStream"
    assert len(peer.messages(CHANNEL, thread_ts=question.ts)) == 2
    assert not reply.streaming


async def test_a_slow_status_keeps_no_reply_waiting(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    peer.fail("assistant.threads.setStatus", delay_s=8)
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.message(CHANNEL, thread_ts=question.ts, within_s=4)


async def test_what_is_streamed_calls_nobody(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.pieces, desk.pause_s = ("Hello <", "!channel> and <@U0BEN> ", "<https://evil.example|x>"), 0.25
    desk.reply = samples.answer("Hello <!channel> @here <@U0BEN> [evil](https://evil.example) & <b> [1].")
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    reply = await settled_reply(peer, question)
    assert "<!channel>" in reply.rendering
    assert "evil.example" not in reply.rendering
    from tests.peers.slack.rendering import pings

    assert [pings(version.text, list(version.blocks)) for version in reply.versions] == [[]] * len(reply.versions)


@pytest.mark.parametrize("length", [9_000, 14_000])
async def test_a_long_answer_arrives_whole_and_in_order(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, length: int
) -> None:
    desk.reply = samples.long_answer(length)
    question = await peer.user("U0ADA").mentions(CHANNEL, "tell me all")
    await settled_reply(peer, question)
    mine = peer.messages(CHANNEL, thread_ts=question.ts, by="U0CANDOR")
    text = "\n".join(message.rendering for message in mine)
    assert len(mine) == (1 if length < 9_500 else 2)
    places = [text.index(f"*Part {n}*") for n in range(1, text.count("*Part "))]
    assert places == sorted(places)
    assert all(message.rendering.count("```") % 2 == 0 for message in mine)
    assert not [call for call in peer.calls() if call.error]


async def test_a_long_reply_survives_a_429_in_its_middle(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.reply = samples.long_answer(26_000)
    peer.fail("chat.postMessage", status=429, retry_after=1, skip=1)
    question = await peer.user("U0ADA").mentions(CHANNEL, "tell me all")
    await settled_reply(peer, question)
    mine = peer.messages(CHANNEL, thread_ts=question.ts, by="U0CANDOR")
    assert len(mine) > 2
    text = "".join(message.rendering for message in mine)
    assert all(f"*Part {n}*" in text for n in range(1, text.count("*Part ")))


async def test_an_answer_lost_on_its_way_is_looked_for_before_it_is_posted_again(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    peer.fail("chat.postMessage", after=True, drop=True)
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await settled_reply(peer, question)
    await peer.until(lambda: peer.calls("conversations.replies") or None, 3, "no look")
    await peer.silent(for_s=0.3)
    assert len(peer.messages(CHANNEL, thread_ts=question.ts, by="U0CANDOR")) == 1


async def test_a_server_error_is_tried_again(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    peer.fail("chat.postMessage", status=503)
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await settled_reply(peer, question)
    assert len(peer.messages(CHANNEL, thread_ts=question.ts, by="U0CANDOR")) == 1


async def test_blocks_that_slack_refuses_leave_the_words_and_the_thread_its_history(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.reply = samples.long_answer(10_000)
    peer.fail("chat.postMessage", times=2, skip=1, error="invalid_blocks", where=lambda sent: len(sent["blocks"]) > 2)
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.until(lambda: True if len(peer.messages(CHANNEL, by="U0CANDOR")) == 2 else None, 3, "no 2nd message")
    assert "Leave, Carrying over" in peer.messages(CHANNEL, by="U0CANDOR")[1].rendering
    await peer.user("U0ADA").mentions(CHANNEL, "and then?", thread_ts=question.ts)
    await peer.until(lambda: True if len(desk.asked) == 2 else None, 3, "not asked")
    assert "Part 1" in desk.asked[1].history[-1].text


@pytest.mark.parametrize("refused", [0, 1, 2])
async def test_however_plain_a_reply_went_it_is_known_again_when_its_answer_is_lost_and_after_a_restart(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, refused: int
) -> None:
    peer.fail("chat.postMessage", times=refused, error="invalid_blocks")
    peer.fail("chat.postMessage", after=True, drop=True)
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    reply = await peer.message(CHANNEL, thread_ts=question.ts)
    assert "five days" in reply.rendering
    assert ("didn't take the layout" in reply.rendering) is (refused == 2)
    await peer.until(lambda: True if desk.replies else None, 9, "not shown")
    await peer.until(lambda: peer.calls("conversations.replies") or None, 9, "no look")
    await peer.settled()
    async with running(peer, desk) as later:
        await later.screen_for(desk.asked[0]).notice("And one more.")
    assert not reply.deleted
    assert len(peer.messages(CHANNEL, thread_ts=question.ts, by="U0CANDOR")) == 2


async def test_a_deleted_question_is_not_answered(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.gate = asyncio.Event()
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.status(question)
    await peer.user("U0ADA").deletes(question)
    desk.gate.set()
    await peer.until(lambda: desk.failures or None, 3, "no ScreenError")
    assert peer.messages(CHANNEL) == []
    assert str(desk.failures[0]) == "The question was deleted, so its answer isn't shown."


async def test_a_channel_that_is_gone_is_said_to_the_desk_and_the_status_ends(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.gate = asyncio.Event()
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.status(question)
    peer.fail("chat.postMessage", error="restricted_action")
    desk.gate.set()
    await peer.until(lambda: desk.failures or None, 3, "no ScreenError")
    assert isinstance(desk.failures[0], ScreenError)
    assert "posting permissions" in str(desk.failures[0])
    assert peer.state.showing(CHANNEL, question.ts) is None


async def test_a_question_that_ends_without_a_reply_leaves_no_status(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = asyncio.Event()

    async def ask(incoming: Incoming, screen: Screen) -> None:
        await screen.stage(State.SEARCH)
        await shown.wait()

    monkeypatch.setattr(desk, "ask", ask)
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    status = await peer.status(question)
    shown.set()
    await peer.until(lambda: status.cleared_by, 3, "the status stays")


async def test_a_notice_stands_in_the_thread_and_ends_the_status(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.refusal = "I am busy: 20 questions are waiting. Please ask again in a minute."
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    assert (await peer.message(CHANNEL, thread_ts=question.ts)).rendering == desk.refusal


async def test_small_talk_has_no_buttons(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.reply = samples.reply(Courtesy("You're welcome!"))
    question = await peer.user("U0ADA").mentions(CHANNEL, "thanks")
    assert (await peer.message(CHANNEL, thread_ts=question.ts)).rendering == "You're welcome!"


async def test_nothing_is_unfurled(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    assert not await peer.unfurls(await settled_reply(peer, question))


async def test_a_question_of_an_earlier_process_is_answered_in_its_thread(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.gate = asyncio.Event()
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.until(lambda: desk.asked or None, 3, "not asked")
    async with running(peer, desk) as later:
        await later.screen_for(desk.asked[0]).reply(samples.answer())
    assert (await settled_reply(peer, question)).thread_ts == question.ts
    desk.gate.set()


async def killed_while(peer: SlackPeer, desk: FakeDesk) -> Incoming:
    """What an earlier process was asked when it ended without a word."""
    await peer.until(lambda: desk.asked or None, 3, "not asked")
    return desk.asked[0]


async def test_a_draft_that_cannot_be_replaced_goes(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    peer.fail("chat.update", error="cant_update_message")
    desk.pieces, desk.pause_s = ("You may carry ", "over **ten** days"), 0.25
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await settled_reply(peer, question)
    await peer.until(lambda: peer.calls("chat.delete") or None, 3, "the draft stays")
    (reply,) = peer.messages(CHANNEL, thread_ts=question.ts, by="U0CANDOR")
    assert "five days" in reply.rendering


async def test_a_question_that_ends_without_a_reply_leaves_no_draft(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = asyncio.Event()

    async def ask(incoming: Incoming, screen: Screen) -> None:
        await screen.piece("Nobody checked this")
        await drawn.wait()

    monkeypatch.setattr(desk, "ask", ask)
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    draft = await peer.message(CHANNEL, thread_ts=question.ts)
    drawn.set()
    await peer.until(lambda: draft.deleted or None, 3, "the draft stays")


@pytest.mark.parametrize("streams", [True, False])
async def test_what_a_killed_process_left_of_an_answer_goes(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, monkeypatch: pytest.MonkeyPatch, streams: bool
) -> None:
    if not streams:
        peer.fail("chat.startStream", times=9, error="method_not_supported_for_channel_type")
    earlier = await peer.user("U0BEN").mentions(CHANNEL, "and before?")
    await settled_reply(peer, earlier)
    over = asyncio.Event()

    async def ask(incoming: Incoming, screen: Screen) -> None:
        desk.asked.append(incoming)
        await screen.piece("Ten days, nobody checked this")
        await over.wait()

    monkeypatch.setattr(desk, "ask", ask)
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?", thread_ts=earlier.ts)
    draft = await peer.message(CHANNEL, lambda m: "Ten days" in m.rendering, thread_ts=earlier.ts)
    async with running(peer, desk) as later:
        await later.screen_for(desk.asked[1]).reply(samples.answer())
    assert draft.deleted
    mine = peer.messages(CHANNEL, thread_ts=earlier.ts, by="U0CANDOR")
    assert len(mine) == 2
    assert all("five days" in message.rendering for message in mine)
    assert not question.deleted
    over.set()


async def test_a_placeholder_of_a_killed_process_goes(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    peer.fail("assistant.threads.setStatus", times=99, error="not_allowed")
    desk.gate = asyncio.Event()
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    placeholder = await peer.message(CHANNEL, thread_ts=question.ts)
    async with running(peer, desk) as later:
        await later.screen_for(desk.asked[0]).reply(samples.answer())
    assert placeholder.deleted
    await settled_reply(peer, question)
    desk.gate.set()


@pytest.mark.parametrize("way", ["mention", "command"])
async def test_a_question_that_was_only_received_is_completed_and_its_placeholder_goes(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, way: str
) -> None:
    """As after a kill while Slack was asked who asks."""
    root = await peer.user("U0BEN").says(CHANNEL, "the rule")
    peer.fail("users.info", delay_s=2)
    peer.fail("assistant.threads.setStatus", times=99, error="not_allowed")
    if way == "mention":
        await peer.user("U0GUEST").mentions(CHANNEL, "how many days?", thread_ts=root.ts)
        await peer.message(CHANNEL, lambda m: "Reading the question" in m.rendering, thread_ts=root.ts)
    else:
        await peer.user("U0GUEST").slash("/ask", "how many days?", channel=CHANNEL)
        await peer.ephemeral("U0GUEST")
    (received,) = desk.received
    assert desk.asked == []
    async with running(peer, desk) as later:
        incoming = await later.completed(received)
        assert incoming is not None
        assert (incoming.person.guest, incoming.person.external) == (True, False)
        assert [turn.text for turn in incoming.history] == (["the rule"] if way == "mention" else [])
        await later.screen_for(incoming).reply(samples.answer())
    assert not [m for m in peer.messages(CHANNEL) if "Reading the question" in m.rendering]
    reply = await peer.message(CHANNEL, lambda m: "graded?" in m.rendering)
    assert (reply.thread_ts == root.ts) is (way == "mention")


@pytest.mark.parametrize("length", [100, 26_000])
async def test_a_reply_that_a_killed_process_has_shown_is_not_shown_again(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, length: int
) -> None:
    """Killed between showing it and noting that."""
    desk.reply = samples.long_answer(length)
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    other = await peer.user("U0BEN").mentions(CHANNEL, "and me?", thread_ts=question.ts)
    await peer.until(lambda: True if len(settled(peer)) == 2 else None, 9, "two replies")
    before = len(peer.messages(CHANNEL, by="U0CANDOR"))
    async with running(peer, desk) as later:
        for incoming in desk.asked:
            await later.screen_for(incoming).reply(samples.answer())
        assert len(peer.messages(CHANNEL, by="U0CANDOR")) == before
        fresh = replace(desk.asked[1], keys=("slack:another",), message=other.ts)
        await later.screen_for(fresh).reply(samples.answer())
    assert len(peer.messages(CHANNEL, by="U0CANDOR")) == before + 1


async def test_a_notice_of_an_earlier_process_stays(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.pieces, desk.pause_s, desk.gate = ("Ten days",), 0.3, asyncio.Event()
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    incoming = await killed_while(peer, desk)
    first = bot.screen_for(incoming)
    await first.piece("Ten days")
    await peer.message(CHANNEL, thread_ts=question.ts)
    await first.notice("I am restarting and answer after that.")
    async with running(peer, desk) as later:
        await later.screen_for(incoming).reply(samples.answer())
    await settled_reply(peer, question)
    assert "restarting" in peer.messages(CHANNEL, thread_ts=question.ts, by="U0CANDOR")[0].rendering
    desk.gate.set()


async def test_a_command_of_a_killed_process_is_answered_under_the_question_that_stands_there(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.gate = asyncio.Event()
    await peer.user("U0ADA").slash("/ask", "how many days?", channel=CHANNEL)
    root = await peer.message(CHANNEL)
    await peer.user("U0ADA").slash("/ask", "how many days?", channel=CHANNEL)
    await peer.until(lambda: True if len(peer.messages(CHANNEL)) == 2 else None, 3, "two questions")
    async with running(peer, desk) as later:
        await later.screen_for(desk.asked[0]).reply(samples.answer())
    reply = await peer.message(CHANNEL, lambda m: "graded?" in m.rendering)
    assert reply.thread_ts == root.ts
    assert len([m for m in peer.messages(CHANNEL) if not m.in_thread]) == 2
    desk.gate.set()


async def test_other_words_of_a_killed_process_are_not_written_twice(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.reply = samples.abstention()
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.user("U0BEN").presses(await settled_reply(peer, question), "candor_reword")
    view = await peer.view("U0BEN", lambda v: "moment" not in v.rendering)
    desk.gate = asyncio.Event()
    await peer.user("U0BEN").submits(view, {"words": "how much leave?"})
    await peer.message(CHANNEL, lambda m: "asked by" in m.rendering, thread_ts=question.ts)
    async with running(peer, desk) as later:
        await later.screen_for(desk.asked[1]).reply(samples.answer())
    await peer.message(CHANNEL, lambda m: "five days" in m.rendering, thread_ts=question.ts)
    mine = peer.messages(CHANNEL, thread_ts=question.ts, by="U0CANDOR")
    assert len([m for m in mine if "asked by" in m.rendering]) == 1
    desk.gate.set()


async def test_a_command_that_was_never_written_down_is_then(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.stages, desk.gate = (), asyncio.Event()
    await peer.user("U0ADA").slash("/ask", "how many days?", channel=CHANNEL)
    incoming = await killed_while(peer, desk)
    async with running(peer, desk) as later:
        await later.screen_for(incoming).reply(samples.answer())
    assert "asked by <@U0ADA>" in (await peer.message(CHANNEL)).rendering
    await peer.message(CHANNEL, lambda m: m.in_thread)
    desk.gate.set()


async def test_admins_are_told_in_their_channel(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    await bot.tell("C0HELP", "The daily limit is <reached> & so on.")
    assert (await peer.message("C0HELP")).rendering == "The daily limit is <reached> & so on."
    with pytest.raises(ScreenError, match="I'm not in that Slack channel"):
        await bot.tell("C0RANDOM", "x")
