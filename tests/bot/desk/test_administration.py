"""Admin commands: for the configured people only, on every path; answered at once."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from crag import wording
from crag.indexing import Indexer, IndexReport, Progress
from crag.platform import JobPhase, JobView, Person, Place, SourceView, StatusView
from tests.bot.desk.house import FakeEngine, House, fake_app, open_house, settings
from tests.fakes.platform import CHANNEL, DIRECT

ADMIN = Person("UADMIN")
SET: dict[str, Any] = {
    "slack": {"admins": ["UADMIN"], "admin_groups": ["S1"]},
    "discord": {"admins": ["7"], "admin_roles": ["R1"]},
    "sources": {"handbook": {"path": "/srv/handbook"}, "wiki": {"path": "/srv/wiki", "corpus": "wiki"}},
}
DISCORD = Place("discord", "G1", "C1")


@dataclass
class FakeIndexer:
    """Runs until `gate`, then says that one document was removed."""

    gate: asyncio.Event

    async def run(self, *, full: bool, dry_run: bool, on_progress: Callable[[Progress], None]) -> IndexReport:
        on_progress(Progress(1, 2, "a.md", 3))
        await self.gate.wait()
        return IndexReport(removed=("old.md",), generation="Candor_2", dry_run=dry_run)


@asynccontextmanager
async def administered(chosen: dict[str, Any] = SET) -> AsyncIterator[tuple[House, asyncio.Event, list[Any]]]:
    gate, orders = asyncio.Event(), list[Any]()

    @asynccontextmanager
    async def opening(names: Any, tenant: str) -> AsyncIterator[Indexer]:
        orders.append((tuple(names), tenant))
        yield FakeIndexer(gate)  # type: ignore[misc]

    app = fake_app(FakeEngine())
    app = replace(app, library=replace(app.library, sources_indexer=opening))
    async with open_house(settings(chosen), app=app) as house:
        yield house, gate, orders


async def nobody(view: JobView) -> None:
    pass


async def reindex(house: House, person: Person, place: Place, *sources: str, **more: Any) -> str:
    show = more.pop("show", nobody)
    options = {"full": False, "dry_run": False, **more}
    return await house.desk.reindex(person, place, sources=sources, show=show, **options)


@pytest.mark.parametrize(
    ("person", "place", "may"),
    [
        (ADMIN, CHANNEL, True),
        (ADMIN, DIRECT, True),
        (Person("U2", frozenset({"S1"})), CHANNEL, True),
        (Person("7"), DISCORD, True),
        (Person("8", frozenset({"R1"})), DISCORD, True),
        (Person("U2"), CHANNEL, False),
        (Person("U2", frozenset({"R1"})), CHANNEL, False),
        (Person("7"), CHANNEL, False),
        (ADMIN, DISCORD, False),
        (ADMIN, replace(CHANNEL, platform="other"), False),
    ],
)
async def test_only_the_named_may_do_anything_on_every_path(person: Person, place: Place, may: bool) -> None:
    async with administered() as (house, gate, orders):
        gate.set()
        assert house.desk.may_admin(person, place) is may
        answers = [
            await house.desk.status(person, place),
            await house.desk.sources(person, place),
            await reindex(house, person, place),
        ]
        await asyncio.sleep(0.01)
        answers.append(await house.desk.cancel(person, place))
        refused = [isinstance(answer, str) and answer.startswith(wording.ADMINS_ONLY) for answer in answers]
        assert refused == [not may] * 4
        assert bool(orders) is may


async def test_nobody_named_is_nobody_allowed() -> None:
    async with administered({"sources": SET["sources"]}) as (house, _, orders):
        for person in (Person(""), ADMIN, Person("U1", frozenset({""}))):
            assert not house.desk.may_admin(person, CHANNEL)
            assert wording.ADMINS_ONLY in await reindex(house, person, CHANNEL)
        assert orders == []


async def test_sources_come_from_the_settings_only() -> None:
    async with administered() as (house, gate, orders):
        gate.set()
        assert await house.desk.sources(ADMIN, CHANNEL) == (
            SourceView("handbook", str(Path("/srv/handbook")), "default"),
            SourceView("wiki", str(Path("/srv/wiki")), "wiki"),
        )
        said = await reindex(house, ADMIN, CHANNEL, "/etc/passwd")
        assert said == "I know no source /etc/passwd. I know: handbook, wiki."
        assert orders == []
        assert await reindex(house, ADMIN, CHANNEL, "wiki", "wiki") == ""
        await asyncio.sleep(0.01)
        assert orders == [(("wiki",), "local")]
    async with administered({"slack": SET["slack"]}) as (house, _, orders):
        assert "No sources are configured" in str(await house.desk.sources(ADMIN, CHANNEL))
        assert "No sources are configured" in await reindex(house, ADMIN, CHANNEL)


async def test_reindex_is_answered_at_once_and_told_to_its_end() -> None:
    views: list[JobView] = []

    async def show(view: JobView) -> None:
        views.append(view)

    async with administered() as (house, gate, orders):
        async with asyncio.timeout(0.1):
            assert await reindex(house, ADMIN, CHANNEL, show=show) == ""
            assert "running already" in await reindex(house, ADMIN, CHANNEL)
        await asyncio.sleep(0.01)
        assert orders == [(("handbook", "wiki"), "local")]
        status = await house.desk.status(ADMIN, CHANNEL)
        assert isinstance(status, StatusView)
        assert "1 of 2 documents read" in dict(status.lines)["reindex"]
        gate.set()
        await asyncio.sleep(0.02)
        assert (views[-1].phase, views[-1].removed_paths) == (JobPhase.DONE, ("old.md",))
        status = await house.desk.status(ADMIN, CHANNEL)
        assert isinstance(status, StatusView)
        assert "0 added, 0 changed, 1 removed, 0 failed" in dict(status.lines)["last reindex"]


async def test_another_admin_may_cancel() -> None:
    views: list[JobView] = []

    async def show(view: JobView) -> None:
        views.append(view)

    async with administered() as (house, _, _):
        assert await house.desk.cancel(ADMIN, CHANNEL) == "No reindex is running here."
        await reindex(house, ADMIN, CHANNEL, show=show)
        await asyncio.sleep(0.01)
        assert "That reindex is over" in await house.desk.cancel(ADMIN, CHANNEL, "of-yesterday")
        assert "stopping the reindex" in await house.desk.cancel(Person("U2", frozenset({"S1"})), DIRECT, views[-1].id)
        await asyncio.sleep(0.02)
    assert views[-1].phase is JobPhase.CANCELLED


async def test_the_status_tells_what_is_wrong() -> None:
    async with administered() as (house, _, _):
        house.bot.connected = False
        house.journal.problem = "The journal's disk is full."
        status = await house.desk.status(ADMIN, CHANNEL)
    assert isinstance(status, StatusView)
    assert dict(status.lines)["index"] == "empty"
    assert dict(status.lines)["slack"] == "not connected"
    assert [problem.partition(".")[0] for problem in status.problems] == [
        "Nothing is indexed yet",
        "slack is not connected",
        "The journal's disk is full",
    ]


async def test_each_workspace_reindexes_its_own_documents() -> None:
    async with administered({**SET, "tenants": "each"}) as (house, gate, orders):
        gate.set()
        await reindex(house, ADMIN, CHANNEL)
        await asyncio.sleep(0.01)
        assert orders[0][1] == "slack-T1"
