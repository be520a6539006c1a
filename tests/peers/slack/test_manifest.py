"""An app that is installed from its manifest can do what stands there, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.peers.slack import SlackPeer

CHANNEL = "C0GENERAL"


def manifest(*scopes: str, events: tuple[str, ...] = (), interactive: bool = True) -> dict[str, Any]:
    return {
        "features": {
            "slash_commands": [{"command": "/ask", "description": "Ask"}],
            "shortcuts": [{"name": "Ask Candor about this", "type": "message", "callback_id": "ask_candor"}],
        },
        "oauth_config": {"scopes": {"bot": ["commands", *scopes]}},
        "settings": {
            "event_subscriptions": {"bot_events": list(events)},
            "interactivity": {"is_enabled": interactive},
        },
    }


async def test_only_what_the_manifest_names_works(peer: SlackPeer, client: AsyncWebClient) -> None:
    peer.install(manifest("chat:write", "channels:history", events=("message.channels",)))
    posted = await client.chat_postMessage(channel=CHANNEL, text="hi")
    with pytest.raises(SlackApiError, match="missing_scope"):
        await client.reactions_add(channel=CHANNEL, name="eyes", timestamp=posted["ts"])
    await peer.user("U0ADA").mentions(CHANNEL, "hi")
    assert {d.event["type"] for d in peer.deliveries} == {"message"}
    message = await peer.message(CHANNEL)
    with pytest.raises(AssertionError, match="no command /candor"):
        await peer.user("U0ADA").slash("/candor", channel=CHANNEL)
    with pytest.raises(AssertionError, match="no shortcut other"):
        await peer.user("U0ADA").shortcut("other", message)
    assert peer.scopes_used == {"commands", "channels:history", "chat:write"}


@pytest.mark.parametrize(
    ("made", "complaint"),
    [
        (manifest("chat:write", events=("app_mention",)), "app_mentions:read"),
        (manifest("chat:write", interactive=False), "no interactivity"),
    ],
)
async def test_a_manifest_that_slack_would_refuse_is_refused(
    peer: SlackPeer, made: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        peer.install(made)
