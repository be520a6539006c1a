"""Indexes and stores on a real server, for contracts and for tests of trouble."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass

from adapters.weaviate.address import Address
from adapters.weaviate.index import WeaviateIndex
from adapters.weaviate.store import WeaviateStore
from tests.contracts.index_data import DIMENSION, EMBEDDER


@dataclass(frozen=True, slots=True)
class WeaviateBackend:
    """What it opens is closed with its stack."""

    address: Address
    collection: str
    stack: AsyncExitStack
    deadline_s: float = 10.0

    async def index(self, *, embedder: str = EMBEDDER, dimension: int = DIMENSION) -> WeaviateIndex:
        return await self.stack.enter_async_context(
            WeaviateIndex(
                self.address,
                collection=self.collection,
                embedder=embedder,
                dimension=dimension,
                deadline_s=self.deadline_s,
            )
        )

    async def store(self, *, tenant: str = "local") -> WeaviateStore:
        return await self.stack.enter_async_context(
            WeaviateStore(
                self.address,
                collection=self.collection,
                tenant=tenant,
                deadline_s=self.deadline_s,
                insert_deadline_s=30.0,
            )
        )
