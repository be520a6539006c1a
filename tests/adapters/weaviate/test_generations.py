"""What is served while indexes are written, cut short, broken and replaced, on a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

import pytest
from weaviate.classes.query import Filter

from adapters.weaviate.connection import Connection
from adapters.weaviate.draft import WeaviateDraft
from adapters.weaviate.ledger import Ledger
from adapters.weaviate.schema import create_generation, object_id
from crag.errors import IndexMissing, SearchError
from crag.types import EVERYONE, Glossary
from tests.adapters.weaviate.backend import WeaviateBackend
from tests.adapters.weaviate.server import Server
from tests.contracts.index_data import (
    CHUNKER,
    DIMENSION,
    EMBEDDER,
    EXPENSES,
    GLOSSARIES,
    HOLIDAY,
    PAIRS,
    chunk,
    direction,
    fill,
    records,
    request,
)

pytestmark = pytest.mark.weaviate


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
        assert (await draft.publish(records(kept), GLOSSARIES)).chunks == 1000


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


async def test_a_generation_of_an_older_version_loads_without_a_glossary(
    backend: WeaviateBackend, server: Server
) -> None:
    name = await fill(await backend.store())
    head = await server.ledger.head(name, "local")
    assert head is not None
    old = {"abbreviations": {"ra": "remuneration act"}, "words": {"salaries": 1}}
    id_ = object_id("blob", name, head.glossary.version, "0")
    await server.ledger.put(id_, "blob", {"text": json.dumps(old)}, name)
    value = {key: value for key, value in asdict(head).items() if key != "shelves"}
    await server.ledger.put(object_id("head", name, "local"), "head", value, name)
    index = await backend.index()
    assert await index.glossary("local", frozenset(), frozenset({EVERYONE})) == Glossary()
    live = await index.live("local")
    assert live is not None
    assert live.searched(frozenset(), frozenset({EVERYONE, "board"})) == 0
    assert await index.search(request())
