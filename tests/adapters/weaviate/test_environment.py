"""What a server of ours is started with, and what the running one makes of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adapters.weaviate.address import Address
from adapters.weaviate.connection import Connection
from adapters.weaviate.directory import DataDirectory
from adapters.weaviate.server import embedded_server
from crag.errors import SearchError
from tests.servers.weaviate import CACHE

pytestmark = pytest.mark.weaviate


async def test_the_server_is_given_what_makes_it_fast_and_strict_and_nothing_of_the_user_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which values, and what they are worth: measured on this version (bench/RESULTS.md)."""
    directory = DataDirectory(tmp_path / "data")
    monkeypatch.setenv("OPENAI_API_KEY", "of the user")
    told = tmp_path / "weaviate"
    told.write_text('#!/bin/sh\nenv > "$HOME/given"\necho "$@" > "$HOME/asked"\nexit 1\n')
    told.chmod(0o755)
    with pytest.raises(SearchError):
        async with embedded_server(
            directory.path, binary=told, cache=CACHE, environment=os.environ, start_timeout_s=30
        ) as server:
            await server
    lines = (directory.path / "given").read_text().splitlines()
    given = dict(line.split("=", 1) for line in lines if "=" in line)
    wanted = {
        "RAFT_TIMEOUTS_MULTIPLIER": "1",
        "PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS": "2",
        "AUTOSCHEMA_ENABLED": "false",
        "DISABLE_LAZY_LOAD_SHARDS": "true",
        "DEFAULT_VECTORIZER_MODULE": "none",
        "ENABLE_MODULES": "",
        "DISABLE_TELEMETRY": "true",
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "false",
        "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
        "CLUSTER_IN_LOCALHOST": "true",
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "RAFT_JOIN": f"node1:{given['RAFT_PORT']}",
        "RAFT_INTERNAL_RPC_PORT": str(int(given["RAFT_PORT"]) + 1),
        "CLUSTER_DATA_BIND_PORT": str(int(given["CLUSTER_GOSSIP_BIND_PORT"]) + 1),
        "PERSISTENCE_DATA_PATH": str(directory.data),
    }
    assert {name: given.get(name) for name in wanted} == wanted
    assert not {"OPENAI_API_KEY", "RAFT_BOOTSTRAP_TIMEOUT"} & set(given)  # set low, the latter is fatal on a restart
    assert "--host 127.0.0.1" in (directory.path / "asked").read_text()


async def test_the_running_server_makes_no_schema_of_its_own(
    weaviate_server: Address, weaviate_collection: str
) -> None:
    async with Connection(weaviate_server, deadline_s=10.0) as connection:
        with pytest.raises(SearchError, match=weaviate_collection):
            await connection.call(
                "store anything",
                lambda client: client.collections.use(weaviate_collection).data.insert({"text": "anything"}),
            )
        assert weaviate_collection not in await connection.call("list", lambda client: client.collections.list_all())
