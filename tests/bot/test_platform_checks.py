"""`candor doctor` asks the platforms that are configured."""

from __future__ import annotations

from collections.abc import Callable

from bot.platform_checks import findings
from config.settings import load
from tests.peers.discord import GUILD, DiscordPeer
from tests.peers.slack import SlackPeer


async def test_without_a_platform_nothing_is_asked() -> None:
    assert await findings(load().settings) == []


async def test_discord_is_asked_for_its_token_guilds_and_channels(setting: Callable[[str, str], None]) -> None:
    async with DiscordPeer() as peer:
        setting("DISCORD__TOKEN", peer.app.token)
        setting("DISCORD__API_URL", peer.api_url)
        setting("DISCORD__GUILDS", f"{GUILD},42")
        setting(f"CHANNELS__DISCORD:{GUILD}:{peer.channel('general').id}__SERVED", "true")
        setting("DISCORD__ADMIN_CHANNEL", peer.channel("random").id)
        setting("DISCORD__ASK_HUMAN", peer.channel("help").id)
        found = await findings(load().settings)
    assert [(finding.ok, finding.text) for finding in found] == [
        (True, "candor, in Candor Tests, Elsewhere"),
        (False, "The bot is not in the guild 42."),
        (True, "#general in Candor Tests: the bot may do all that it needs"),
        (True, "#help in Candor Tests: the bot may post there"),
        (False, f"Channel {peer.channel('random').id} is not there, or the bot may not look into it."),
    ]


async def test_slack_is_asked_for_its_tokens_scopes_and_channels(setting: Callable[[str, str], None]) -> None:
    async with SlackPeer() as peer:
        setting("SLACK__BOT_TOKEN", peer.app.bot_token)
        setting("SLACK__APP_TOKEN", peer.app.app_token)
        setting("SLACK__API_URL", peer.api_url)
        setting("SLACK__ASK_HUMAN", "C0RANDOM")
        setting("SLACK__ADMIN_CHANNEL", "C0GENERAL")
        found = await findings(load().settings)
    assert [(finding.ok, finding.text) for finding in found] == [
        (True, "@candor in Candor Tests, with all scopes"),
        (True, "Slack takes the app's token (Socket Mode)"),
        (True, "#general: the bot is there"),
        (False, "The bot is not in #random."),
    ]
