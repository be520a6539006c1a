"""The ways to ask in Discord, and what is no question."""

from __future__ import annotations

import asyncio
import time

import pytest

from adapters.discord import DiscordBot
from crag import wording
from crag.events import State
from crag.platform import Entry, Incoming, Place, Screen
from crag.types import Turn
from tests.adapters.discord.conftest import answered, asked, running, settled
from tests.adapters.discord.samples import abstention, answer, failure
from tests.fakes.desk import FakeDesk
from tests.peers.discord import APP, GUILD, DiscordPeer, Message, Permission


async def test_a_mention_in_a_channel_is_answered_in_a_thread_on_it(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    question = await peer.user("ben").mentions("general", "how many days carry over?")
    reply = await answered(peer, question)
    incoming = desk.asked[0]
    assert (incoming.text, incoming.entry, incoming.history) == ("how many days carry over?", Entry.MENTION, ())
    assert incoming.place == Place("discord", GUILD, peer.channel("general").id, question.id)
    assert incoming.person.id == question.author
    assert incoming.person.groups == {peer.world.role("helpers").id}
    assert (incoming.message, incoming.person.guest, incoming.person.external) == (question.id, False, False)
    assert incoming.link == f"https://discord.com/channels/{GUILD}/{question.channel}/{question.id}"
    assert peer.channel(reply.channel).name == "how many days carry over?"
    assert peer.messages("general", by="candor") == []
    assert len(peer.messages(reply.channel, by="candor")) == 1


async def test_in_a_thread_the_thread_is_the_history(peer: DiscordPeer, desk: FakeDesk) -> None:
    peer.app.privileged.add("message_content")
    async with running(peer, desk, follow_ups=True):
        ada, ben = peer.user("ada"), peer.user("ben")
        await ben.says("general", "another conversation")
        question = await ada.mentions("general", "how many days carry over?")
        thread = peer.channel((await answered(peer, question)).channel)
        await ben.says(thread, "is that for interns too?")
        await peer.user("otherbot").says(thread, "beep")
        second = await ben.mentions(thread, "what does that mean?")
        await peer.message(thread, lambda m: settled(m) and m.reference == second.id)
    assert desk.asked[1].history == (
        Turn("how many days carry over?", author=ada.id),
        Turn("You may carry over **five days** [1]. They lapse at the end of March [2].", by_bot=True),
        Turn("is that for interns too?", author=ben.id),
    )
    assert desk.asked[1].place == desk.asked[0].place
    assert desk.asked[1].text == "what does that mean?"


async def test_the_history_says_which_questions_found_nothing(peer: DiscordPeer, desk: FakeDesk) -> None:
    async with running(peer, desk):
        ada = peer.user("ada")
        for number, reply in enumerate((abstention(), failure(), answer()), 1):
            desk.reply = reply
            question = await ada.mentions("general", "who is in Slipware?")
            thread = peer.channel((await answered(peer, question)).channel)
            await ada.mentions(thread, "and when?")
            await asked(peer, desk, 2 * number)
    unknown = [[turn.unknown for turn in desk.asked[at].history] for at in (1, 3, 5)]
    assert unknown == [[False, True], [False], [False, False]]


async def test_a_reply_with_a_mention_brings_what_it_replies_to(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    first = await peer.user("ben").mentions("help", "Leave is 30 days.")
    await answered(peer, first)
    await peer.user("ada").mentions("help", "what does that mean?", reply_to=first)
    await asked(peer, desk, 2)
    assert [turn.text for turn in desk.asked[1].history] == ["Leave is 30 days."]


async def test_a_direct_message_is_answered_in_place_with_its_own_history(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    ada = peer.user("ada")
    first = await ada.dm("how many days?")
    await peer.message(first.channel, settled)
    await ada.dm("and for interns?")
    await peer.until(lambda: True if len(peer.messages(first.channel, by="candor")) == 2 else None, 5, "no 2nd reply")
    assert desk.asked[0].place == Place("discord", "", first.channel, direct=True)
    assert desk.asked[0].person.external is False
    assert [turn.by_bot for turn in desk.asked[1].history] == [False, True]


async def test_a_stranger_who_writes_in_private_is_known_as_one(peer: DiscordPeer, desk: FakeDesk) -> None:
    async with running(peer, desk, guilds=frozenset({GUILD})):
        dora = peer.user("dora")
        await dora.dm("let me in")
        await asked(peer, desk)
        assert desk.asked[0].person.groups == {peer.world.role("candor-admins").id}
        await peer.user("ben").leaves(GUILD)
        await peer.user("ben").dm("let me in")
        await asked(peer, desk, 2)
    assert [incoming.person.external for incoming in desk.asked] == [False, True]


async def test_all_guilds_are_asked_at_once_and_one_that_hangs_is_not_waited_for_long(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.discord.members.ASK_S", 0.4)
    peer.fail("get_member", delay_s=0.2)
    peer.fail("get_member", delay_s=30)
    asked_at = time.monotonic()
    await peer.user("ada").dm("how many days?")
    await asked(peer, desk)
    assert 0.3 < time.monotonic() - asked_at < 1
    assert desk.asked[0].person.external is False


async def test_a_forum_post_is_answered_in_the_post(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    post = await peer.user("ada").posts_in_forum("ideas", "Leave", f"<@{APP}> how many days?")
    reply = await peer.message(post.channel, settled)
    assert reply.reference == post.id
    assert desk.asked[0].place == Place("discord", GUILD, peer.channel("ideas").id, post.channel)


async def test_ask_repeats_the_question_and_answers_in_a_thread_on_it(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    interaction = await peer.user("ada").slash("ask", question="how many days? @everyone", channel="general")
    echo = interaction.original
    assert echo is not None
    assert interaction.latency_s is not None
    assert interaction.latency_s < 1
    assert echo.content.startswith("> how many days? @")
    reply = await answered(peer, echo)
    assert (desk.asked[0].entry, desk.asked[0].text) == (Entry.COMMAND, "how many days? @everyone")
    assert desk.asked[0].message == desk.asked[0].place.thread == echo.id
    assert reply.channel == echo.id
    assert echo.pings == []


async def test_ask_in_a_thread_and_in_private_is_answered_in_place(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    thread = await peer.user("ada").starts_thread("general", "Talk")
    for channel in (thread, ""):
        interaction = await peer.user("ada").slash("ask", question="how many days?", channel=channel)
        reply = await peer.answer(interaction, settled)
        assert reply is interaction.original
        assert reply.content == "> how many days?"


async def test_ask_works_where_the_bot_may_not_look(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    interaction = await peer.user("ada").slash("ask", question="how many days?", channel="random")
    assert settled(await peer.answer(interaction, settled))


async def test_a_message_can_be_asked_about(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    message = await peer.user("ben").says("general", "How many days carry over?")
    interaction = await peer.user("ada").message_command("Ask Candor about this", message)
    await answered(peer, message)
    assert (desk.asked[0].entry, desk.asked[0].text) == (Entry.SHORTCUT, "How many days carry over?")
    assert desk.asked[0].person.id == peer.user("ada").id
    told = await peer.answer(interaction)
    assert told.ephemeral
    assert f"<#{message.id}>" in told.rendering


async def test_follow_ups_count_where_they_are_on_and_from_the_asker_only(peer: DiscordPeer, desk: FakeDesk) -> None:
    peer.app.privileged.add("message_content")
    async with running(peer, desk, follow_ups=True):
        question = await peer.user("ada").mentions("general", "how many days?")
        thread = peer.channel((await answered(peer, question)).channel)
        await peer.user("ada").says(thread, "not on yet")
        await peer.silent(for_s=0.2)
        desk.follow_ups = True
        await peer.user("ben").says(thread, "and for me?")
        await peer.user("ada").says("general", "nor here")
        await peer.user("ada").says(thread, "and for interns?")
        await asked(peer, desk, 2)
        await asyncio.sleep(0.1)
    assert [incoming.text for incoming in desk.asked] == ["how many days?", "and for interns?"]
    assert desk.asked[1].entry is Entry.FOLLOW_UP


@pytest.mark.parametrize("command", [False, True])
async def test_after_a_restart_the_asker_of_a_thread_is_still_known(
    peer: DiscordPeer, desk: FakeDesk, command: bool
) -> None:
    peer.app.privileged.add("message_content")
    desk.follow_ups = True
    async with running(peer, desk, follow_ups=True):
        if command:
            question = (await peer.user("ada").slash("ask", question="how many?", channel="general")).original
        else:
            question = await peer.user("ada").mentions("general", "how many days?")
        assert question is not None
        await answered(peer, question)
    async with running(peer, desk, follow_ups=True):
        thread = peer.channel(question.id)
        await peer.user("ben").says(thread, "and for me?")
        await peer.user("ada").says(thread, "and for interns?")
        await asked(peer, desk, 2)
        await asyncio.sleep(0.1)
    assert [incoming.text for incoming in desk.asked[1:]] == ["and for interns?"]


async def test_what_is_no_question_is_met_with_silence(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    ada, other = peer.user("ada"), peer.user("otherbot")
    question = await ada.mentions("general", "how many days?")
    reply = await answered(peer, question)
    await other.mentions("general", "hello, colleague")
    await other.mentions(reply.channel, "are you sure?")
    await ada.says("general", f"<@{APP}> from an integration", webhook=True)
    await ada.says("general", "no mention")
    await ada.says("general", "@everyone look")
    await ada.says(reply.channel, "thanks!", reply_to=reply)
    await peer.unfurls(await ada.says("general", "see https://example.com"))
    await ada.edits(await ada.says("general", "befor"), "before")
    await ada.reacts(question, "👍")
    await peer.silent(for_s=0.4)
    assert len(desk.asked) == 1
    assert desk.votes == []


async def test_an_edit_that_adds_the_mention_asks_once(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    ada = peer.user("ada")
    message = await ada.says("general", "how many days?")
    await ada.edits(message, f"<@{APP}> how many days?")
    await answered(peer, message)
    await ada.edits(message, f"<@{APP}> how many days, please?")
    await peer.silent(for_s=0.3)
    assert [incoming.text for incoming in desk.asked] == ["how many days?"]
    assert desk.duplicates == []


async def test_a_place_that_is_not_served_gets_no_reply_and_a_command_there_a_sentence(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.served = False
    await peer.user("ada").mentions("general", "how many days?")
    await peer.silent(for_s=0.3)
    for command in ("ask", "grade"):
        interaction = await peer.user("ada").slash(command, question="how many days?", channel="general")
        told = await peer.answer(interaction)
        assert told.ephemeral
        assert "not set up for this channel" in told.rendering
    assert desk.asked == []
    assert desk.graded == []


async def test_a_guild_that_is_not_served_gets_no_reply(peer: DiscordPeer, desk: FakeDesk) -> None:
    async with running(peer, desk, guilds=frozenset({GUILD})):
        await peer.user("ada").mentions("lobby", "how many days?")
        await peer.silent(for_s=0.3)
        interaction = await peer.user("ada").slash("ask", question="how many days?", channel="lobby")
        assert (await peer.answer(interaction)).ephemeral
    assert desk.asked == []


async def test_a_question_that_is_deleted_meanwhile_gets_no_answer_in_the_channel(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.stages, desk.gate = (), asyncio.Event()
    question = await peer.user("ada").mentions("general", "how many days?")
    await asked(peer, desk)
    await peer.user("ada").deletes(question)
    desk.gate.set()
    await peer.until(lambda: desk.failures or None, 5, "no ScreenError")
    assert peer.messages("general", by="candor") == []
    assert peer.threads("general") == []


async def test_where_no_thread_can_be_made_the_answer_is_a_reply(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    peer.forbids("general", Permission.CREATE_PUBLIC_THREADS)
    question = await peer.user("ada").mentions("general", "how many days?")
    reply = await peer.message("general", settled)
    assert reply.reference == question.id
    assert reply.pings == []


async def test_where_a_thread_takes_too_long_the_answer_is_a_reply(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.discord.placing.THREAD_S", 0.1)
    peer.fail("start_thread_on_message", status=429, retry_after=30)
    question = await peer.user("ada").mentions("general", "how many days?")
    assert (await peer.message("general", settled)).reference == question.id


async def test_a_thread_that_is_there_already_is_used(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    peer.fail("start_thread_on_message", drop=True, after=True)
    question = await peer.user("ada").mentions("general", "how many days?")
    await answered(peer, question)
    assert len(peer.threads("general")) == 1
    assert len(peer.messages(question.id, by="candor")) == 1


async def test_a_mention_is_taken_out_of_the_question_and_others_become_names(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    ben, help_ = peer.user("ben").id, peer.channel("help").id
    await peer.user("ada").says("general", f"<@{ben}> asks <@{APP}>: what is in <#{help_}>?")
    await asked(peer, desk)
    assert desk.asked[0].text == "@Ben asks : what is in #help?"


async def test_a_mention_of_the_bots_role_is_met_with_a_hint(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    role = peer.world.role("candor").id
    message = await peer.user("carla").says("general", f"<@&{role}> how many days?")
    told = await peer.message("general")
    assert (told.reference, told.pings) == (message.id, [])
    assert f"Please mention me: <@{APP}>" in told.rendering
    assert desk.asked == []


async def test_where_the_content_can_be_read_a_mention_of_the_role_asks(peer: DiscordPeer, desk: FakeDesk) -> None:
    peer.app.privileged.add("message_content")
    async with running(peer, desk, follow_ups=True):
        message = await peer.user("ada").says("general", f"<@&{peer.world.role('candor').id}> how many days?")
        await answered(peer, message)
    assert desk.asked[0].text == "how many days?"


async def test_a_thread_that_was_in_the_archive_at_the_start_belongs_to_its_channel(
    peer: DiscordPeer, desk: FakeDesk
) -> None:
    thread = await peer.user("ada").starts_thread("general", "Old talk")
    await peer.user("ada").archives(thread)
    async with running(peer, desk):
        await peer.user("ada").mentions(thread, "how many days?")
        await peer.message(thread, settled)
    assert desk.asked[0].place == Place("discord", GUILD, peer.channel("general").id, thread.id)


async def test_a_bare_mention_in_reply_to_a_message_asks_what_that_message_says(
    peer: DiscordPeer, desk: FakeDesk
) -> None:
    peer.app.privileged.add("message_content")
    async with running(peer, desk, follow_ups=True):
        first = await peer.user("ben").says("help", "How many days of leave carry over?")
        await peer.user("ada").mentions("help", "", reply_to=first)
        await asked(peer, desk)
    assert desk.asked[0].text == "How many days of leave carry over?"


@pytest.mark.parametrize("way", ["mention", "direct", "command"])
async def test_a_question_that_fails_where_nobody_foresaw_is_said_to_its_asker(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("nobody foresaw this")

    monkeypatch.setattr(desk, "ask", broken)
    ada = peer.user("ada")
    if way == "command":
        await peer.answer(await ada.slash("ask", question="how many?", channel="general"), holding)
    else:
        question = await ada.dm("how many?") if way == "direct" else await ada.mentions("general", "how many?")
        told = await peer.message(question.channel, holding)
        assert told.reference == question.id


def holding(message: Message) -> bool:
    return wording.INTERNAL in message.rendering


async def test_a_sign_of_life_of_a_question_that_the_desk_knows_already_is_taken_back(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = asyncio.Event()

    async def ask(_: Incoming, screen: Screen) -> None:
        await screen.stage(State.RECEIVED)
        await shown.wait()

    monkeypatch.setattr(desk, "ask", ask)
    thread = await peer.thread(await peer.user("ben").mentions("general", "how many days carry over?"))
    await peer.message(thread)
    shown.set()
    await peer.until(lambda: True if not peer.messages(thread, by="candor") else None, 3, "the sign of life stays")
