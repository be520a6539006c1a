"""What a reply should have been: said in a form, from the table of grades or after "Not helpful"."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from adapters.discord import DiscordBot, pressing
from adapters.discord.correcting import CorrectionForm
from adapters.discord.grades import grade_pages
from crag import wording
from crag.corrections import Correction, Truth
from crag.platform import Person, Place
from crag.types import Chunk, Courtesy, Reply
from tests.adapters.discord import samples
from tests.adapters.discord.conftest import running
from tests.adapters.discord.test_buttons import reply_to
from tests.fakes.desk import FakeDesk
from tests.peers.discord import DiscordPeer, Message, Modal
from tests.peers.discord.forms import Value
from tests.peers.discord.limits import check_modal
from tests.peers.discord.messages import elements_of


async def table(peer: DiscordPeer) -> Message:
    return await peer.answer(await peer.user("ben").presses(await reply_to(peer), "How was this graded?"))


async def correcting(peer: DiscordPeer, on: Message) -> Modal:
    await peer.user("ben").presses(on, wording.CORRECT_A_VERDICT)
    return await peer.modal("ben")


async def sent(peer: DiscordPeer, form: Modal, given: dict[str, Value]) -> str:
    told = await peer.answer(await peer.user("ben").submits(form, given))
    assert told.only_for == peer.user("ben").id
    return told.rendering


async def test_passages_are_corrected_in_a_form(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    form = await correcting(peer, await table(peer))
    assert wording.SHOULD_HAVE_BEEN in form.rendering
    told = await sent(peer, form, {"truth": [wording.TRUTHS[Truth.ANSWERABLE]], "passages": ["3", "1"]})
    assert told == "| Noted, thank you."
    assert desk.corrections == [("r1", peer.user("ben").id, Correction(Truth.ANSWERABLE, (1, 3)))]


@pytest.mark.parametrize(
    ("given", "correction"),
    [
        ({"truth": ["unanswerable"]}, Correction(Truth.UNANSWERABLE)),
        ({"page": " travel.md "}, Correction(Truth.ANSWERABLE, (), "travel.md")),
        ({"truth": ["unsaid"]}, Correction(Truth.UNSAID)),
        ({"truth": [wording.TAKE_IT_BACK], "page": "x"}, None),
    ],
)
async def test_what_is_right_can_be_said_in_other_ways_and_taken_back(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, given: dict[str, Value], correction: Correction | None
) -> None:
    await sent(peer, await correcting(peer, await table(peer)), given)
    assert [one[2] for one in desk.corrections] == [correction]


async def test_an_empty_form_corrects_nothing(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    assert await sent(peer, await correcting(peer, await table(peer)), {}) == f"| {wording.CHOOSE_WHAT_IS_RIGHT}"
    assert desk.corrections == []


async def test_not_helpful_asks_what_would_have_been_right_too(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    await peer.user("ben").presses(await reply_to(peer), "Not helpful")
    form = await peer.modal("ben")
    assert wording.WRONG_OR_MISSING in form.rendering
    told = await sent(peer, form, {"passages": ["2"], "words": "It is six days now."})
    assert told == "| Noted, thank you."
    assert desk.corrections == [("r1", peer.user("ben").id, Correction(Truth.ANSWERABLE, (2,)))]
    assert [vote[2:] for vote in desk.votes] == [(False, ""), (False, "It is six days now.")]


async def test_what_was_noted_is_no_markdown(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    """It repeats names of documents, and what the person typed."""
    desk.noted = "Noted: the answer is in @everyone/[x](https://evil.example)/a_b_c.md."
    told = await sent(peer, await correcting(peer, await table(peer)), {"truth": ["unanswerable"]})
    assert "](https://evil" not in told.replace("\\]", "")
    assert "a\\_b\\_c.md" in told
    assert "@everyone" not in told


async def test_a_table_from_before_a_restart_can_be_corrected(peer: DiscordPeer, desk: FakeDesk) -> None:
    async with running(peer, desk):
        graded = await table(peer)
    async with running(peer, desk):
        await sent(peer, await correcting(peer, graded), {"truth": ["unanswerable"]})
    assert len(desk.corrections) == 1


async def test_a_reply_that_is_gone_can_not_be_corrected(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    graded = await table(peer)
    desk.replies.clear()
    told = await peer.answer(await peer.user("ben").presses(graded, wording.CORRECT_A_VERDICT))
    assert "no longer have this reply" in told.rendering


async def test_a_form_does_not_wait_for_a_slow_journal(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(reply: str, place: Place, person: Person) -> Reply | str:
        await asyncio.sleep(60)
        return ""

    graded = await table(peer)
    monkeypatch.setattr(desk, "recall", slow)
    monkeypatch.setattr(pressing, "RECALL_S", 0.1)
    form = await correcting(peer, graded)
    assert wording.WHICH_PASSAGES not in form.rendering
    await sent(peer, form, {"truth": ["unanswerable"]})
    assert len(desk.corrections) == 1


def many(count: int) -> Reply:
    """Graded passages whose names try everything."""
    odd: Chunk = replace(samples.LINKED, headings=("@everyone \u202e*x*\n" + "long " * 40,))
    reply = samples.abstention()
    grades = tuple(replace(samples.GRADES[0], chunk=odd) for _ in range(count))
    return replace(reply, trace=replace(reply.trace, grades=grades))


async def test_forms_fit_into_discords_limits() -> None:
    for found in (None, samples.answer(), many(60)):
        for why in (False, True):
            body = CorrectionForm(lambda *_: asyncio.sleep(0), found, why=why).to_dict()
            check_modal(dict(body))
            for element in elements_of(body["components"]):
                assert len(element.get("options", [])) <= 25
                assert "\u202e" not in str(element)


def test_small_talk_has_no_verdict_to_correct() -> None:
    pages = grade_pages(Reply(samples.answer().question, Courtesy("Hello!"), samples.TRACE))
    assert wording.CORRECT_A_VERDICT not in str(pages)
