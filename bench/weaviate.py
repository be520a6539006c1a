"""What the two server settings are worth: `python -m bench.weaviate` prints a table.

RAFT_TIMEOUTS_MULTIPLIER: seconds from start to ready. PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS: hybrid search
over 2,000 chunks shortly after they were indexed (an unflushed memtable makes BM25 slow).
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from adapters.binaries import WEAVIATE, obtain
from adapters.weaviate.address import Address
from adapters.weaviate.directory import DataDirectory
from adapters.weaviate.environment import choose_ports, environment
from adapters.weaviate.index import WeaviateIndex
from adapters.weaviate.store import WeaviateStore
from bench.speed import percentile
from crag.types import EVERYONE, Chunk, DocumentRecord, SearchRequest, Vector

CHUNKS, DIMENSION, SEARCHES, SETTLE_S, KEY = 2000, 384, 100, 4.0, "bench"
WORDS = [f"word{n}" for n in range(3000)]


@contextmanager
def server(program: Path, **overrides: str) -> Iterator[tuple[Address, float]]:
    """A server with Candor's environment and these overrides; gives its address and the seconds until it was ready."""
    with tempfile.TemporaryDirectory() as folder:
        directory, ports = DataDirectory(Path(folder)), choose_ports()
        command = [str(program), "--host", "127.0.0.1", "--port", str(ports.http), "--scheme", "http"]
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            env={**environment(directory, ports, KEY), **overrides},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while not _ready(ports.http):
                time.sleep(0.05)
            yield Address("127.0.0.1", ports.http, ports.grpc, api_key=KEY), time.perf_counter() - start
        finally:
            process.terminate()
            process.wait(20)


def _ready(port: int) -> bool:
    try:
        return bool(urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/.well-known/ready", timeout=1).status == 200)
    except (urllib.error.URLError, OSError):
        return False


async def searches(address: Address) -> list[float]:
    """Index, wait a little, search; milliseconds of each search."""
    source = random.Random(0)
    chunks = [_chunk(n, " ".join(source.choices(WORDS, k=80))) for n in range(CHUNKS)]
    store = WeaviateStore(address, collection="Bench", tenant="local", deadline_s=30, insert_deadline_s=60)
    index = WeaviateIndex(address, collection="Bench", embedder="bench", dimension=DIMENSION, deadline_s=30)
    async with store, index, store.lease():
        async with store.draft(embedder="bench", dimension=DIMENSION, chunker="bench") as draft:
            for at in range(0, CHUNKS, 500):
                await draft.add(chunks[at : at + 500], [_vector(source) for _ in range(500)])
            await draft.publish([DocumentRecord(c.document, c.path, c.hash, 1) for c in chunks], {})
        await asyncio.sleep(SETTLE_S)
        took = []
        for _ in range(SEARCHES):
            text = " ".join(source.choices(WORDS, k=8))
            request = SearchRequest(text, _vector(source), 20, 0.5, "local", frozenset(), frozenset({EVERYONE}))
            start = time.perf_counter()
            await index.search(request)
            took.append((time.perf_counter() - start) * 1000)
        return took


def _chunk(n: int, text: str) -> Chunk:
    digest = hashlib.sha256(text.encode()).hexdigest()
    identity = f"00000000-0000-4000-8000-{n:012d}"
    return Chunk(identity, f"d{n}", f"d{n}.md", f"Document {n}", (), text, (0, len(text)), digest)


def _vector(source: random.Random) -> Vector:
    values = [source.gauss(0, 1) for _ in range(DIMENSION)]
    length = sum(v * v for v in values) ** 0.5
    return [v / length for v in values]


async def settings_table() -> list[str]:
    """Three starts each, then the two searches twice in turn."""
    cache = platformdirs.user_cache_path("candor")
    program = await obtain(WEAVIATE, explicit=None, cache=cache, environment=os.environ, on_progress=print)
    lines = ["| RAFT_TIMEOUTS_MULTIPLIER | seconds to ready, median of 3 |", "|---|---|"]
    for multiplier in ("1", "5"):
        took = []
        for _ in range(3):
            with server(program, RAFT_TIMEOUTS_MULTIPLIER=multiplier) as (_, ready_s):
                took.append(ready_s)
        lines.append(f"| {multiplier} | {statistics.median(took):.1f} |")
    lines += [f"\n| flush after, s | hybrid p50 ms, {SETTLE_S:g} s after indexing | p95 |", "|---|---|---|"]
    for flush in ("2", "60", "2", "60"):
        with server(program, PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS=flush) as (address, _):
            found = await searches(address)
        lines.append(f"| {flush} | {statistics.median(found):.1f} | {percentile(found, 0.95):.1f} |")
    return lines


if __name__ == "__main__":
    print("\n".join(asyncio.run(settings_table())))
