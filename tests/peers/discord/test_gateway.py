"""The gateway, through discord.py: intents, content, resumes, and how connections end."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import aiohttp
import discord
import pytest
from discord import Intents

from tests.peers.discord import ELSEWHERE, GUILD, DiscordPeer, Timing
from tests.peers.discord.conftest import Bot, heard, point, running


async def test_a_ready_bot_knows_its_guilds_channels_and_roles(peer: DiscordPeer, bot: Bot) -> None:
    guild = bot.get_guild(int(GUILD))
    assert guild is not None
    assert {channel.name for channel in guild.channels} >= {"general", "secret", "ideas", "news"}
    assert [role.name for role in guild.roles if role.is_bot_managed()] == ["candor"]
    assert [member.name for member in guild.members] == ["candor"]
    assert guild.me.guild_permissions.mention_everyone
    assert bot.get_guild(int(ELSEWHERE)) is not None
    assert peer.identifies == 1


async def test_a_mention_is_heard_with_its_content_without_the_content_intent(peer: DiscordPeer, bot: Bot) -> None:
    await peer.user("ada").says("general", "not for you")
    await peer.user("ada").mentions("general", "how many days off?")
    private = await peer.user("ben").dm("psst")
    plain, mention, dm = await heard(peer, bot, "message", 3)
    assert plain.content == ""
    assert mention.content == f"<@{bot.application_id}> how many days off?"
    assert bot.user in mention.mentions
    assert mention.author.name == "ada"
    assert isinstance(mention.author, discord.Member)
    assert (dm.content, dm.guild, dm.channel.id) == ("psst", None, int(private.channel))


async def test_with_the_content_intent_all_is_readable(peer: DiscordPeer) -> None:
    peer.app.privileged.add("message_content")
    async with running(peer, intents=Intents(Intents.default().value | Intents.message_content.flag)) as bot:
        await peer.user("ada").says("general", "hello all")
        assert (await heard(peer, bot, "message"))[0].content == "hello all"
        channel = bot.get_partial_messageable(int(peer.channel("general").id))
        assert [m.content async for m in channel.history()] == ["hello all"]


async def test_the_rest_api_hides_content_too(peer: DiscordPeer, bot: Bot) -> None:
    await peer.user("ada").says("general", "not for you")
    await peer.user("ada").mentions("general", "for you")
    channel = bot.get_partial_messageable(int(peer.channel("general").id))
    assert [m.content for m in [m async for m in channel.history()]] == [f"<@{bot.application_id}> for you", ""]


async def test_an_unticked_intent_ends_the_start_with_4014(peer: DiscordPeer) -> None:
    bot = Bot(Intents.all())
    await bot.login(peer.app.token)
    with pytest.raises(discord.PrivilegedIntentsRequired):
        await bot.connect()
    await bot.close()
    assert [connection.close_code for connection in peer.gateway.all] == [4014]


async def test_a_wrong_token_is_refused_by_rest_and_gateway(peer: DiscordPeer, bot: Bot) -> None:
    other = Bot(Intents.default())
    with pytest.raises(discord.LoginFailure):
        await other.login("wrong")
    await other.close()
    identify: Any = {"token": "wrong", "intents": 1, "properties": {}}
    assert await _raw(peer, {"op": 2, "d": identify}) == 4004
    assert peer.invalid_requests == 1


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"op": 99}, 4001),
        ({"op": 8, "d": {}}, 4003),
        ({"op": 2, "d": {"token": "x"}}, 4004),
        ({"op": 6, "d": {"token": "x", "session_id": "s", "seq": 1}}, 4004),
        ("no object", 4002),
    ],
)
async def test_what_the_gateway_does_not_understand_closes_it(peer: DiscordPeer, frame: Any, code: int) -> None:
    assert await _raw(peer, frame) == code


async def test_undefined_intents_close_with_4013_and_a_flood_with_4008(peer: DiscordPeer) -> None:
    assert await _raw(peer, {"op": 2, "d": {"token": peer.app.token, "intents": 1 << 30, "properties": {}}}) == 4013
    assert await _raw(peer, *[{"op": 1, "d": None}] * 121) == 4008


async def test_a_killed_connection_is_resumed_and_nothing_is_lost(peer: DiscordPeer, bot: Bot) -> None:
    await peer.user("ada").mentions("general", "one")
    await heard(peer, bot, "message")
    peer.kill()
    await peer.user("ada").mentions("general", "two")
    await heard(peer, bot, "resumed")
    await peer.user("ada").mentions("general", "three")
    messages = await heard(peer, bot, "message", 3)
    assert [m.content.split()[-1] for m in messages] == ["one", "two", "three"]
    assert peer.identifies == 1
    assert peer.gateway.open[0].path == "/resume/"
    assert peer.gateway.open[0].resumed


@pytest.mark.parametrize("how", ["reconnect", "4000"])
async def test_asked_to_reconnect_the_bot_resumes(peer: DiscordPeer, bot: Bot, how: str) -> None:
    if how == "reconnect":
        peer.reconnect()
    else:
        await peer.close(int(how))
    await heard(peer, bot, "resumed")
    assert peer.identifies == 1


async def test_an_invalid_session_is_begun_anew_and_ready_comes_again(peer: DiscordPeer, bot: Bot) -> None:
    peer.invalidate()
    await heard(peer, bot, "ready", 2)
    assert peer.identifies == 2
    peer.state.timing.resume_life_s = -1
    peer.kill()
    await heard(peer, bot, "ready", 3)
    assert peer.identifies == 3


async def test_a_final_close_code_ends_the_bot(peer: DiscordPeer) -> None:
    bot = Bot(Intents.default())
    await bot.login(peer.app.token)
    task = asyncio.create_task(bot.connect())
    await peer.connected()
    await peer.resets_token()
    with pytest.raises(discord.ConnectionClosed) as raised:
        await asyncio.wait_for(task, 3)
    assert raised.value.code == 4004


async def test_a_stalled_connection_gets_no_acknowledgement_until_the_bot_gives_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with DiscordPeer(timing=Timing(heartbeat_s=0.1)) as peer:
        point(monkeypatch, peer)
        async with running(peer, heartbeat_timeout=0.4) as bot:
            await peer.until(lambda: True if peer.gateway.open[0].heartbeats > 2 else None, 3, "no heartbeats")
            peer.stall()
            await peer.user("ada").mentions("general", "are you there?")
            await heard(peer, bot, "resumed")
            assert (await heard(peer, bot, "message"))[0].content.endswith("are you there?")


@pytest.mark.parametrize(("code", "sessions"), [(1000, 0), (1001, 0), (4000, 1)])
async def test_closing_with_1000_or_1001_ends_the_session(peer: DiscordPeer, code: int, sessions: int) -> None:
    identify = {"op": 2, "d": {"token": peer.app.token, "intents": 1, "properties": {}}}
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{peer.gateway_url}?v=10") as ws:
        await ws.send_json(identify)
        await peer.connected()
        await ws.close(code=code)
    await peer.until(lambda: True if not peer.gateway.open else None, 3, "still open")
    assert len(peer.gateway.live) == sessions


async def test_discord_py_closes_so_that_its_session_lives_on(peer: DiscordPeer) -> None:
    """With aiohttp 3.14 its reader's 4000 overtakes the 1000 that Client.close() means to send."""
    async with running(peer):
        pass
    await peer.until(lambda: True if not peer.gateway.open else None, 3, "still open")
    assert [connection.close_code for connection in peer.gateway.all] == [4000]


