"""One real Weaviate server a test session, started as embedded mode starts it."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import platformdirs
import pytest
import pytest_asyncio

from adapters.weaviate.address import Address
from adapters.weaviate.server import embedded_server

CACHE = platformdirs.user_cache_path("candor")
START_TIMEOUT_S = 60.0


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def weaviate_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Address]:
    """Its address. Where no server can be had, the tests that want one fail with the reason."""
    directory: Path = tmp_path_factory.mktemp("weaviate")
    async with embedded_server(
        directory, binary=None, cache=CACHE, environment=os.environ, start_timeout_s=START_TIMEOUT_S
    ) as server:
        yield await server


@pytest.fixture
def weaviate_collection() -> str:
    """A collection that no other test knows."""
    return f"T{secrets.token_hex(6)}"
