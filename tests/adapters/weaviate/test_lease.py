"""Who may write, on a real server."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from dataclasses import replace
from typing import Any

import pytest

from adapters.weaviate.lease import LEASE, started, this_process
from adapters.weaviate.ledger import Ledger
from crag.errors import IndexBusy, SearchError
from tests.adapters.weaviate.backend import WeaviateBackend
from tests.adapters.weaviate.server import Server
from tests.contracts.index_data import (
    CHUNKER,
    DIMENSION,
    EMBEDDER,
    GLOSSARIES,
    HOLIDAY,
    direction,
    records,
)

pytestmark = pytest.mark.weaviate


def dead_pid() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


async def test_a_second_run_is_told_the_process_the_host_and_since_when(
    backend: WeaviateBackend, server: Server
) -> None:
    holder = replace(this_process(time.time() + 60), host="other-host", machine="other", pid=4242, since="2026-11-30")
    await server.hold(holder)
    with pytest.raises(IndexBusy, match="process 4242 on other-host, since 2026-11-30"):
        async with (await backend.store()).lease():
            pass


@pytest.mark.parametrize(
    ("changes", "free"),
    [
        ({"pid": os.getppid(), "started": started(os.getppid())}, False),
        ({}, True),
        ({"pid": 0}, True),
        ({"started": "17"}, True),
        ({"machine": "another", "pid": 0}, False),
        ({"machine": "another", "expires": 1.0}, True),
    ],
    ids=[
        "alive here",
        "of this process, but ended",
        "dead here",
        "its id is another's now",
        "on another host",
        "expired on another host",
    ],
)
async def test_a_lease_is_taken_over_only_from_the_dead(
    backend: WeaviateBackend, server: Server, changes: dict[str, Any], free: bool
) -> None:
    if changes.get("pid") == 0:
        changes = {**changes, "pid": dead_pid()}
    await server.hold(replace(this_process(time.time() + 60), **changes))
    store = await backend.store()
    if free:
        async with store.lease():
            held = await server.ledger.get(LEASE)
            assert held is not None
            assert held["pid"] == os.getpid()
        assert await server.ledger.get(LEASE) is None
    else:
        with pytest.raises(IndexBusy):
            async with store.lease():
                pass


async def test_a_lease_that_could_not_be_given_back_is_free_for_the_next_run_of_this_process(
    backend: WeaviateBackend, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk nothing can be deleted either."""

    async def full(*_: object) -> None:
        raise SearchError("Weaviate is short of disk space.")

    store = await backend.store()
    with monkeypatch.context() as patched:
        async with store.lease():
            patched.setattr(Ledger, "delete", full)
    assert await server.ledger.get(LEASE) is not None
    async with (await backend.store()).lease():
        with pytest.raises(IndexBusy):
            async with store.lease():
                pass
    assert await server.ledger.get(LEASE) is None


async def test_two_runs_at_once_one_gets_the_lease(backend: WeaviateBackend, server: Server) -> None:
    await server.ledger.ensure()
    stores = [await backend.store() for _ in range(4)]
    holding = 0

    async def run(number: int) -> bool:
        nonlocal holding
        try:
            async with stores[number].lease():
                holding += 1
                assert holding == 1
                await asyncio.sleep(0.5)
                holding -= 1
                return True
        except IndexBusy:
            return False

    assert sum(await asyncio.gather(*(run(number) for number in range(4)))) == 1


async def test_a_lease_is_renewed_while_it_is_held(
    backend: WeaviateBackend, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.weaviate.lease.RENEW_S", 0.05)
    async with (await backend.store()).lease():
        first = await server.ledger.get(LEASE)
        await asyncio.sleep(0.3)
        later = await server.ledger.get(LEASE)
    assert first is not None
    assert later is not None
    assert later["expires"] > first["expires"]


async def test_a_run_whose_lease_was_taken_over_publishes_nothing(backend: WeaviateBackend, server: Server) -> None:
    store = await backend.store()
    async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
        await draft.add([HOLIDAY], [direction(1.0)])
        other = this_process(time.time() + 60)
        await server.hold(other)
        with pytest.raises(SearchError, match="took over"):
            await draft.publish(records([HOLIDAY]), GLOSSARIES)
    held = await server.ledger.get(LEASE)
    assert held is not None
    assert held["token"] == other.token
    assert await store.live() is None
