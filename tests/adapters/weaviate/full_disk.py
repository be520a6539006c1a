"""A disk of 60 MB that really gets full, as a program: `python -m tests.adapters.weaviate.full_disk SCENE DIRECTORY`.

It runs in a mount namespace of its own (`unshare --map-root-user --mount`), so that the disk is gone with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.binaries import Program, Release, obtain
from adapters.weaviate.lease import LEASE
from adapters.weaviate.server import embedded_server
from adapters.weaviate.store import WeaviateStore
from crag.errors import SearchError, ServiceError
from tests.adapters.weaviate.backend import WeaviateBackend
from tests.adapters.weaviate.server import Server
from tests.contracts.index_data import (
    CHUNKER,
    DIMENSION,
    EMBEDDER,
    GLOSSARIES,
    HOLIDAY,
    direction,
    fill,
    records,
    request,
)
from tests.servers.weaviate import CACHE

SIZE = "60m"
SECRET = "the text of a document"


@contextlib.contextmanager
def full(disk: Path) -> Iterator[None]:
    """Nothing more can be written while it lasts."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as stream, contextlib.suppress(OSError):
        while True:
            stream.write(b"x" * 4096)
    try:
        yield
    finally:
        ballast.unlink()


@asynccontextmanager
async def running(disk: Path) -> AsyncIterator[tuple[WeaviateBackend, Server]]:
    async with (
        embedded_server(disk / "data", binary=None, cache=CACHE, environment=os.environ) as starting,
        AsyncExitStack() as stack,
    ):
        backend = WeaviateBackend(await starting, "Full", stack)
        server = Server(backend)
        await stack.enter_async_context(server.connection)
        yield backend, server


async def add(store: WeaviateStore) -> None:
    """The chunks are what can't be written."""
    chunks = [replace(HOLIDAY, id=f"new#{n}", text=f"{SECRET} " * 500) for n in range(200)]
    async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
        with full(Path(sys.argv[2])):
            await draft.add(chunks, [direction(1.0)] * len(chunks))


async def publish(store: WeaviateStore) -> None:
    """All chunks are there when the disk gets full: the manifest is what can't be written."""
    async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
        await draft.add([HOLIDAY], [direction(1.0)])
        with full(Path(sys.argv[2])):
            await draft.publish(records([HOLIDAY]), GLOSSARIES)


async def index(disk: Path) -> None:
    for step in (add, publish):
        async with running(disk) as (backend, server):
            store, searched = await backend.store(), await backend.index()
            live = await fill(store)
            with pytest.raises(SearchError, match=r"short of disk space.*Free some, then restart the server"):
                await step(store)
            assert (await searched.search(request()))[0].chunk == HOLIDAY
            assert await server.alias() == live
        async with running(disk) as (backend, server):
            assert (await (await backend.index()).search(request()))[0].chunk == HOLIDAY
            assert await server.alias() == live
            await server.ledger.delete(LEASE)  # of a run that ended; this process still runs
            new = await fill(await backend.store())
            assert await server.generations() == {live, new}


async def start(disk: Path) -> None:
    for earlier in range(2):
        with full(disk), pytest.raises(SearchError, match=r"could not be started.*is full: free some space"):
            async with running(disk):
                pass
        for file in (disk / "data").glob("*.json"):
            json.loads(file.read_text())
        async with running(disk) as (backend, _):
            if earlier:
                assert (await (await backend.index()).search(request()))[0].chunk == HOLIDAY
            else:
                await fill(await backend.store())


async def cache(disk: Path) -> None:
    stream, content = io.BytesIO(), os.urandom(100_000)
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        info = tarfile.TarInfo("toy")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))

    async def serve(_: web.Request) -> web.Response:
        return web.Response(body=stream.getvalue())

    site = web.Application()
    site.router.add_get("/toy.tar.gz", serve)
    async with TestServer(site) as server:
        releases = (Release(str(server.make_url("/toy.tar.gz")), "toy"),)
        systems = [(s, m) for s in ("Linux", "Darwin") for m in ("amd64", "arm64")]
        toy = Program("toy", "1", ("toy",), "example.com/toy", dict.fromkeys(systems, releases))
        for room in (0, 150_000):  # for nothing, and for the archive alone
            with spared(disk, room), pytest.raises(ServiceError, match=r"could not be stored.*No space.*Free some"):
                await obtain(toy, explicit=None, cache=disk / "kept", environment={}, on_progress=lambda _: None)
            assert [file.name for file in (disk / "kept").iterdir()] == ["toy-1.lock"]
        kept = await obtain(toy, explicit=None, cache=disk / "kept", environment={}, on_progress=lambda _: None)
    assert kept.read_bytes() == content


@contextlib.contextmanager
def spared(disk: Path, room: int) -> Iterator[None]:
    with full(disk):
        os.truncate(disk / "ballast", (disk / "ballast").stat().st_size - room)
        yield


def main() -> None:
    scene, disk = sys.argv[1], Path(sys.argv[2])
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", disk], check=True)
    asyncio.run({"index": index, "start": start, "cache": cache}[scene](disk))


if __name__ == "__main__":
    main()
