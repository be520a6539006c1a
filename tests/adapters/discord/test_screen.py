"""How a reply appears: the sign of life, the answer as it is written, the settled reply; and what goes wrong there."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any

import pytest

from adapters.discord import DiscordBot
from crag.errors import ScreenError
from crag.events import State
from crag.platform import Entry, Incoming, Person, Place
from tests.adapters.console import samples as plain
from tests.adapters.discord import samples
from tests.adapters.discord.conftest import answered, asked, running, settled
from tests.fakes.desk import FakeDesk
from tests.peers.discord import APP, GUILD, DiscordPeer, Flag, Message, Permission, Rates


async def test_within_a_second_a_placeholder_names_the_stage_and_becomes_the_reply(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.gate, desk.stages = asyncio.Event(), (State.RECEIVED, State.SEARCH)
    asked_at = time.monotonic()
    question = await peer.user("ada").mentions("general", "how many days?")
    placeholder = await peer.message(await peer.thread(question))
    assert time.monotonic() - asked_at < 1
    assert placeholder.rendering.startswith("| # Reading the question…") or "Searching" in placeholder.rendering
    await peer.until(lambda: True if "Searching the documents…" in placeholder.rendering else None, 3, "no 2nd stage")
    desk.gate.set()
    assert await answered(peer, question) is placeholder
    assert placeholder.rendering.startswith("| # Well supported\n")


@pytest.mark.parametrize("hanging", ["get_messages", "get_member"])
async def test_within_a_second_there_is_a_placeholder_even_while_a_look_up_hangs(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, hanging: str
) -> None:
    peer.fail(hanging, times=10, delay_s=30)
    asked_at = time.monotonic()
    question = await peer.user("ada").dm("how many days?")
    placeholder = await peer.message(question.channel)
    assert time.monotonic() - asked_at < 1
    assert placeholder.rendering.startswith("| # Reading the question…")
    assert desk.asked == []
    assert await peer.message(question.channel, settled) is placeholder


async def test_a_question_of_earlier_that_is_heard_again_leaves_no_placeholder(
    peer: DiscordPeer, desk: FakeDesk
) -> None:
    thread = await peer.user("ada").starts_thread("general", "Talk")
    async with running(peer, desk):
        question = await peer.user("ada").mentions(thread, "how many days?")
        reply = await peer.message(thread, settled)
    async with running(peer, desk):
        peer.fail("get_messages", delay_s=0.8)
        await peer.user("ada").edits(question, f"{question.content} Please.")
        await peer.message(thread, lambda m: "Reading the question" in m.rendering)
        await peer.until(lambda: True if peer.messages(thread, by="candor") == [reply] else None, 5, "it stays")
    assert len(desk.asked) == len(desk.duplicates) == 1


async def test_an_answer_is_streamed_at_discords_pace_and_then_settled(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.pieces, desk.pause_s = tuple(f"Sentence {n}. " for n in range(30)), 0.1
    question = await peer.user("ada").mentions("general", "how many days?")
    reply = await peer.message(await peer.thread(question), settled, within_s=10)
    streamed = [version.rendering for version in reply.versions[:-1]]
    assert 2 <= len(streamed) <= 5
    assert "Sentence 0." in streamed[1]
    assert all("Well supported" not in text for text in streamed)
    assert "Sentence" not in reply.rendering


async def test_a_sentence_that_was_streamed_and_withdrawn_is_struck_out(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.pieces = ("You may carry over five days [1]. ", "Interns get six. ")
    question = await peer.user("ada").mentions("general", "how many days?")
    assert "~~Interns get six.~~" in (await answered(peer, question)).rendering


async def test_a_writer_that_starts_anew_takes_its_words_back(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.pieces = ("Interns get six. ", "", "You may carry over five days [1].")
    question = await peer.user("ada").mentions("general", "how many days?")
    assert "Interns" not in (await answered(peer, question)).rendering


@pytest.mark.parametrize("length", [9_000, 14_000])
async def test_a_long_answer_is_several_messages_in_order_and_pings_nobody(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, length: int
) -> None:
    desk.reply = samples.long_answer(length)
    question = await peer.user("ada").mentions("general", "tell me all")
    last = await answered(peer, question)
    messages = peer.messages(last.channel, by="candor")
    parts = re.findall(r"## Part (\d+)", "\n".join(m.rendering for m in messages))
    assert parts == [str(n) for n in range(1, len(parts) + 1)]
    assert messages[-1] is last
    assert all(m.pings == [] for m in messages)
    assert [settled(m) for m in messages].count(True) == 1


async def test_what_is_streamed_pings_nobody_and_brings_no_link(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.pieces = ("Tell @everyone", f" and <@{peer.user('ben').id}>, see https://evil", ".example/x now.")
    desk.pause_s = 1.3
    question = await peer.user("ada").mentions("general", "whom to tell?")
    reply = await peer.message(await peer.thread(question), settled, within_s=15)
    streamed = [version.rendering for version in reply.versions if "Tell" in version.rendering]
    assert len(streamed) > 1
    assert all("@everyone" not in text and "https://evil" not in text for text in streamed)
    assert all(version.pings == () for version in reply.versions)


async def test_an_answer_whose_document_says_everyone_pings_nobody(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    helpers = peer.world.role("helpers").id
    desk.reply = samples.answer(f"Tell @everyone and <@&{helpers}> [1].")
    question = await peer.user("ada").mentions("general", "whom to tell?")
    reply = await answered(peer, question)
    assert reply.pings == []
    assert "@everyone" not in reply.rendering


async def test_an_abstention_is_a_card_with_ways_on(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    desk.reply = samples.abstention()
    question = await peer.user("ada").mentions("general", "who is the CEO's dog?")
    text = (await answered(peer, question)).rendering
    assert text.startswith("| # I don't know\n| I searched 31 documents, but nothing I found answers this.")
    assert "[Ask a human] [Try other words] [How was this graded?]" in text
    assert "The nearest passages" in text


async def test_small_talk_gets_plain_words(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    desk.reply = plain.courtesy()
    question = await peer.user("ada").mentions("general", "thanks")
    thread = await peer.thread(question)
    assert (await peer.message(thread, lambda m: bool(m.content))).rendering == "You're welcome!"


async def test_a_notice_takes_the_placeholders_place(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    desk.refusal = "I'm busy."
    question = await peer.user("ada").mentions("general", "how many days?")
    assert (await peer.message(await peer.thread(question))).rendering == "| I'm busy."


@pytest.mark.parametrize("locked", [False, True])
async def test_a_thread_that_is_closed_in_mid_answer(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, locked: bool
) -> None:
    """Archived it is opened again by the answer; locked, the asker is told beside the question."""
    desk.gate = asyncio.Event()
    question = await peer.user("ada").mentions("general", "how many days?")
    thread = await peer.thread(question)
    await peer.message(thread)
    await peer.user("carla").archives(thread, locked=locked)
    desk.gate.set()
    if locked:
        told = await peer.message("general")
        assert f"The thread <#{thread.id}> was closed" in told.rendering
        assert told.reference == question.id
    else:
        await answered(peer, question)
        await peer.until(lambda: True if len(peer.messages(thread, by="candor")) == 1 else None, 5, "no cleaning up")
    assert desk.failures == []


async def test_a_thread_that_is_locked_but_open_is_told_in_private_where_the_channel_is_closed_too(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.stages, desk.gate = (), asyncio.Event()
    thread = await peer.user("ada").starts_thread("general", "Talk")
    await peer.user("ada").mentions(thread, "how many days?")
    await asked(peer, desk)
    peer.forbids("general", Permission.SEND_MESSAGES)
    await peer.user("carla").locks(thread)
    desk.gate.set()
    private = peer.world.dm(peer.user("ada").id, 0)
    assert "was closed" in (await peer.message(private)).rendering


async def test_where_nobody_can_be_told_the_desk_hears_of_it(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.gate = asyncio.Event()
    question = await peer.user("ada").mentions("general", "how many days?")
    thread = await peer.thread(question)
    peer.world.users[peer.user("ada").id].dms_closed = True
    peer.forbids("general", Permission.SEND_MESSAGES)
    await peer.user("carla").archives(thread, locked=True)
    desk.gate.set()
    await peer.until(lambda: desk.failures or None, 5, "no ScreenError")
    assert "thread" in str(desk.failures[0])


@pytest.mark.parametrize("trouble", [{"status": 502}, {"drop": True, "after": True}, {"status": 429}])
async def test_a_message_that_discord_loses_is_sent_again_and_there_once(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, trouble: dict[str, object]
) -> None:
    desk.reply = samples.long_answer(9_000)
    peer.fail("create_message", skip=1, **trouble)  # type: ignore[arg-type]
    peer.fail("edit_message", **trouble)  # type: ignore[arg-type]
    question = await peer.user("ada").mentions("general", "tell me all")
    last = await peer.message(await peer.thread(question), settled, within_s=15)
    messages = peer.messages(last.channel, by="candor")
    parts = re.findall(r"## Part (\d+)", "\n".join(m.rendering for m in messages))
    assert parts == [str(n) for n in range(1, len(parts) + 1)]


async def test_a_placeholder_that_somebody_deleted_is_made_anew(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.gate = asyncio.Event()
    question = await peer.user("ada").mentions("general", "how many days?")
    thread = await peer.thread(question)
    await peer.user("carla").deletes(await peer.message(thread))
    desk.gate.set()
    await answered(peer, question)


async def test_after_fifteen_minutes_a_commands_answer_still_arrives(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.gate = asyncio.Event()
    interaction = await peer.user("ada").slash("ask", question="how many days?")
    hidden = await peer.user("ada").slash("ask", question="and here?", channel="random")
    await asked(peer, desk, 2)
    peer.skip(1000)
    desk.gate.set()
    assert interaction.original is not None
    assert await peer.message(interaction.channel, settled) is interaction.original
    private = peer.world.dm(peer.user("ada").id, 0)
    await peer.until(lambda: True if len(peer.messages(private, by="candor")) == 2 else None, 5, "not in private")
    assert hidden.original is not None
    assert not settled(hidden.original)


async def test_an_earlier_processes_question_is_answered_in_its_thread(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    question = await peer.user("ben").says("general", "how many days?")
    general = peer.channel("general").id
    place = Place("discord", GUILD, general, question.id)
    incoming = Incoming(("k",), place, Person(question.author), Entry.MENTION, "how many days?", message=question.id)
    await bot.screen_for(incoming).reply(samples.answer())
    assert settled(await answered(peer, question))


async def test_an_earlier_processes_command_is_answered_in_its_own_message(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.refusal = "I'm restarting right now. I'll answer this when I'm back."
    interaction = await peer.user("ada").slash("ask", question="how many days?")
    await peer.answer(interaction, lambda m: "restarting" in m.rendering)
    await bot.screen_for(desk.asked[0]).reply(samples.answer())
    assert await peer.answer(interaction, settled) is interaction.original
    assert len(peer.messages(interaction.channel, by="candor")) == 1


@pytest.mark.parametrize("where", ["a channel", "a thread", "private", "no threads"])
async def test_what_a_killed_process_left_becomes_the_answer(peer: DiscordPeer, desk: FakeDesk, where: str) -> None:
    desk.gate = asyncio.Event()
    ada = peer.user("ada")
    thread = await ada.starts_thread("general", "Talk")
    if where == "no threads":
        peer.forbids("general", Permission.CREATE_PUBLIC_THREADS)
    async with running(peer, desk):
        for text in ("how many days?", "and for interns?"):
            if where == "private":
                await ada.dm(text)
            else:
                await ada.mentions(thread if where == "a thread" else "general", text)
        await asked(peer, desk, 2)
        await asyncio.sleep(0.3)
    left = [m for m in peer.world.messages if "Searching the documents…" in m.rendering]
    assert len(left) == 2
    desk.gate = None
    async with running(peer, desk) as bot:
        await asyncio.gather(*(bot.screen_for(question).reply(samples.answer()) for question in desk.asked))
    mine = [m for m in peer.world.messages if m.author == APP and not m.deleted and m.rendering]
    assert [m.id for m in mine] == [m.id for m in left]
    assert all(settled(m) for m in mine)


@pytest.mark.parametrize("where", ["a channel", "a thread", "no threads"])
async def test_a_reply_that_a_killed_process_has_shown_is_not_shown_again(
    peer: DiscordPeer, desk: FakeDesk, where: str
) -> None:
    """Killed between showing it and noting that."""
    ada = peer.user("ada")
    thread = await ada.starts_thread("general", "Talk")
    if where == "no threads":
        peer.forbids("general", Permission.CREATE_PUBLIC_THREADS)
    async with running(peer, desk):
        for text in ("how many days?", "and for interns?"):
            await ada.mentions(thread if where == "a thread" else "general", text)
        await peer.until(lambda: True if len(replied(peer)) == 2 else None, 9, "two replies")
    before = replied(peer)
    async with running(peer, desk) as bot:
        await asyncio.gather(*(bot.screen_for(question).reply(samples.partly()) for question in desk.asked))
        await asyncio.sleep(0.1)
    assert replied(peer) == before
    assert all("Well supported" in m.rendering for m in before)


def replied(peer: DiscordPeer) -> list[Message]:
    return [m for m in peer.world.messages if m.author == APP and not m.deleted and settled(m)]


@pytest.mark.parametrize("where", ["a channel", "no threads", "a thread", "private"])
@pytest.mark.parametrize("command", [False, True])
async def test_a_question_that_was_only_received_is_completed_and_its_placeholder_becomes_the_answer(
    peer: DiscordPeer, desk: FakeDesk, where: str, command: bool
) -> None:
    """As after a kill while Discord was asked who asks, and what was said before."""
    ada = peer.user("ada")
    thread = await ada.starts_thread("general", "Talk")
    if where == "no threads":
        peer.forbids("general", Permission.CREATE_PUBLIC_THREADS)
    places: dict[str, Any] = {"a thread": thread, "private": ""}
    place = places.get(where, "general")
    async with running(peer, desk):
        if where == "a thread":
            await ada.mentions(thread, "what is the rule?")
            await peer.message(thread, settled)
        peer.fail("get_messages", times=9, delay_s=30)
        peer.fail("get_member", times=9, delay_s=30)
        desk.gate = asyncio.Event()
        if command:
            await ada.slash("ask", question="how many days?", channel=place)
        elif where == "private":
            await ada.dm("how many days?")
        else:
            await ada.mentions(place, "how many days?")
        left = await peer.until(lambda: placeholders(peer) or None, 3, "no placeholder")
    peer.state.faults.clear()
    received = desk.received[-1]
    assert received.person.external is None
    desk.gate = None
    async with running(peer, desk) as bot:
        incoming = await bot.completed(received)
        assert incoming is not None
        assert (incoming.person.id, incoming.person.external) == (ada.id, False)
        assert ("what is the rule?" in [turn.text for turn in incoming.history]) is (where == "a thread")
        await bot.screen_for(incoming).reply(samples.answer())
        await asyncio.sleep(0.2)
        mine = [m for m in peer.world.messages if m.author == APP and not m.deleted and settled(m)]
    assert placeholders(peer) == []
    assert mine[-1].id in [m.id for m in left] or mine[-1].channel in [m.id for m in left]


def placeholders(peer: DiscordPeer) -> list[Message]:
    """What of the bot's waits for an answer: a stage, or a question that it repeated, without a thread on it."""
    mine = [m for m in peer.world.messages if m.author == APP and not m.deleted]
    threads = {m.channel for m in mine}
    stages = [m for m in mine if re.search(r"^\| # .*…$", m.rendering, re.M)]
    return stages + [m for m in mine if m.content and not m.embeds and m.id not in threads]


