"""What a reply should have been: said in a form that lies on the table of grades, or comes after "Not helpful"."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.slack import SlackBot
from adapters.slack.correcting import LISTED, form
from adapters.slack.grades import grade_view
from adapters.slack.ids import place
from crag import wording
from crag.corrections import Correction, Truth
from crag.types import Chunk, Courtesy, Reply
from tests.adapters.slack import samples
from tests.adapters.slack.test_pressing import CHANNEL, broken, replied
from tests.fakes.desk import FakeDesk
from tests.peers.slack import SlackPeer, View
from tests.peers.slack.limits import check_view

BEN = "U0BEN"
WHERE = place("T1", CHANNEL, "1.1")


async def table(peer: SlackPeer) -> View:
    await peer.user(BEN).presses(await replied(peer), "candor_graded")
    return await peer.view(BEN, lambda v: "CORRECT" in v.rendering)


async def correcting(peer: SlackPeer, on: View) -> View:
    """The form, once it offers the passages."""
    await peer.user(BEN).presses(on, "candor_correct")
    return await peer.view(BEN, lambda v: wording.WHICH_PASSAGES in v.rendering)


async def corrected(peer: SlackPeer, desk: FakeDesk) -> list[tuple[str, str, Correction | None]]:
    return await peer.until(lambda: desk.corrections or None, 3, "no correction")


async def test_passages_are_corrected_in_a_form_on_the_table_which_then_says_what_was_noted(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    graded = await table(peer)
    asked = await correcting(peer, graded)
    assert wording.SHOULD_HAVE_BEEN in asked.rendering
    assert "🟡 2. Leave > Carrying over / 🔴 3. Canteen > Hours" in asked.rendering
    assert (await peer.user(BEN).submits(asked, {"truth": "answerable", "passages": ["3", "1"]})).acked
    assert await corrected(peer, desk) == [("r1", BEN, Correction(Truth.ANSWERABLE, (1, 3)))]
    await peer.until(lambda: True if "✏️ Noted, thank you." in graded.rendering else None, 3, "not said on the table")
    assert "Page 1 of" in graded.rendering
    assert peer.ephemerals == []


async def test_what_was_noted_commands_nothing(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    """It repeats names of documents, and what the person typed."""
    desk.noted = "Noted: the answer is in <!channel> <https://evil.example|x>."
    graded = await table(peer)
    await peer.user(BEN).submits(await correcting(peer, graded), {"truth": "unanswerable"})
    await peer.until(lambda: True if "✏️" in graded.rendering else None, 3, "not said on the table")
    assert "in &lt;!channel&gt; &lt;https://evil.example|x&gt;." in str(graded.body["blocks"])


async def test_the_table_stays_on_the_page_from_which_it_was_corrected(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    graded = await table(peer)
    await peer.user(BEN).presses(graded, "candor_page_on")
    await peer.until(lambda: True if "Timings" in graded.rendering else None, 3, "no second page")
    await peer.user(BEN).submits(await correcting(peer, graded), {"truth": "unanswerable"})
    await peer.until(lambda: True if "✏️" in graded.rendering else None, 3, "not said on the table")
    assert "Timings" in graded.rendering
    assert desk.corrections == [("r1", BEN, Correction(Truth.UNANSWERABLE))]


async def test_a_page_is_named_and_a_correction_taken_back(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    graded = await table(peer)
    await peer.user(BEN).submits(await correcting(peer, graded), {"page": " travel.md "})
    await corrected(peer, desk)
    await peer.user(BEN).submits(await correcting(peer, graded), {"truth": "take_back", "page": "x"})
    await peer.until(lambda: True if len(desk.corrections) == 2 else None, 3, "not taken back")
    assert [one[2] for one in desk.corrections] == [Correction(Truth.ANSWERABLE, (), "travel.md"), None]


@pytest.mark.parametrize(
    ("given", "at", "told"),
    [({}, "truth", wording.CHOOSE_WHAT_IS_RIGHT), ({"truth": "answerable"}, "page", wording.NAME_WHAT_ANSWERS)],
)
async def test_a_form_that_says_too_little_says_what_is_missing(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, given: dict[str, str | list[str]], at: str, told: str
) -> None:
    delivery = await peer.user(BEN).submits(await correcting(peer, await table(peer)), given)
    assert delivery.response == {"response_action": "errors", "errors": {at: told}}
    assert desk.corrections == []


async def test_not_helpful_asks_what_would_have_been_right_too(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    await peer.user(BEN).presses(await replied(peer), "candor_vote", value="r1:down")
    asked = await peer.view(BEN, lambda v: wording.WHICH_PASSAGES in v.rendering)
    assert wording.WRONG_OR_MISSING in asked.rendering
    await peer.user(BEN).submits(asked, {"truth": "unsaid", "words": "It is six days now."})
    assert await corrected(peer, desk) == [("r1", BEN, Correction(Truth.UNSAID))]
    assert desk.votes == [("r1", BEN, False, ""), ("r1", BEN, False, "It is six days now.")]
    assert (await peer.ephemeral(BEN)).rendering == "Noted, thank you."


async def test_not_helpful_needs_no_more_words(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    await peer.user(BEN).presses(await replied(peer), "candor_vote", value="r1:down")
    assert (await peer.user(BEN).submits(await peer.view(BEN))).response is None
    await peer.settled()
    assert (len(desk.votes), desk.corrections, peer.ephemerals) == (1, [], [])


async def test_a_reply_that_is_gone_can_not_be_corrected(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    graded = await table(peer)
    desk.replies.clear()
    await peer.user(BEN).presses(graded, "candor_correct")
    told = await peer.view(BEN, lambda v: "no longer have this reply" in v.rendering)
    assert told.body["title"]["text"] == wording.CORRECT_A_VERDICT


async def test_not_helpful_can_be_explained_where_the_reply_is_gone(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    reply = await replied(peer)
    desk.replies.clear()
    await peer.user(BEN).presses(reply, "candor_vote", value="r1:down")
    await peer.user(BEN).submits(await peer.view(BEN), {"page": "travel.md"})
    assert (await corrected(peer, desk))[0][2] == Correction(Truth.ANSWERABLE, (), "travel.md")


async def test_a_form_that_slack_refuses_is_said(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    graded = await table(peer)
    peer.fail("views.push", error="expired_trigger_id")
    await peer.user(BEN).presses(graded, "candor_correct")
    assert "Please try again." in (await peer.ephemeral(BEN)).rendering


async def test_a_correction_that_can_not_be_kept_is_said(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = await correcting(peer, await table(peer))
    monkeypatch.setattr(desk, "correct", broken)
    await peer.user(BEN).submits(asked, {"truth": "unanswerable"})
    assert (await peer.ephemeral(BEN)).rendering == wording.INTERNAL


async def test_grades_that_were_asked_for_can_be_corrected_too(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    await peer.user(BEN).slash("/grade", "how many days?", channel=CHANNEL)
    graded = await peer.view(BEN, lambda v: "CORRECT" in v.rendering)
    await peer.user(BEN).submits(await correcting(peer, graded), {"truth": "unanswerable"})
    await peer.until(lambda: True if "✏️ Noted" in graded.rendering else None, 3, "not said on the table")


def many(count: int) -> Reply:
    """Graded passages whose names try everything."""
    odd: Chunk = replace(samples.chunk(), headings=("<!channel> & \u202e*x*\n" + "long " * 40,))
    reply = samples.abstention()
    grades = tuple(replace(samples.GRADES[0], chunk=odd) for _ in range(count))
    return replace(reply, trace=replace(reply.trace, grades=grades))


@pytest.mark.parametrize("found", [None, samples.answer(), many(60)])
@pytest.mark.parametrize("page", [0, 13])
def test_forms_fit_into_slacks_limits(found: Reply | None, page: int) -> None:
    view = form("r" * 32, WHERE, found, page)
    check_view(view)
    offered = [block["element"]["options"] for block in view["blocks"] if block["block_id"] == "passages"]
    for option in offered[0] if offered else []:
        assert len(option["text"]["text"]) <= 75
        assert "\n" not in option["text"]["text"]
        assert "\u202e" not in option["text"]["text"]
    if offered:
        assert len(offered[0]) <= LISTED


def test_small_talk_has_no_verdict_to_correct() -> None:
    said = str(grade_view(Reply(samples.answer().question, Courtesy("Hello!"), samples.TRACE), WHERE))
    assert wording.CORRECT_A_VERDICT not in said
