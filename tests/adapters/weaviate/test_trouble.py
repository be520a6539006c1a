"""A real server that is dead, slow, refusing, or short of disk space: plain words in time, and the process lives."""

from __future__ import annotations

import asyncio
import socket
import time
from dataclasses import replace
from typing import Literal

import pytest

from adapters.weaviate.address import Address
from adapters.weaviate.index import WeaviateIndex
from adapters.weaviate.schema import Names
from crag.errors import SearchError, SettingsError
from tests.adapters.weaviate.backend import WeaviateBackend
from tests.adapters.weaviate.server import Server
from tests.contracts.index_data import (
    CHUNKER,
    DIMENSION,
    EMBEDDER,
    EXPENSES,
    HOLIDAY,
    direction,
    fill,
    request,
)

pytestmark = pytest.mark.weaviate


DEADLINE_S = 1.0


def index_at(address: Address) -> WeaviateIndex:
    return WeaviateIndex(address, embedder=EMBEDDER, dimension=DIMENSION, deadline_s=DEADLINE_S)


def closed_port() -> int:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return int(closed.getsockname()[1])


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
    for name in ("candor", "Candor-2", "Can dor", "", "C" * 64):
        with pytest.raises(SettingsError, match="capital letter"):
            Names(name)


def test_one_port_for_both_protocols_is_a_wrong_setting() -> None:
    with pytest.raises(SettingsError, match="8080"):
        Address("127.0.0.1", 8080, 8080)


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