async def test_a_discord_that_is_down_can_come_back(peer: DiscordPeer, bot: Bot) -> None:
    peer.goes_down()
    await peer.user("ada").mentions("general", "lost?")
    await heard(peer, bot, "disconnect")
    peer.comes_back()
    started = time.monotonic()
    await peer.until(lambda: True if bot.named("message") else None, 8, "not back")
    assert time.monotonic() - started < 8


async def test_frames_may_be_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    async with DiscordPeer(plain=True) as peer:
        point(monkeypatch, peer)
        async with running(peer) as bot:
            await peer.user("ada").mentions("general", "hi")
            assert await heard(peer, bot, "message")


async def test_members_are_sent_where_the_intent_is_on(peer: DiscordPeer) -> None:
    peer.app.privileged.add("members")
    async with running(peer, intents=Intents(Intents.default().value | Intents.members.flag)) as bot:
        guild = bot.get_guild(int(GUILD))
        assert guild is not None
        assert {member.name for member in guild.members} >= {"ada", "ben", "carla", "dora", "candor"}
        await peer.user("ben").gets_role("candor-admins")
        after = (await heard(peer, bot, "member_update"))[0]
        member = guild.get_member(after.id)
        assert member is not None
        assert "candor-admins" in [role.name for role in member.roles]
        await peer.user("dora").leaves(GUILD)
        await heard(peer, bot, "member_remove")


async def test_edits_deletions_and_reactions_are_heard(peer: DiscordPeer, bot: Bot) -> None:
    ada = peer.user("ada")
    message = await ada.says("general", "first")
    await ada.edits(message, f"<@{bot.application_id}> second")
    await ada.reacts(message, "👍")
    await ada.unreacts(message, "👍")
    await ada.deletes(message)
    await heard(peer, bot, "raw_message_delete")
    edit = bot.named("raw_message_edit")[0]
    assert edit.message.content.endswith("second")
    assert str(bot.named("raw_reaction_add")[0].emoji) == "👍"
    assert bot.named("raw_reaction_add")[0].member.name == "ada"
    assert bot.named("raw_reaction_remove")[0].user_id == int(ada.id)


async def test_hidden_channels_stay_silent(peer: DiscordPeer, bot: Bot) -> None:
    await peer.user("ada").mentions("random", "are you there?")
    peer.hides("help")
    await peer.user("ada").mentions("help", "and here?")
    await peer.user("ada").mentions("secret", "here I am")
    assert [m.channel.name for m in await heard(peer, bot, "message")] == ["secret"]


async def _raw(peer: DiscordPeer, *frames: Any) -> int | None:
    """The code with which the gateway closes a connection that sends `frames`."""
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{peer.gateway_url}?v=10&encoding=json") as ws:
        for frame in frames:
            await (ws.send_str(frame) if isinstance(frame, str) else ws.send_json(frame))
        async for _ in ws:
            pass
        return ws.close_code
