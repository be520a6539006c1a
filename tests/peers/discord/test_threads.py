"""Threads and forum posts through discord.py."""

from __future__ import annotations

import discord
import pytest

from tests.peers.discord import APP, DiscordPeer, Flag
from tests.peers.discord.conftest import Bot, heard, place, refused


async def test_a_thread_hangs_on_its_message(peer: DiscordPeer, bot: Bot) -> None:
    question = await peer.user("ada").mentions("general", "how many days off?")
    message = (await heard(peer, bot, "message"))[0]
    thread = await message.create_thread(name="Days off")
    await thread.send("30")
    assert str(thread.id) == question.id
    assert (await peer.thread(question)).name == "Days off"
    assert Flag.HAS_THREAD in question.flags
    assert (await peer.message(question.id)).content == "30"
    assert peer.transcript("general").splitlines()[2:] == ["    > Days off", "    candor:", "      30"]
    assert (await refused(message.create_thread(name="again"))).code == 160004
    starter = next(
        m for m in await heard(peer, bot, "message", 3) if m.type is discord.MessageType.thread_starter_message
    )
    assert (starter.content, starter.author.name, starter.reference.message_id) == ("", "ada", message.id)


@pytest.mark.parametrize(
    ("locked", "archived", "code"), [(True, True, 50083), (True, False, 160005), (False, True, None)]
)
async def test_a_locked_thread_takes_no_message_and_an_archived_one_opens_again(
    peer: DiscordPeer, bot: Bot, locked: bool, archived: bool, code: int | None
) -> None:
    ada = peer.user("ada")
    thread = await ada.starts_thread("general", "Talk")
    found = (await heard(peer, bot, "thread_create"))[0]
    sent = await found.send("before")
    await (ada.archives(thread, locked=locked) if archived else ada.locks(thread))
    if archived:
        assert (await refused(sent.edit(content="during"))).code == 50083
        assert (await refused(sent.add_reaction("👍"))).code == 50083
    if code is None:
        await found.send("after")
        assert not thread.archived
    else:
        assert (await refused(found.send("after"))).code == code


async def test_a_private_thread_shows_to_its_members_only(peer: DiscordPeer, bot: Bot) -> None:
    thread = await peer.user("ada").starts_thread("general", "Quiet", private=True, members=["ben"])
    await peer.user("ben").mentions(thread, "secret?")
    assert (await refused(bot.get_partial_messageable(int(thread.id)).send("x"))).code == 50001
    assert bot.named("message") == []
    with pytest.raises(AssertionError, match="dora doesn't see"):
        await peer.user("dora").says(thread, "me?")


async def test_forums_take_posts_and_no_plain_messages(peer: DiscordPeer, bot: Bot) -> None:
    post = await peer.user("ada").posts_in_forum("ideas", "Leave", f"<@{APP}> how many days?", tags=["question"])
    message = (await heard(peer, bot, "message"))[0]
    assert (message.id, message.channel.name, message.channel.parent.name) == (int(post.id), "Leave", "ideas")
    assert [tag.name for tag in message.channel.applied_tags] == ["question"]
    await message.channel.send("30")
    assert (await peer.message(post.channel)).content == "30"
    forum = place(peer, bot, "ideas")
    assert (await refused(bot.get_partial_messageable(forum.id).send("x"))).code == 50008
    made = await forum.create_thread(name="From me", content="first")
    assert made.thread.id == made.message.id
    assert [thread.name for thread in peer.threads("ideas")] == ["Leave", "From me"]
