"""Trouble on a real server: dead, slow, refusing, half written, and two runs at once."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import pytest
from weaviate.classes.query import Filter

from adapters.weaviate.address import Address
from adapters.weaviate.connection import Connection
from adapters.weaviate.draft import WeaviateDraft
from adapters.weaviate.index import WeaviateIndex
from adapters.weaviate.lease import LEASE, Holder, this_process
from adapters.weaviate.ledger import Ledger
from adapters.weaviate.schema import Names, create_generation
from crag.errors import IndexBusy, IndexMissing, SearchError, SettingsError
from tests.adapters.weaviate.backend import WeaviateBackend
from tests.contracts.index_data import (
    CHUNKER,
    DIMENSION,
    EMBEDDER,
    EXPENSES,
    GLOSSARY,
    HOLIDAY,
    PAIRS,
    chunk,
    direction,
    fill,
    records,
    request,
)

pytestmark = pytest.mark.weaviate
DEADLINE_S = 1.0


class Server:
    """The server itself, for looking behind what the index shows and for breaking it."""

    def __init__(self, backend: WeaviateBackend) -> None:
        self.connection = Connection(backend.address, deadline_s=10.0)
        self.names = Names(backend.collection)
        self.ledger = Ledger(self.connection, self.names)

    async def generations(self) -> set[str]:
        everything = await self.connection.call("list", lambda client: client.collections.list_all())
        return {name for name in everything if self.names.is_generation(name)}

    async def alias(self) -> str | None:
        found = await self.connection.call("ask", lambda client: client.alias.get(alias_name=self.names.collection))
        return found.collection if found else None

    async def delete(self, collection: str) -> None:
        await self.connection.call("delete", lambda client: client.collections.delete(collection))

    async def hold(self, holder: Holder) -> None:
        """Somebody has the lease."""
        await self.ledger.ensure()
        await self.ledger.put(LEASE, "lease", asdict(holder))


@pytest.fixture
async def server(backend: WeaviateBackend) -> AsyncIterator[Server]:
    server = Server(backend)
    async with server.connection:
        yield server


def index_at(address: Address) -> WeaviateIndex:
    return WeaviateIndex(address, embedder=EMBEDDER, dimension=DIMENSION, deadline_s=DEADLINE_S)


def closed_port() -> int:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return int(closed.getsockname()[1])


def dead_pid() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


# --- a server that is not well


async def test_a_dead_server_is_a_plain_error_within_the_deadline() -> None:
    port, grpc_port = closed_port(), closed_port()
    began = time.monotonic()
    async with index_at(Address("127.0.0.1", port, grpc_port)) as index:
        with pytest.raises(SearchError, match=rf"127\.0\.0\.1:{port}.* can't be reached.*server runs"):
            await index.search(request())
        with pytest.raises(SearchError, match="can't be reached"):
            await index.check()
    assert time.monotonic() - began < 2 * DEADLINE_S + 1


async def test_a_server_that_accepts_and_never_answers_is_an_error_within_the_deadline() -> None:
    release = asyncio.Event()

    async def say_nothing(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await release.wait()
        writer.close()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        async with index_at(Address("127.0.0.1", port, closed_port())) as index:
            began = time.monotonic()
            with pytest.raises(SearchError, match="did not answer within 1 s"):
                await index.search(request())
            assert time.monotonic() - began < DEADLINE_S + 1
        release.set()


async def test_readiness_asks_grpc_too(weaviate_server: Address) -> None:
    async with index_at(weaviate_server) as index:
        await index.check()
    async with index_at(replace(weaviate_server, grpc_port=closed_port())) as index:
        with pytest.raises(SearchError):
            await index.check()


async def test_a_refused_key_is_named_and_never_shown(weaviate_server: Address) -> None:
    wrong = replace(weaviate_server, api_key="not-the-key")
    async with index_at(wrong) as index:
        with pytest.raises(SearchError, match=r"refused the API key.*CANDOR_WEAVIATE__API_KEY") as caught:
            await index.search(request())
    assert "not-the-key" not in f"{caught.value}{wrong!r}{wrong}"


def test_a_collection_name_that_weaviate_refuses_is_a_wrong_setting() -> None:
    for name in ("candor", "Candor_2", "Can dor", ""):
        with pytest.raises(SettingsError, match="capital letter"):
            Names(name)


def test_one_port_for_both_protocols_is_a_wrong_setting() -> None:
    with pytest.raises(SettingsError, match="8080"):
        Address("127.0.0.1", 8080, 8080)


# --- an index that is not whole


async def test_a_dangling_alias_is_no_index_and_the_next_run_heals_it(backend: WeaviateBackend, server: Server) -> None:
    store, index = await backend.store(), await backend.index()
    name = await fill(store)
    assert await index.search(request())
    await server.delete(name)
    with pytest.raises(IndexMissing, match="candor index"):
        await index.search(request())
    with pytest.raises(IndexMissing):
        await (await backend.index()).live("local")
    store = await backend.store()
    assert (await store.live(), await store.manifest()) == (None, {})
    await fill(store)
    assert (await index.search(request()))[0].chunk == HOLIDAY


async def test_an_alias_on_a_generation_without_records_is_no_index(backend: WeaviateBackend, server: Server) -> None:
    half = server.names.new_generation()
    await server.connection.call("create", lambda client: create_generation(client, half))
    await server.connection.call(
        "point", lambda client: client.alias.create(alias_name=backend.collection, target_collection=half)
    )
    index = await backend.index()
    assert await index.live("local") is None
    with pytest.raises(IndexMissing):
        await index.search(request())


async def test_a_generation_that_lost_chunks_is_not_served(backend: WeaviateBackend, server: Server) -> None:
    name = await fill(await backend.store())
    where = Filter.by_property("document").equal(EXPENSES.document)
    await server.connection.call(
        "delete", lambda client: client.collections.use(name).with_tenant("local").data.delete_many(where=where)
    )
    with pytest.raises(IndexMissing, match="incomplete"):
        await (await backend.index()).search(request())
    await fill(await backend.store(tenant="other"))
    assert await (await backend.store()).manifest() == {}
    assert len(await (await backend.index()).search(request(tenant="other"))) == 3


async def test_a_removal_cut_short_leaves_an_index_that_is_served_and_is_completed_later(
    backend: WeaviateBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await backend.store()
    await fill(store)
    with monkeypatch.context() as patched:
        patched.setattr(store, "_delete_chunks", _fail)
        async with store.lease():
            with pytest.raises(SearchError, match="cut short"):
                await store.remove([HOLIDAY.document])
    assert await (await backend.index()).search(request())
    assert HOLIDAY.document in await store.manifest()
    async with store.lease():
        await store.remove([HOLIDAY.document])
    hits = await (await backend.index()).search(request())
    assert {hit.chunk.document for hit in hits} == {EXPENSES.document}


async def _fail(*_: object) -> None:
    raise SearchError("cut short")


# --- a new generation


async def test_exactly_one_older_generation_stays_for_a_rollback(backend: WeaviateBackend, server: Server) -> None:
    store = await backend.store()
    names = [await fill(store) for _ in range(4)]
    assert await server.generations() == set(names[-2:])
    assert await server.alias() == names[-1]


async def test_orphans_of_a_dead_run_are_collected_and_foreign_collections_stay(
    backend: WeaviateBackend, server: Server
) -> None:
    store = await backend.store()
    live = await fill(store)
    orphan, foreign = server.names.new_generation(), f"{backend.collection}Notes_20260101T000000_abcdef01"
    for name in (orphan, foreign):
        await server.connection.call("create", lambda client, name=name: create_generation(client, name))  # type: ignore[misc]
    async with store.lease():
        assert await server.generations() == {live}
    everything = await server.connection.call("list", lambda client: client.collections.list_all())
    assert foreign in everything


@pytest.mark.parametrize("step", ["put_head", "put_record", "_switch"])
async def test_a_crash_while_publishing_leaves_the_old_generation_whole(
    backend: WeaviateBackend, server: Server, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    store = await backend.store()
    live = await fill(store)
    with monkeypatch.context() as patched:
        patched.setattr(WeaviateDraft if step == "_switch" else Ledger, step, _fail)
        with pytest.raises(SearchError, match="cut short"):
            await fill(store, [(chunk("new.md"), direction(1.0))])
    assert await server.alias() == live
    assert await server.generations() == {live}
    assert len(await store.manifest()) == 3
    assert (await (await backend.index()).search(request()))[0].chunk == HOLIDAY


async def test_a_switch_that_was_done_though_its_reply_was_lost_is_published(
    backend: WeaviateBackend, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await backend.store()
    await fill(store)
    whole = Connection.call

    async def losing(self: Connection, purpose: str, operation: Callable[..., Any], **options: Any) -> Any:
        result = await whole(self, purpose, operation, **options)
        if purpose.startswith("switch"):
            raise SearchError("The reply was lost.")
        return result

    monkeypatch.setattr(Connection, "call", losing)
    name = await fill(store)
    assert await server.alias() == name


async def test_searches_go_on_while_generations_change(backend: WeaviateBackend) -> None:
    store, index = await backend.store(), await backend.index()
    await fill(store)
    done = asyncio.Event()

    async def ask() -> int:
        count = 0
        while not done.is_set():
            assert (await index.search(request()))[0].chunk == HOLIDAY
            count += 1
        return count

    asking = asyncio.create_task(ask())
    for _ in range(4):
        await fill(store)
    done.set()
    assert await asking > 10


async def test_a_chunk_that_the_server_refuses_fails_the_run_and_names_its_file(backend: WeaviateBackend) -> None:
    store = await backend.store()
    live = await fill(store)
    bad = replace(chunk("odd.md"), span=("nowhere", 3))  # type: ignore[arg-type]
    async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
        with pytest.raises(SearchError, match=r"could not store 1 chunks, the first of odd\.md"):
            await draft.add([HOLIDAY, bad], [direction(1.0), direction(1.0)])
        with pytest.raises(SearchError, match=r"could not store 1 chunks, the first of odd\.md"):
            await draft.add([bad], [direction(1.0)])
    found = await store.live()
    assert found is not None
    assert found.name == live


async def test_what_failed_once_is_tried_again_and_only_that(
    backend: WeaviateBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await backend.store()
    whole = WeaviateDraft._failures
    sizes: list[int] = []

    async def failing_first(self: WeaviateDraft, tenant: str, rows: Sequence[Any]) -> list[tuple[Any, str]]:
        sizes.append(len(rows))
        failed = rows[:2] if len(sizes) == 1 else []
        await whole(self, tenant, rows[len(failed) :])
        return [(row, "the shard is busy") for row in failed]

    monkeypatch.setattr(WeaviateDraft, "_failures", failing_first)
    await fill(store)
    assert sizes == [4, 2]
    live = await store.live()
    assert live is not None
    assert live.chunks == 4


async def test_more_chunks_than_a_batch_arrive_and_move_along(backend: WeaviateBackend) -> None:
    many = [(chunk(f"many/{n // 10}.md", n), direction(1.0, n / 1200)) for n in range(1201)]
    store, other = await backend.store(), await backend.store(tenant="other tenant / 2")
    await fill(other, many)
    await fill(store, PAIRS)
    live = await other.live()
    assert live is not None
    assert live.chunks == 1201
    async with other.lease(), other.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
        kept = await draft.keep([f"many/{n}.md" for n in range(100)])
        assert len(kept) == 1000
        assert (await draft.publish(records(kept), GLOSSARY)).chunks == 1000


async def test_a_vector_that_is_no_number_is_refused(backend: WeaviateBackend) -> None:
    store = await backend.store()
    async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
        with pytest.raises(SearchError, match=r"holiday\.md"):
            await draft.add([HOLIDAY], [(float("nan"), 0.0, 0.0, 1.0)])


async def test_half_a_surrogate_pair_is_stored_and_asked_without_an_error(backend: WeaviateBackend) -> None:
    odd = chunk("odd \udcff.md", text="half \ud83d")
    await fill(await backend.store(), [(odd, direction(1.0))])
    assert len(await (await backend.index()).search(request("half \ud83d"))) == 1


async def test_a_keyword_search_for_nothing_falls_back_to_vectors(backend: WeaviateBackend) -> None:
    await fill(await backend.store())
    index = await backend.index()
    for text in ("", "?!", "the of and"):
        hits = await index.search(request(text, direction(0.0, 1.0), alpha=0.0))
        assert hits == [] or hits[0].chunk == EXPENSES


# --- a server that stopped writing, as it does with a full disk


async def stop_writing(server: Server, collection: str, status: Literal["READONLY", "READY"] = "READONLY") -> None:
    """What the server does to all shards by itself at 90 % of the disk."""
    await server.connection.call(
        "change shards", lambda client: client.collections.use(collection).config.update_shards(status)
    )


async def test_a_full_disk_in_the_midst_of_indexing_leaves_the_old_index_answering(
    backend: WeaviateBackend, server: Server
) -> None:
    store = await backend.store()
    live = await fill(store)
    async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
        (new,) = await server.generations() - {live}
        await stop_writing(server, new)
        with pytest.raises(SearchError, match=r"short of disk space.*restart"):
            await draft.add([HOLIDAY, EXPENSES], [direction(1.0), direction(1.0)])
    assert (await (await backend.index()).search(request()))[0].chunk == HOLIDAY
    assert await server.generations() == {live}


async def test_a_run_on_a_full_disk_ends_before_it_begins_and_questions_are_answered(
    backend: WeaviateBackend, server: Server
) -> None:
    store = await backend.store()
    live = await fill(store)
    await stop_writing(server, server.names.ledger)
    await stop_writing(server, live)
    for _ in range(2):
        with pytest.raises(SearchError, match="short of disk space"):
            async with store.lease():
                pass
    assert (await (await backend.index()).search(request()))[0].chunk == HOLIDAY
    await stop_writing(server, server.names.ledger, "READY")
    async with store.lease():
        pass


# --- the lease


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
        ({}, False),
        ({"pid": 0}, True),
        ({"started": "17"}, True),
        ({"machine": "another", "pid": 0}, False),
        ({"machine": "another", "expires": 1.0}, True),
    ],
    ids=["alive here", "dead here", "its id is another's now", "on another host", "expired on another host"],
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
            await draft.publish(records([HOLIDAY]), GLOSSARY)
    held = await server.ledger.get(LEASE)
    assert held is not None
    assert held["token"] == other.token
    assert await store.live() is None
