"""Every way in which a question comes, and all that isn't one."""

from __future__ import annotations

import asyncio

import pytest

from adapters.slack import SlackBot
from crag import wording
from crag.platform import Entry
from crag.types import Turn
from tests.adapters.slack.conftest import running
from tests.adapters.slack.samples import abstention, answer, failure
from tests.fakes.desk import FakeDesk
from tests.peers.slack import SlackPeer

CHANNEL = "C0GENERAL"
SHORTCUT = "ask_candor"


async def asked(peer: SlackPeer, desk: FakeDesk, count: int = 1) -> None:
    await peer.until(lambda: True if len(desk.asked) >= count else None, 3, f"{count} questions")


async def test_a_mention_is_answered_once_in_its_thread(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    reply = await peer.message(CHANNEL, thread_ts=question.ts)
    assert "five days" in reply.rendering
    await peer.silent(for_s=0.2)
    (incoming,) = desk.asked
    assert incoming.entry is Entry.MENTION
    assert incoming.text == "how many days?"
    assert incoming.place.channel == CHANNEL
    assert incoming.place.thread == question.ts
    assert incoming.keys[1] == f"slack:T0CANDOR:{CHANNEL}:{question.ts}"
    assert incoming.link == f"https://candor-tests.slack.com/archives/{CHANNEL}/p{question.ts.replace('.', '')}"
    assert (incoming.person.id, incoming.person.guest, incoming.person.external) == ("U0ADA", False, False)
    assert all(delivery.acked and len(delivery.attempts) == 1 for delivery in peer.deliveries)


async def test_the_thread_is_the_history_and_nothing_else(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    ada, ben = peer.user("U0ADA"), peer.user("U0BEN")
    await ben.says(CHANNEL, "something else entirely")
    root = await ben.says(CHANNEL, "we changed the carry-over rule &amp; more")
    await peer.user("U0OTHERBOT").says(CHANNEL, "beep", thread_ts=root.ts)
    await ada.mentions(CHANNEL, "how many days?", thread_ts=root.ts)
    await peer.message(CHANNEL, thread_ts=root.ts)
    await ada.mentions(CHANNEL, "what does that mean?", thread_ts=root.ts)
    await asked(peer, desk, 2)
    assert desk.asked[0].history == (Turn("we changed the carry-over rule & more", author="U0BEN"),)
    assert desk.asked[1].history == (
        Turn("we changed the carry-over rule & more", author="U0BEN"),
        Turn("how many days?", author="U0ADA"),
        Turn("You may carry over five days. They lapse at the end of March.", by_bot=True),
    )


async def test_the_history_says_which_questions_found_nothing(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    ada = peer.user("U0ADA")
    for number, reply in enumerate((abstention(), failure(), answer())):
        desk.reply = reply
        root = await ada.mentions(CHANNEL, "who is in Slipware?")
        await peer.message(CHANNEL, thread_ts=root.ts)
        await ada.mentions(CHANNEL, "and when?", thread_ts=root.ts)
        await asked(peer, desk, 2 * (number + 1))
    assert [desk.asked[at].history[1].unknown for at in (1, 3, 5)] == [True, False, False]


async def test_a_long_thread_gives_its_last_turns(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    root = await peer.user("U0BEN").says(CHANNEL, "the rule")
    for number in range(250):
        await peer.user("U0BEN").says(CHANNEL, f"remark {number}", thread_ts=root.ts)
    await peer.user("U0ADA").mentions(CHANNEL, "so?", thread_ts=root.ts)
    await asked(peer, desk)
    assert [turn.text for turn in desk.asked[0].history] == [f"remark {number}" for number in range(238, 250)]


async def test_a_thread_that_cannot_be_read_is_answered_without_it(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    root = await peer.user("U0BEN").says(CHANNEL, "the rule")
    peer.fail("conversations.replies", status=429, retry_after=60)
    await peer.user("U0ADA").mentions(CHANNEL, "how many days?", thread_ts=root.ts)
    await peer.message(CHANNEL, thread_ts=root.ts, within_s=1)
    assert desk.asked[0].history == ()


async def test_a_direct_message_needs_no_mention(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    question = await peer.user("U0ADA").dm("how many days?")
    await peer.message(question.channel, thread_ts=question.ts)
    assert desk.asked[0].entry is Entry.DIRECT
    assert desk.asked[0].place.direct


async def test_the_pane_greets_with_prompts_and_names_the_thread(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    ada = peer.user("U0ADA")
    root = await ada.opens_assistant()
    await peer.until(lambda: peer.prompts or None, 3, "prompts")
    await ada.dm("how many days?", thread_ts=root.ts)
    await peer.message(root.channel, lambda m: "five days" in m.rendering, thread_ts=root.ts)
    assert desk.asked[0].entry is Entry.ASSISTANT
    assert desk.asked[0].history == ()
    assert peer.state.titles == {(root.channel, root.ts): "how many days?"}


async def test_ask_writes_the_question_down_and_answers_in_its_thread(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    assert (await peer.user("U0ADA").slash("/ask", "how many <days>?", channel=CHANNEL)).acked
    root = await peer.message(CHANNEL)
    assert root.rendering == "how many <days>?\n| asked by <@U0ADA>"
    reply = await peer.message(CHANNEL, lambda m: m.in_thread)
    assert reply.thread_ts == root.ts
    assert desk.asked[0].entry is Entry.COMMAND
    await peer.user("U0ADA").mentions(CHANNEL, "and then?", thread_ts=root.ts)
    await asked(peer, desk, 2)
    assert desk.asked[1].history[0] == Turn("how many <days>?", author="U0ADA")


async def test_a_refused_command_leaves_no_trace_in_the_channel(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.refusal = "I am busy right now."
    await peer.user("U0ADA").slash("/ask", "how many days?", channel=CHANNEL)
    assert (await peer.ephemeral("U0ADA")).rendering == "I am busy right now."
    assert peer.messages(CHANNEL, by="U0CANDOR") == []


async def test_a_command_where_the_bot_is_not_is_answered_to_its_asker_alone(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    await peer.user("U0ADA").slash("/ask", "how many days?", channel="C0RANDOM")
    shown = await peer.ephemeral("U0ADA")
    assert "five days" in shown.rendering
    assert desk.failures == []
    await peer.user("U0ADA").presses(shown, "candor_graded")
    await peer.view("U0ADA", lambda v: "CORRECT" in v.rendering)


async def test_ask_without_a_question_says_how(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    await peer.user("U0ADA").slash("/ask", " ", channel=CHANNEL)
    assert "/ask QUESTION" in (await peer.ephemeral("U0ADA")).text
    assert desk.asked == []


async def test_the_shortcut_asks_about_a_message(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    message = await peer.user("U0BEN").says(CHANNEL, "how many days off?")
    assert (await peer.user("U0ADA").shortcut(SHORTCUT, message)).acked
    await peer.message(CHANNEL, thread_ts=message.ts)
    assert desk.asked[0].text == "how many days off?"
    assert desk.asked[0].entry is Entry.SHORTCUT
    assert desk.asked[0].person.id == "U0ADA"


async def test_an_unconfigured_channel_gets_no_reply(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.served = False
    message = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.silent(for_s=0.3)
    await peer.user("U0ADA").slash("/ask", "how many days?", channel=CHANNEL)
    assert "not set up" in (await peer.ephemeral("U0ADA")).text
    await peer.user("U0BEN").shortcut(SHORTCUT, message)
    assert "not set up" in (await peer.ephemeral("U0BEN")).text
    assert desk.asked == []
    assert peer.calls("users.info") == []


async def test_what_is_no_question_is_acknowledged_and_ignored(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    ada, other = peer.user("U0ADA"), peer.user("U0OTHERBOT")
    await ada.says(CHANNEL, "just talking")
    await other.mentions(CHANNEL, "how many days?")
    await other.mentions(CHANNEL, "how many days?", classic=True)
    await ada.joins(CHANNEL)
    question = await ada.mentions(CHANNEL, "how many days?")
    reply = await peer.message(CHANNEL, thread_ts=question.ts)
    await peer.unfurls(question)
    await ada.edits(question, question.text)
    await ada.edits(question, f"{question.text} please")
    await ada.reacts(reply, "eyes")
    await ada.opens_home()
    await peer.settled()
    await peer.silent(for_s=0.3)
    assert len(desk.asked) == 1
    assert all(delivery.acked for delivery in peer.deliveries)


async def test_an_edit_that_adds_the_mention_asks_once(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    ada = peer.user("U0ADA")
    message = await ada.says(CHANNEL, "how many days?")
    await ada.edits(message, "<@U0CANDOR> how many days?")
    await asked(peer, desk)
    await ada.edits(message, "<@U0CANDOR> how many days, please?")
    await peer.message(CHANNEL, thread_ts=message.ts)
    await peer.silent(for_s=0.3)
    assert [incoming.text for incoming in desk.asked] == ["how many days?"]


async def test_a_redelivered_question_is_known(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.message(CHANNEL, thread_ts=question.ts)
    await peer.settled()
    for delivery in tuple(peer.deliveries[:2]):
        peer.redeliver(delivery)
    await peer.silent(for_s=0.3)
    assert len(desk.asked) == 1


async def test_a_reply_that_is_also_sent_to_the_channel_asks_once(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    root = await peer.user("U0BEN").says(CHANNEL, "the rule")
    await peer.user("U0ADA").mentions(CHANNEL, "how many days?", thread_ts=root.ts, broadcast=True)
    await peer.message(CHANNEL, thread_ts=root.ts)
    await peer.silent(for_s=0.3)
    assert len(desk.asked) == 1


async def test_follow_ups_come_from_the_asker_where_they_are_on(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    ada, ben = peer.user("U0ADA"), peer.user("U0BEN")
    question = await ada.mentions(CHANNEL, "how many days?")
    await peer.message(CHANNEL, thread_ts=question.ts)
    await ada.says(CHANNEL, "and interns?", thread_ts=question.ts)
    await peer.silent(for_s=0.2)
    desk.follow_ups = True
    await ben.says(CHANNEL, "thanks, Ada", thread_ts=question.ts)
    await ada.says(CHANNEL, "a new topic")
    await peer.silent(for_s=0.2)
    await ada.says(CHANNEL, "and interns?", thread_ts=question.ts)
    await asked(peer, desk, 2)
    assert [(i.text, i.entry) for i in desk.asked] == [
        ("how many days?", Entry.MENTION),
        ("and interns?", Entry.FOLLOW_UP),
    ]
    await ben.mentions(CHANNEL, "and me?", thread_ts=question.ts)
    await asked(peer, desk, 3)
    await ben.says(CHANNEL, "and why?", thread_ts=question.ts)
    await asked(peer, desk, 4)


async def test_two_bots_in_a_thread_do_not_answer_each_other(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.follow_ups = True
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.message(CHANNEL, thread_ts=question.ts)
    await peer.user("U0OTHERBOT").mentions(CHANNEL, "I disagree", thread_ts=question.ts)
    await peer.user("U0OTHERBOT").says(CHANNEL, "really", thread_ts=question.ts)
    await peer.silent(for_s=0.3)


@pytest.mark.parametrize(
    ("user", "channel", "guest", "external"),
    [
        ("U0GUEST", CHANNEL, True, False),
        ("U0VISIT", CHANNEL, True, False),
        ("U0ALIEN", "C0SHARED", False, True),
        ("U0ADA", "C0SHARED", False, True),
        ("U0ADA", CHANNEL, False, False),
    ],
)
async def test_guests_and_outsiders_are_told_apart(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, user: str, channel: str, guest: bool, external: bool
) -> None:
    await peer.user(user).mentions(channel, "how many days?")
    await asked(peer, desk)
    assert (desk.asked[0].person.guest, desk.asked[0].person.external) == (guest, external)
    assert desk.asked[0].person.shared is (user == "U0ADA" and channel == "C0SHARED")


async def test_a_command_in_a_shared_channel_is_for_outsiders_too(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    await peer.user("U0ADA").slash("/ask", "how many days?", channel="C0SHARED")
    await asked(peer, desk)
    assert desk.asked[0].person.external is True


async def test_where_slack_cannot_say_nobody_does(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    peer.fail("users.info", error="user_not_visible")
    await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await asked(peer, desk)
    assert (desk.asked[0].person.guest, desk.asked[0].person.external) == (None, None)


async def test_an_acknowledgement_waits_for_no_work(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.gate = asyncio.Event()
    for number in range(5):
        await peer.user("U0ADA").mentions(CHANNEL, f"question {number}")
    assert (await peer.user("U0ADA").slash("/ask", "how many days?", channel=CHANNEL)).acked
    await peer.settled()
    assert max(delivery.latency_s or 9 for delivery in peer.deliveries) < 0.5
    desk.gate.set()
    await peer.until(lambda: True if len(desk.replies) == 6 else None, 5, "six replies")


async def test_a_sign_of_life_waits_for_no_look_up(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.gate = asyncio.Event()
    peer.fail("users.info", delay_s=1.2)
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.status(question, within_s=1)
    assert desk.asked == []
    desk.gate.set()
    await peer.message(CHANNEL, thread_ts=question.ts)
    assert peer.state.showing(CHANNEL, question.ts) is None


async def test_a_command_whose_look_up_hangs_shows_a_sign_of_life_to_its_asker(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.refusal = "Guests can't ask here."
    peer.fail("users.info", delay_s=1.2)
    await peer.user("U0ADA").slash("/ask", "how many days?", channel=CHANNEL)
    await peer.ephemeral("U0ADA", lambda e: "moment" in e.rendering, within_s=1)
    await peer.ephemeral("U0ADA", lambda e: e.rendering == desk.refusal)
    assert peer.messages(CHANNEL) == []


async def test_a_question_known_from_before_shows_nothing(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    question = await peer.user("U0ADA").mentions(CHANNEL, "how many days?")
    await peer.message(CHANNEL, thread_ts=question.ts)
    async with running(peer, desk):
        peer.redeliver(peer.deliveries[0])
        await peer.until(lambda: desk.duplicates or None, 3, "not asked again")
        await peer.silent(for_s=0.2)


@pytest.mark.parametrize("way", ["mention", "command", "shortcut"])
async def test_a_question_that_fails_where_nobody_foresaw_is_said_to_its_asker(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("nobody foresaw this")

    monkeypatch.setattr(desk, "ask", broken)
    ada = peer.user("U0ADA")
    if way == "mention":
        await ada.mentions(CHANNEL, "how many days?")
    elif way == "command":
        await ada.slash("/ask", "how many days?", channel=CHANNEL)
    else:
        await ada.shortcut(SHORTCUT, await peer.user("U0BEN").says(CHANNEL, "how many?"))
    assert (await peer.ephemeral("U0ADA")).rendering == wording.INTERNAL
