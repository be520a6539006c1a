"""The start, the command tree, and a connection that dies, goes silent or is refused."""

from __future__ import annotations

import asyncio
import time

import pytest

from adapters.discord import DiscordBot, Patience
from adapters.discord.rights import invite_url
from crag.errors import CandorError, SettingsError
from tests.adapters.discord.conftest import Memory, answered, asked, opened, running
from tests.fakes.desk import FakeDesk
from tests.peers.discord import GUILD, DiscordPeer, Permission, Rates, Timing


async def test_the_command_tree_is_registered_once(peer: DiscordPeer, desk: FakeDesk) -> None:
    memory = Memory()
    async with running(peer, desk, remembered=memory):
        assert set(peer.commands()) == {"ask", "grade", "candor", "Ask Candor about this"}
        peer.invalidate()
        await peer.until(lambda: True if peer.identifies == 2 else None, 15, "no new session")
    async with running(peer, desk, remembered=memory):
        pass
    assert len(peer.calls("overwrite_global_commands")) == 1
    memory.kept = dict.fromkeys(memory.kept, "another tree")
    async with running(peer, desk, remembered=memory):
        pass
    assert len(peer.calls("overwrite_global_commands")) == 2


async def test_without_its_commands_the_bot_still_answers(peer: DiscordPeer, desk: FakeDesk) -> None:
    peer.state.creates[""] = 200
    memory = Memory()
    async with running(peer, desk, remembered=memory):
        await answered(peer, await peer.user("ada").mentions("general", "how many days?"))
    assert memory.kept == {}


async def test_a_wrong_token_ends_the_start_with_a_sentence(peer: DiscordPeer, desk: FakeDesk) -> None:
    with pytest.raises(SettingsError, match=r"^Discord refuses the bot's token\. .*CANDOR_DISCORD__TOKEN"):
        async with opened(peer, desk, token="wrong"):
            pass


async def test_a_missing_intent_ends_the_start_with_a_sentence(peer: DiscordPeer, desk: FakeDesk) -> None:
    with pytest.raises(SettingsError, match="lacks the Message Content intent"):
        async with opened(peer, desk, follow_ups=True):
            pass


async def test_no_privileged_intent_is_needed_by_default(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    assert peer.app.privileged == set()
    assert bot.connected


async def test_an_intent_that_is_switched_off_later_ends_the_bot_with_a_sentence(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    async with opened(peer, desk) as other:
        receiving = asyncio.create_task(other.run())
        await peer.connected(2)
        await peer.close(4014)
        with pytest.raises(CandorError, match="lacks the Message Content intent"):
            await asyncio.wait_for(receiving, 5)


async def test_a_token_that_is_reset_ends_the_bot_with_a_sentence(peer: DiscordPeer, desk: FakeDesk) -> None:
    async with opened(peer, desk) as made:
        receiving = asyncio.create_task(made.run())
        await peer.connected()
        await peer.resets_token()
        with pytest.raises(CandorError, match="it was reset"):
            await asyncio.wait_for(receiving, 5)
        assert not made.connected


async def test_a_guild_that_the_bot_is_not_in_ends_the_start_with_a_sentence(peer: DiscordPeer, desk: FakeDesk) -> None:
    with pytest.raises(SettingsError, match=r"not in the guild 42.*candor discord-invite"):
        async with opened(peer, desk, guilds=frozenset({"42", GUILD})):
            pass


async def test_a_missing_permission_ends_the_bot_with_a_sentence_that_names_it(
    peer: DiscordPeer, desk: FakeDesk
) -> None:
    role = peer.world.role("candor")
    role.permissions &= ~Permission.EMBED_LINKS
    peer.world.role(GUILD).permissions &= ~Permission.EMBED_LINKS
    async with opened(peer, desk, guilds=frozenset({GUILD})) as made:
        with pytest.raises(SettingsError, match=r"lacks permissions in the guild Candor Tests: Embed Links\."):
            await asyncio.wait_for(made.run(), 10)


async def test_a_killed_connection_comes_back_and_nothing_is_lost(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    peer.kill()
    question = await peer.user("ada").mentions("general", "are you there?")
    await answered(peer, question)
    assert bot.connected
    assert len(desk.asked) == 1
    assert peer.identifies == 1


async def test_a_silent_connection_is_rebuilt_in_bounded_time(desk: FakeDesk) -> None:
    async with DiscordPeer(rates=Rates.none(), timing=Timing(heartbeat_s=0.1)) as peer:
        patience = Patience(silent=0.4, lost=30, look=0.05)
        async with running(peer, desk, patience=patience) as bot:
            peer.stall()
            question = await peer.user("ada").mentions("general", "are you there?")
            stalled_at = time.monotonic()
            await peer.until(lambda: None if bot.connected else True, 2, "the silence isn't noticed")
            await answered(peer, question)
            assert time.monotonic() - stalled_at < 4
            assert bot.connected


async def test_a_connection_that_stays_lost_is_made_anew_without_waiting_for_longer_and_longer_pauses(
    peer: DiscordPeer, desk: FakeDesk
) -> None:
    async with running(peer, desk, patience=Patience(silent=30, lost=1.0, look=0.05)) as bot:
        peer.goes_down()
        await peer.until(lambda: None if bot.connected else True, 3, "the loss isn't noticed")
        await asyncio.sleep(2.5)
        peer.comes_back()
        back_at = time.monotonic()
        await peer.until(lambda: True if bot.connected else None, 8, "not back")
        assert time.monotonic() - back_at < 8
        await answered(peer, await peer.user("ada").mentions("general", "are you there?"))


async def test_what_comes_while_the_bot_stops_goes_to_the_desk_which_keeps_it(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    await bot.stop_intake()
    await bot.stop_intake()
    desk.refusal = "I'm restarting right now."
    await peer.user("ada").mentions("general", "how many days?")
    await asked(peer, desk)


async def test_the_invite_asks_for_what_is_needed_and_no_more(peer: DiscordPeer) -> None:
    granted = Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES | Permission.SEND_MESSAGES_IN_THREADS
    granted |= Permission.CREATE_PUBLIC_THREADS | Permission.EMBED_LINKS | Permission.READ_MESSAGE_HISTORY
    url = invite_url(peer.app.token)
    assert url == (
        "https://discord.com/oauth2/authorize?client_id=900000000000000199"
        f"&scope=bot+applications.commands&permissions={int(granted)}"
    )
    assert "client_id=42&" in invite_url("", "42")
    with pytest.raises(SettingsError, match="CANDOR_DISCORD__APPLICATION_ID"):
        invite_url("no-token")


async def test_the_permissions_of_the_invite_are_enough(peer: DiscordPeer, desk: FakeDesk) -> None:
    needed = int(invite_url(peer.app.token).split("permissions=")[1])
    peer.world.role("candor").permissions = Permission(needed)
    peer.world.role(GUILD).permissions = Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES
    async with running(peer, desk, guilds=frozenset({GUILD})):
        first = await answered(peer, await peer.user("ada").mentions("general", "how many days?"))
        await peer.user("ada").mentions(first.channel, "and then?")
        await asked(peer, desk, 2)
        await asyncio.sleep(0.2)
    assert not [call for call in peer.calls() if call.status == 403]