async def test_a_command_that_was_killed_before_it_was_answered_is_left_alone(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    """Discord has told its asker that the application did not respond."""
    place, keys = Place("discord", GUILD, peer.channel("general").id), ("discord:interaction:42",)
    nobody = Person(peer.user("ada").id, external=None)
    assert await bot.completed(Incoming(keys, place, nobody, Entry.COMMAND, "how many days?")) is None


async def test_a_draft_of_this_process_is_not_taken_for_an_old_one(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.gate = asyncio.Event()
    await peer.user("ada").dm("how many days?")
    await asked(peer, desk)
    direct = peer.world.dm(peer.user("ada").id, 0)
    await peer.message(direct)
    await bot.screen_for(desk.asked[0]).reply(samples.answer())
    assert [settled(m) for m in peer.messages(direct, by="candor")] == [False, True]


async def test_admins_can_be_told(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    await bot.tell(peer.channel("secret").id, "The limit of today is used up.")
    assert (await peer.message("secret")).rendering == "| The limit of today is used up."
    with pytest.raises(ScreenError, match="may not look"):
        await bot.tell(peer.channel("random").id, "x")
    with pytest.raises(ScreenError, match="is no channel"):
        await bot.tell("C0123", "x")


async def test_rate_limits_are_honoured_and_nothing_is_lost(desk: FakeDesk) -> None:
    async with DiscordPeer(rates=Rates()) as peer, running(peer, desk):
        desk.pieces, desk.pause_s = ("Sentence. ",) * 5, 0.2
        desk.reply = samples.long_answer(14_000)
        question = await peer.user("ada").mentions("general", "tell me all")
        last = await peer.message(await peer.thread(question), settled, within_s=20)
        parts = re.findall(r"## Part (\d+)", "\n".join(m.rendering for m in peer.messages(last.channel, by="candor")))
        assert parts == [str(n) for n in range(1, len(parts) + 1)]
        assert not any(call.status == 429 for call in peer.calls())


async def test_no_message_hides_its_own_embeds(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    question = await peer.user("ada").mentions("general", "how many days?")
    reply = await answered(peer, question)
    assert Flag.SUPPRESS_EMBEDS not in reply.flags
    assert reply.links == []
