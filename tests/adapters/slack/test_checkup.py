"""What `candor doctor` finds in Slack."""

from __future__ import annotations

from typing import Any

from adapters.slack import look_over
from crag.platform import Finding
from tests.peers.slack import SlackPeer


async def found(peer: SlackPeer, **how: Any) -> list[Finding]:
    given: dict[str, Any] = {"bot_token": peer.app.bot_token, "app_token": peer.app.app_token, "api_url": peer.api_url}
    return await look_over(**(given | how))


async def test_all_is_well(peer: SlackPeer) -> None:
    findings = await found(peer, channels={("T0CANDOR", "C0GENERAL"), ("T0CANDOR", "C0SECRET")}, posts=["C0HELP"])
    assert [(finding.ok, finding.text) for finding in findings] == [
        (True, "@candor in Candor Tests, with all scopes"),
        (True, "Slack takes the app's token (Socket Mode)"),
        (True, "#general: the bot is there"),
        (True, "#help: the bot is there"),
        (True, "#secret: the bot is there"),
    ]
    assert peer.messages("C0GENERAL") == []


async def test_tokens_and_scopes_are_named(peer: SlackPeer) -> None:
    (wrong,) = await found(peer, bot_token="xoxb-wrong")
    assert "CANDOR_SLACK__BOT_TOKEN" in wrong.text
    assert not wrong.ok
    assert "CANDOR_SLACK__APP_TOKEN" in (await found(peer, app_token="xapp-wrong"))[1].text
    assert len(await found(peer, app_token="", mode="http")) == 1
    peer.scopes(without="users:read")
    (lacking,) = await found(peer)
    assert "users:read" in lacking.text


async def test_channels_where_nothing_can_be_said_are_named(peer: SlackPeer) -> None:
    channels = {("T0CANDOR", "C0RANDOM"), ("T0CANDOR", "C0OLD"), ("T0CANDOR", "C0NOWHERE"), ("T0OTHER", "C1")}
    findings = await found(peer, channels=channels)
    assert [finding.text for finding in findings if not finding.ok] == [
        "The bot is not in the workspace T0OTHER.",
        "Channel C0NOWHERE: I can't see that Slack channel; invite me there with /invite.",
        "#old is archived.",
        "The bot is not in #random.",
    ]
    assert all(finding.advice for finding in findings if not finding.ok)


async def test_slack_out_of_reach_is_said() -> None:
    (finding,) = await look_over(bot_token="xoxb-1", app_token="xapp-1", api_url="http://127.0.0.1:9/api/")
    assert finding.text == "Slack can't be reached."
