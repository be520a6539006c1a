"""What is under a reply: how it was graded, votes, passages, other words, a human."""

from __future__ import annotations

import asyncio

from adapters.discord import DiscordBot
from adapters.discord.pages import Act
from crag.platform import Entry, Handover
from crag.types import Turn
from tests.adapters.discord import samples
from tests.adapters.discord.conftest import answered, asked, running, settled
from tests.fakes.desk import FakeDesk
from tests.peers.discord import DiscordPeer, Message


async def reply_to(peer: DiscordPeer, text: str = "how many days?") -> Message:
    return await answered(peer, await peer.user("ada").mentions("general", text))


async def test_how_it_was_graded_is_shown_to_who_asks_and_can_be_paged(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    ben = peer.user("ben")
    pressed = await ben.presses(await reply_to(peer), "How was this graded?")
    table = await peer.answer(pressed)
    assert table.only_for == ben.id
    assert "Page 1 of 4 · r1" in table.rendering
    assert "**Rewritten as:** annual leave carry over" in table.rendering
    seen = [table.rendering]
    for _ in range(3):
        await ben.presses(table, "Next ›")
        await peer.until(lambda: True if table.rendering != seen[-1] else None, 5, "no next page")
        seen.append(table.rendering)
    assert "0.910, at or above the upper threshold 0.720" in seen[1]
    assert "Interns get six." in seen[2]
    assert "grader: mini" in seen[3]
    await ben.presses(table, "‹ Back")
    await peer.until(lambda: True if table.rendering == seen[2] else None, 5, "not back")


async def test_grade_shows_the_table_to_the_asker_only(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    interaction = await peer.user("ada").slash("grade", question="how many days?", channel="general")
    table = await peer.answer(interaction)
    assert table.ephemeral
    assert (desk.graded[0].text, desk.graded[0].entry) == ("how many days?", Entry.COMMAND)
    assert "🟢 **1.** 0.910 kept" in table.rendering
    assert peer.messages("general", by="candor") == []


async def test_grade_on_an_unanswerable_question_shows_the_card_and_the_table(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.reply = samples.abstention()
    table = await peer.answer(await peer.user("ada").slash("grade", question="the dog's name?", channel="general"))
    assert table.rendering.startswith("| # I don't know\n| I searched 31 documents")
    assert "# What was decided" in table.rendering


async def test_a_graded_reply_that_the_journal_lost_can_still_be_paged(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    table = await peer.answer(await peer.user("ada").slash("grade", question="how many days?", channel="general"))
    desk.replies.clear()
    await peer.user("ada").presses(table, "Next ›")
    await peer.until(lambda: True if "Page 2 of 4" in table.rendering else None, 5, "no next page")


async def test_a_refusal_to_grade_is_a_sentence(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    desk.refusal = "I'm busy."
    told = await peer.answer(await peer.user("ada").slash("grade", question="how many days?", channel="general"))
    assert told.rendering == "| I'm busy."
    assert told.ephemeral


async def test_votes_are_counted_and_a_reason_is_optional(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    ada, ben = peer.user("ada"), peer.user("ben")
    reply = await reply_to(peer)
    thanks = await peer.answer(await ada.presses(reply, "Helpful"))
    assert (thanks.only_for, thanks.rendering) == (ada.id, "| Thank you, that helps.")
    await ben.presses(reply, "Not helpful")
    form = await peer.modal("ben")
    await peer.until(lambda: True if len(desk.votes) == 2 else None, 5, "not counted at once")
    submitted = await ben.submits(form, {"words": "the number is wrong"})
    await peer.answer(submitted)
    assert desk.votes == [
        ("r1", ada.id, True, ""),
        ("r1", ben.id, False, ""),
        ("r1", ben.id, False, "the number is wrong"),
    ]


async def test_two_people_can_give_their_reasons_at_the_same_time(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    reply = await reply_to(peer)
    for name in ("ada", "ben"):
        await peer.user(name).presses(reply, "Not helpful")
    for name in ("ada", "ben"):
        await peer.answer(await peer.user(name).submits(await peer.modal(name), {"words": name}))
    assert [vote[3] for vote in desk.votes] == ["", "", "ada", "ben"]


async def test_buttons_work_after_a_restart(peer: DiscordPeer, desk: FakeDesk) -> None:
    async with running(peer, desk):
        reply = await reply_to(peer)
    async with running(peer, desk):
        ada = peer.user("ada")
        assert "Page 1" in (await peer.answer(await ada.presses(reply, "How was this graded?"))).rendering
        await peer.answer(await ada.presses(reply, "Helpful"))
        shown = await peer.answer(await ada.presses(reply, "Show passage 2"))
        assert "Five days." in shown.rendering
        assert "people/leave-2.md" in shown.rendering
        assert shown.only_for == ada.id
    assert desk.votes == [("r1", peer.user("ada").id, True, "")]


async def test_a_reply_that_is_gone_is_said_to_be(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    reply = await reply_to(peer)
    desk.replies.clear()
    for button in ("How was this graded?", "Show passage 2"):
        told = await peer.answer(await peer.user("ada").presses(reply, button))
        assert "no longer have this reply" in told.rendering


async def test_whoever_is_refused_an_answer_hears_why_from_a_button_too(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.reply = samples.abstention()
    reply = await reply_to(peer)
    desk.refusal = "You are from another organisation."
    for button in ("How was this graded?", "Show passage 2", "Try other words"):
        told = await peer.answer(await peer.user("ben").presses(reply, button))
        assert (told.only_for, told.rendering) == (peer.user("ben").id, f"| {desk.refusal}")


async def test_ask_a_human_posts_once_with_a_link_back_and_calls_only_the_role(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.reply = samples.abstention()
    helpers = peer.world.role("helpers").id
    reply = await reply_to(peer, "who knows @everyone?")
    link = "https://discord.com/channels/1/2/3"
    desk.handover = Handover(
        peer.channel("help").id, helpers, f"who knows @everyone and <@{peer.user('ben').id}>?", link
    )
    for _ in range(2):
        told = await peer.answer(await peer.user("ada").presses(reply, "Ask a human"))
        assert told.rendering == f"| I passed your question on. It stands in <#{peer.channel('help').id}>."
    (post,) = peer.messages("help")
    assert post.pings == ["@&helpers"]
    assert f"[Open the question](<{link}>)" in post.rendering
    assert len(desk.handed_over) == 1


async def test_ask_a_human_says_why_it_can_not(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    desk.reply = samples.abstention()
    reply = await reply_to(peer)
    told = await peer.answer(await peer.user("ada").presses(reply, "Ask a human"))
    assert told.rendering == "| No channel is set up for this."
    desk.handover = Handover(peer.channel("random").id, "", "who?", "")
    told = await peer.answer(await peer.user("ada").presses(reply, "Ask a human"))
    assert told.rendering == "| I couldn't pass your question on. I may not look into that channel."


async def test_where_no_human_is_named_there_is_no_button_for_one(peer: DiscordPeer, desk: FakeDesk) -> None:
    desk.reply = samples.abstention()
    async with running(peer, desk, humans=False):
        text = (await reply_to(peer)).rendering
    assert "[Try other words] [How was this graded?]" in text
    assert "Ask a human" not in text


async def test_other_words_are_asked_in_the_same_thread(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    desk.reply = samples.abstention()
    reply = await reply_to(peer, "how many days?")
    await peer.user("ben").presses(reply, "Try other words")
    form = await peer.modal("ben")
    assert "how many days?" in form.rendering
    desk.reply = samples.answer()
    submitted = await peer.user("ben").submits(form, {"words": "How many days of leave carry over?"})
    better = await peer.answer(submitted, settled)
    assert better.channel == reply.channel
    assert better.content == "> How many days of leave carry over?"
    assert desk.asked[1].person.id == peer.user("ben").id
    assert desk.asked[1].place == desk.asked[0].place


async def test_a_thumb_is_a_vote_where_that_is_on(peer: DiscordPeer, desk: FakeDesk) -> None:
    async with running(peer, desk):
        reply = await reply_to(peer)
        await peer.user("ada").reacts(reply, "👍")
        await peer.user("ben").reacts(reply, "👎🏽")
        await peer.user("otherbot").reacts(reply, "👍")
        await peer.user("ben").reacts(reply, "🎉")
        await peer.until(lambda: True if len(desk.votes) == 2 else None, 5, "not counted")
    async with running(peer, desk, reactions=False):
        await peer.user("ben").reacts(reply, "👍")
        await asyncio.sleep(0.2)
    assert sorted(vote[1:3] for vote in desk.votes) == [(peer.user("ada").id, True), (peer.user("ben").id, False)]


async def test_an_answer_to_a_command_is_history_too(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    echo = (await peer.user("ada").slash("ask", question="how many days?", channel="general")).original
    assert echo is not None
    reply = await answered(peer, echo)
    await peer.user("ada").mentions(reply.channel, "and then?")
    await asked(peer, desk, 2)
    assert desk.asked[1].history[0] == Turn("how many days?", author=peer.user("ada").id)
    assert desk.asked[1].history[1].text.startswith("You may carry over **five days** [1].")


async def test_every_act_has_a_name_that_older_messages_still_carry() -> None:
    assert [str(act) for act in Act] == [
        *("how", "yes", "no", "human", "again", "passage", "nearest", "page", "cancel", "correct")
    ]
