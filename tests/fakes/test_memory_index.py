"""The in-memory index passes the contracts of the real one."""

from __future__ import annotations

import pytest

from crag.errors import SearchError
from tests.contracts.index import IndexContract
from tests.contracts.index_data import DIMENSION, EMBEDDER, Backend, fill, request
from tests.contracts.store import StoreContract
from tests.fakes.memory_index import MemoryDatabase, MemoryIndex, MemoryStore


class MemoryBackend:
    def __init__(self) -> None:
        self.database = MemoryDatabase()

    async def index(self, *, embedder: str = EMBEDDER, dimension: int = DIMENSION) -> MemoryIndex:
        return MemoryIndex(self.database, embedder=embedder, dimension=dimension)

    async def store(self, *, tenant: str = "local") -> MemoryStore:
        return MemoryStore(self.database, tenant=tenant)


@pytest.fixture
def backend() -> Backend:
    return MemoryBackend()


class TestMemoryIndex(IndexContract):
    pass


class TestMemoryStore(StoreContract):
    pass


async def test_a_failing_server_can_be_played() -> None:
    backend = MemoryBackend()
    await fill(await backend.store())
    index = await backend.index()

    def down(operation: str) -> None:
        if operation == "search":
            raise SearchError("Weaviate is down.")

    backend.database.on_call = down
    assert await index.live("local") is not None
    with pytest.raises(SearchError, match="is down"):
        await index.search(request())
