"""`/candor`, and who may."""

from __future__ import annotations

import asyncio

import pytest

from adapters.slack import SlackBot
from adapters.slack.admin import Admin
from crag import wording
from crag.platform import JobPhase, JobView
from tests.adapters.slack.conftest import running
from tests.fakes.desk import REFUSED, FakeDesk
from tests.peers.slack import SlackPeer

CHANNEL = "C0GENERAL"
RUNNING = JobView("j1", JobPhase.RUNNING, ("handbook",), done=1, total=31)
DONE = JobView("j1", JobPhase.DONE, ("handbook",), added=3, unchanged=28, generation="Candor_2", duration_s=1.5)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("status", "Index: 31 documents"),
        ("sources", "handbook: docs"),
        ("cancel", "Stopping the job."),
        ("help", "/candor reindex"),
        ("", "/candor reindex"),
        ("dance", "I don't know “dance”"),
        ("reindex --force", "I don't know --force"),
    ],
)
async def test_an_admin_is_answered_in_private(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, text: str, shown: str
) -> None:
    assert (await peer.user("U0CARLA").slash("/candor", text, channel=CHANNEL)).acked
    assert shown in (await peer.ephemeral("U0CARLA")).rendering.replace("*", "")
    assert peer.messages(CHANNEL) == []


@pytest.mark.parametrize("text", ["status", "sources", "cancel", "reindex"])
async def test_others_are_refused_on_every_path(peer: SlackPeer, desk: FakeDesk, bot: SlackBot, text: str) -> None:
    await peer.user("U0ADA").slash("/candor", text, channel=CHANNEL)
    assert (await peer.ephemeral("U0ADA")).rendering == REFUSED
    assert (desk.jobs, desk.cancelled) == ([], [])


async def test_help_for_others_leaves_the_admins_part_out(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    await peer.user("U0ADA").slash("/candor", "help", channel=CHANNEL)
    shown = (await peer.ephemeral("U0ADA")).rendering
    assert "use `/ask`" in shown
    assert "reindex" not in shown


async def test_a_group_of_admins_is_looked_up(peer: SlackPeer, desk: FakeDesk) -> None:
    desk.admins = frozenset({"S0ADMINS"})
    async with running(peer, desk, groups=["S0ADMINS"]):
        await peer.user("U0CARLA").slash("/candor", "status", channel=CHANNEL)
        assert "31 documents" in (await peer.ephemeral("U0CARLA")).rendering
        await peer.user("U0ADA").slash("/candor", "status", channel=CHANNEL)
        assert (await peer.ephemeral("U0ADA")).rendering == REFUSED
        assert len(peer.calls("usergroups.users.list")) == 1


async def test_a_group_that_slack_does_not_tell_lets_nobody_in(peer: SlackPeer, desk: FakeDesk) -> None:
    desk.admins = frozenset({"S0ADMINS"})
    peer.fail("usergroups.users.list", error="no_such_subteam")
    async with running(peer, desk, groups=["S0ADMINS"]):
        await peer.user("U0CARLA").slash("/candor", "status", channel=CHANNEL)
        assert (await peer.ephemeral("U0CARLA")).rendering == REFUSED


async def test_a_job_edits_its_message_in_the_admins_direct_messages(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.job = (RUNNING, RUNNING, DONE)
    await peer.user("U0CARLA").slash("/candor", "reindex handbook —full --dry-run", channel=CHANNEL)
    private = peer.workspace.dm("U0CARLA").id
    board = await peer.message(private, lambda m: "3 added" in m.rendering)
    assert [version.by for version in board.versions] == ["chat.postMessage", "chat.update"]
    assert "1 of 31 documents" in board.versions[0].rendering
    assert "Candor_2" in board.rendering
    assert "1.5 s" in board.rendering
    assert "direct messages" in (await peer.ephemeral("U0CARLA")).rendering
    assert desk.jobs == [(("handbook",), True, True)]


async def test_progress_keeps_to_the_pace_and_the_end_is_always_shown(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    desk.job = (*([RUNNING] * 50), DONE)
    await peer.user("U0CARLA").slash("/candor", "reindex", channel=CHANNEL)
    private = peer.workspace.dm("U0CARLA").id
    await peer.message(private, lambda m: "3 added" in m.rendering)
    assert len(peer.calls("chat.update")) == 1


async def test_the_cancel_button_is_checked_again(peer: SlackPeer, desk: FakeDesk, bot: SlackBot) -> None:
    desk.job = (RUNNING,)
    await peer.user("U0CARLA").slash("/candor", "reindex", channel=CHANNEL)
    board = await peer.message(peer.workspace.dm("U0CARLA").id)
    await peer.user("U0ADA").presses(board, "candor_cancel")
    await peer.until(lambda: peer.calls("chat.postEphemeral") or None, 3, "no answer")
    await peer.user("U0CARLA").presses(board, "candor_cancel")
    await peer.ephemeral("U0CARLA", lambda e: "Stopping" in e.rendering)
    assert desk.cancelled == ["U0CARLA"]
    assert desk.cancelled_jobs == [desk.job[0].id]


async def test_a_command_from_a_channel_without_the_bot_is_answered_too(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot
) -> None:
    await peer.user("U0CARLA").slash("/candor", "status", channel="C0RANDOM")
    shown = await peer.ephemeral("U0CARLA")
    assert shown.source == "response_url"


async def test_a_busy_desk_keeps_no_command_waiting(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = asyncio.Event()

    async def slow(self: Admin, body: object) -> None:
        await held.wait()

    monkeypatch.setattr(Admin, "command", slow)
    delivery = await peer.user("U0CARLA").slash("/candor", "status", channel=CHANNEL)
    assert delivery.acked
    assert (delivery.attempts[0].latency_s or 9) < 0.5
    held.set()


async def test_a_command_whose_work_fails_says_so(
    peer: SlackPeer, desk: FakeDesk, bot: SlackBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("nobody foresaw this")

    monkeypatch.setattr(desk, "status", broken)
    await peer.user("U0CARLA").slash("/candor", "status", channel=CHANNEL)
    assert (await peer.ephemeral("U0CARLA")).rendering == wording.INTERNAL
