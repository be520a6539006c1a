"""What `candor doctor` finds out from Discord."""

from __future__ import annotations

import pytest

from adapters.discord import look_over
from tests.peers.discord import GUILD, DiscordPeer, Permission


async def test_all_is_well(peer: DiscordPeer) -> None:
    peer.app.privileged.add("message_content")
    general = peer.channel("general").id
    found = await look_over(
        token=peer.app.token, guilds={GUILD}, channels={(GUILD, general)}, api_url=peer.api_url, follow_ups=True
    )
    assert [(finding.ok, finding.advice) for finding in found] == [(True, "")] * 3
    assert "in Candor Tests, Elsewhere" in found[0].text
    assert found[2].text == "#general in Candor Tests: the bot may do all that it needs"
    assert peer.gateway.all == []


async def test_what_is_missing_is_named_with_what_to_do(peer: DiscordPeer) -> None:
    peer.forbids("help", Permission.EMBED_LINKS, Permission.SEND_MESSAGES)
    random, help_ = peer.channel("random").id, peer.channel("help").id
    channels = {(GUILD, random), (GUILD, help_), (GUILD, "1"), ("42", "7")}
    found = await look_over(
        token=peer.app.token, guilds={"41"}, channels=channels, api_url=peer.api_url, follow_ups=True
    )
    wrong = [finding.text for finding in found if not finding.ok]
    assert wrong[:3] == [
        "The bot lacks the Message Content intent, which follow-ups need.",
        "The bot is not in the guild 41.",
        "The bot is not in the guild 42.",
    ]
    assert "There is no channel 1 in Candor Tests." in wrong
    assert "#help in Candor Tests: the bot lacks Send Messages, Embed Links." in wrong
    assert any("#random in Candor Tests: the bot lacks View Channels" in text for text in wrong)
    assert all(finding.advice for finding in found if not finding.ok)


async def test_where_the_bot_posts_by_itself_it_has_to_be_allowed_to(peer: DiscordPeer) -> None:
    peer.forbids("readonly", Permission.EMBED_LINKS)
    thread = await peer.user("ada").starts_thread("help", "Admins")
    readonly, lobby = peer.channel("readonly").id, peer.channel("lobby").id
    posts = {thread.id, readonly, lobby, "1", "C0GENERAL", peer.world.dm(peer.user("ada").id, 0).id}
    found = await look_over(token=peer.app.token, posts=posts, api_url=peer.api_url)
    assert {(finding.ok, finding.text) for finding in found[1:]} == {
        (True, "#Admins in Candor Tests: the bot may post there"),
        (True, "#lobby in Elsewhere: the bot may post there"),
        (False, "#readonly in Candor Tests: the bot lacks Send Messages, Embed Links."),
        (False, "Channel 1 is not there, or the bot may not look into it."),
        (False, "C0GENERAL is no channel of Discord's: its id is a number."),
        (False, f"Channel {peer.world.dm(peer.user('ada').id, 0).id} is in no guild."),
    }
    assert all(finding.advice for finding in found if not finding.ok)
    assert peer.gateway.all == []


@pytest.mark.parametrize("dead", [False, True])
async def test_a_wrong_token_and_a_dead_discord_are_told_apart(peer: DiscordPeer, dead: bool) -> None:
    if dead:
        peer.goes_down()
    (finding,) = await look_over(token="wrong", api_url=peer.api_url)
    assert not finding.ok
    assert finding.text.startswith("Discord can't be reached" if dead else "Discord refuses the bot's token.")
