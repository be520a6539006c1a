"""The admins' commands: who may use them, and what they show."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from adapters.discord import DiscordBot
from crag.platform import JobPhase, JobView, Person, Place
from tests.fakes.desk import REFUSED, FakeDesk
from tests.peers.discord import DiscordPeer

RUNNING = JobView("j1", JobPhase.RUNNING, ("handbook",), done=45, total=100)
FAILED = (("secret/plan.pdf", "It has a password."),)
DONE = JobView("j1", JobPhase.DONE, ("handbook",), added=3, failed=FAILED, generation="Candor_2", duration_s=12.3)


@dataclass
class SlowDesk(FakeDesk):
    """A reindex goes on until the gate opens."""

    async def reindex(
        self,
        person: Person,
        place: Place,
        *,
        sources: tuple[str, ...],
        full: bool,
        dry_run: bool,
        show: Callable[[JobView], Awaitable[None]],
    ) -> str:
        self.jobs.append((sources, full, dry_run))
        self.task = asyncio.create_task(self._go(show))
        return ""

    async def _go(self, show: Callable[[JobView], Awaitable[None]]) -> None:
        await show(RUNNING)
        assert self.gate is not None
        await self.gate.wait()
        await show(DONE)


@pytest.fixture
def desk(peer: DiscordPeer, request: pytest.FixtureRequest) -> FakeDesk:
    from tests.adapters.discord.samples import answer

    kind: type[FakeDesk] = getattr(request, "param", FakeDesk)
    return kind(answer(), admins=frozenset({peer.world.role("candor-admins").id}), gate=asyncio.Event())


@pytest.mark.parametrize("command", ["status", "sources", "reindex", "cancel", "help"])
async def test_who_is_no_admin_is_refused_where_nobody_else_sees_it(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, command: str
) -> None:
    for name in ("ben", "carla"):  # carla is the guild's administrator, which isn't Candor's
        told = await peer.answer(await peer.user(name).slash(f"candor {command}", channel="general"))
        assert told.ephemeral
        assert "admins" in told.rendering
    assert desk.jobs == []
    assert desk.cancelled == []


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("status", "**Index:** 31 documents"),
        ("sources", "- **handbook:** docs (corpus default)"),
        ("cancel", "Stopping the job."),
        ("help", "`/candor reindex`"),
    ],
)
async def test_an_admin_sees_the_answer_alone(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot, command: str, shown: str
) -> None:
    for channel in ("general", ""):
        told = await peer.answer(await peer.user("dora").slash(f"candor {command}", channel=channel))
        assert told.ephemeral
        assert shown in told.rendering


async def test_a_reindex_tells_its_result_to_the_admin_alone(
    peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot
) -> None:
    desk.job = (RUNNING, DONE)
    interaction = await peer.user("dora").slash(
        "candor reindex", channel="general", source="handbook", full=True, dry_run=True
    )
    assert interaction.latency_s is not None
    assert interaction.latency_s < 1
    told = await peer.answer(interaction, lambda m: "# Reindexed handbook" in m.rendering)
    assert desk.jobs == [(("handbook",), True, True)]
    assert "3 added, 0 changed, 0 removed, 0 unchanged, 1 failed" in told.rendering
    assert "Generation Candor" in told.rendering
    assert "secret/plan.pdf" in told.rendering
    assert told.only_for == peer.user("dora").id
    assert peer.messages("general", by="candor") == []


async def test_a_refused_reindex_in_private_is_told(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    interaction = await peer.user("ben").slash("candor reindex")
    await peer.answer(interaction, lambda m: m.rendering == f"| {REFUSED}")


@pytest.mark.parametrize("desk", [SlowDesk], indirect=True)
@pytest.mark.parametrize("channel", ["general", "random"])
async def test_beyond_fifteen_minutes_a_job_goes_on_in_the_admins_direct_messages(
    peer: DiscordPeer, desk: SlowDesk, bot: DiscordBot, channel: str
) -> None:
    interaction = await peer.user("dora").slash("candor reindex", channel=channel)
    await peer.answer(interaction, lambda m: "45 of 100" in m.rendering)
    peer.skip(1000)
    assert desk.gate is not None
    desk.gate.set()
    direct = peer.world.dm(peer.user("dora").id, 0)
    await peer.message(direct, lambda m: "# Reindexed handbook" in m.rendering and "secret/plan.pdf" in m.rendering)
    assert peer.messages(channel, by="candor") == []


@pytest.mark.parametrize("desk", [SlowDesk], indirect=True)
async def test_the_cancel_button_asks_each_time_who_presses_it(
    peer: DiscordPeer, desk: SlowDesk, bot: DiscordBot
) -> None:
    interaction = await peer.user("dora").slash("candor reindex", channel="general")
    progress = await peer.answer(interaction, lambda m: "45 of 100" in m.rendering)
    admins, desk.admins = desk.admins, frozenset()
    told = await peer.answer(await peer.user("dora").presses(progress, "Cancel"))
    assert (told.only_for, told.rendering) == (peer.user("dora").id, f"| {REFUSED}")
    assert desk.cancelled == []
    desk.admins = admins
    await peer.answer(await peer.user("dora").presses(progress, "Cancel"))
    assert desk.cancelled == [peer.user("dora").id]
    assert desk.cancelled_jobs == [desk.job[0].id]
    desk.task.cancel()


async def test_sources_are_suggested_to_admins_only(peer: DiscordPeer, desk: FakeDesk, bot: DiscordBot) -> None:
    typed = await peer.user("dora").types("candor reindex", "source", source="hand", channel="general")
    assert typed.choices == [{"name": "handbook (default)", "value": "handbook"}]
    assert (await peer.user("dora").types("candor reindex", "source", source="x", channel="general")).choices == []
    assert (await peer.user("ben").types("candor reindex", "source", source="h", channel="general")).choices == []
