"""A backend on the session's server, with a collection of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from adapters.weaviate.address import Address
from tests.adapters.weaviate.backend import WeaviateBackend
from tests.adapters.weaviate.server import Server


@pytest.fixture
async def backend(weaviate_server: Address, weaviate_collection: str) -> AsyncIterator[WeaviateBackend]:
    async with AsyncExitStack() as stack:
        yield WeaviateBackend(weaviate_server, weaviate_collection, stack)


@pytest.fixture
async def server(backend: WeaviateBackend) -> AsyncIterator[Server]:
    server = Server(backend)
    async with server.connection:
        yield server
