"""`slack/manifest.yaml` gives the app what the code uses, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import yaml

from adapters.slack import ids
from adapters.slack.scopes import REACTIONS, SCOPES
from crag import wording
from crag.platform import Handover, JobPhase, JobView
from crag.types import Answer
from tests.adapters.slack.conftest import running
from tests.fakes.desk import FakeDesk
from tests.peers.slack import SlackPeer

ROOT = Path(__file__).parents[3]
CHANNEL = "C0GENERAL"


@pytest.fixture
def manifest() -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load((ROOT / "slack" / "manifest.yaml").read_text(encoding="utf-8"))
    return made


def test_the_manifest_names_the_scopes_that_the_start_checks(manifest: dict[str, Any]) -> None:
    assert set(manifest["oauth_config"]["scopes"]["bot"]) == SCOPES | REACTIONS


def test_the_manifest_offers_the_commands_and_the_shortcut_of_the_code(manifest: dict[str, Any]) -> None:
    commands = [command["command"] for command in manifest["features"]["slash_commands"]]
    assert commands == [ids.ASK, ids.GRADE, ids.ADMIN]
    (shortcut,) = manifest["features"]["shortcuts"]
    assert (shortcut["callback_id"], shortcut["name"]) == (ids.SHORTCUT, wording.ASK_ABOUT_THIS)


def test_the_manifest_keeps_to_slacks_limits(manifest: dict[str, Any]) -> None:
    assert len(manifest["display_information"]["description"]) <= 140
    assert len(manifest["features"]["assistant_view"]["assistant_description"]) <= 300
    for command in manifest["features"]["slash_commands"]:
        assert len(command["description"]) <= 100
        assert len(command["usage_hint"]) <= 1000
    for shortcut in manifest["features"]["shortcuts"]:
        assert len(shortcut["name"]) <= 24
        assert len(shortcut["description"]) <= 150


async def test_an_app_of_the_manifest_does_everything_and_uses_each_scope(
    peer: SlackPeer, desk: FakeDesk, manifest: dict[str, Any]
) -> None:
    peer.install(manifest)
    desk.pieces = ("You may",)
    desk.handover = Handover("C0HELP", "", "how many?", "")
    desk.job = (JobView("j1", JobPhase.RUNNING, ()), JobView("j1", JobPhase.DONE, ()))
    ada, carla = peer.user("U0ADA"), peer.user("U0CARLA")
    async with running(peer, desk, reactions=True, groups=["S0ADMINS"]) as bot:
        for channel in (CHANNEL, "C0SECRET"):
            question = await ada.mentions(channel, "how many days?")
            reply = await peer.message(channel, lambda m: "graded?" in m.rendering, thread_ts=question.ts)
            await ada.mentions(channel, "and then?", thread_ts=question.ts)
            await ada.slash("/ask", "how many days?", channel=channel)
            await ada.reacts(reply, "+1")
        private = await ada.dm("how many days?")
        await peer.message(private.channel, lambda m: "graded?" in m.rendering, thread_ts=private.ts)
        pane = await ada.opens_assistant()
        await ada.dm("how many days?", thread_ts=pane.ts)
        await peer.message(pane.channel, lambda m: "graded?" in m.rendering, thread_ts=pane.ts)
        message = await ada.says(CHANNEL, "how many days?")
        await ada.shortcut("ask_candor", message)
        await ada.presses(reply, "candor_graded")
        votes = next(element for element in reply.actions if element["action_id"] == "candor_vote")
        await ada.presses(reply, "candor_vote", value=votes["negative_button"]["value"])
        await carla.slash("/candor", "reindex", channel=CHANNEL)
        await ada.slash("/grade", "how many days?", channel=CHANNEL)
        await bot.tell("C0HELP", "Hello.")
        await peer.until(lambda: True if len(desk.votes) == 3 else None, 5, f"three votes, {desk.votes}")
        await peer.settled()
    assert isinstance(desk.reply.body, Answer)
    assert [call.error for call in peer.calls() if call.error] == []
    assert all(delivery.acked for delivery in peer.deliveries)
    assert peer.scopes_used - {"connections:write"} == SCOPES | REACTIONS  # that one is the app-level token's


async def test_less_than_the_manifest_is_said_at_the_start(
    peer: SlackPeer, desk: FakeDesk, manifest: dict[str, Any]
) -> None:
    for scope in sorted(SCOPES):
        peer.install(manifest)
        peer.scopes(without=scope)
        with pytest.raises(Exception, match=f"lacks the scope {scope}"):
            async with running(peer, desk):
                pass


CALLED = {
    "apps_connections_open": "",
    "assistant_threads_setStatus": "assistant:write",
    "assistant_threads_setSuggestedPrompts": "assistant:write",
    "assistant_threads_setTitle": "assistant:write",
    "auth_test": "",
    "chat_appendStream": "chat:write",
    "chat_delete": "chat:write",
    "chat_getPermalink": "",
    "chat_postEphemeral": "chat:write",
    "chat_postMessage": "chat:write",
    "chat_startStream": "chat:write",
    "chat_stopStream": "chat:write",
    "chat_update": "chat:write",
    "conversations_history": "channels:history",
    "conversations_info": "channels:read",
    "conversations_replies": "channels:history",
    "usergroups_users_list": "usergroups:read",
    "users_info": "users:read",
    "views_open": "",
    "views_update": "",
}
"""Every method of the Web API that the code calls, with the scope it takes (Slack's reference)."""


def test_every_call_of_the_code_has_its_scope() -> None:
    called = set()
    for file in sorted((ROOT / "adapters" / "slack").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
                if node.value.attr in ("sure", "loose") and node.attr not in ("token", "base_url"):
                    called.add(node.attr)
    assert called == set(CALLED)
    assert {scope for scope in CALLED.values() if scope} <= SCOPES
