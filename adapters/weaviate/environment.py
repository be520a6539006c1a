"""The ports and the environment of an embedded server. Standard library only, as the supervisor is."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from adapters.weaviate.directory import DataDirectory


@dataclass(frozen=True, slots=True)
class Ports:
    """All ports of one server; Weaviate wants raft + 1 and gossip + 1 too."""

    http: int
    grpc: int
    raft: int
    gossip: int


def free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def choose_ports(http: int = 0, grpc: int = 0) -> Ports:
    """Free ports, below the range that systems give to outgoing connections; `http` and `grpc` are kept if given."""
    candidates = iter(lambda: random.randrange(20000, 32000, 8), None)  # noqa: S311
    first = next(port for port in candidates if all(map(free, range(port, port + 6))))
    return Ports(http or first, grpc or first + 1, first + 2, first + 4)


def environment(directory: DataDirectory, ports: Ports, key: str) -> Mapping[str, str]:
    """Everything the server reads; nothing is inherited. One node on one host, nothing but what Candor uses."""
    return {
        "PATH": os.defpath,
        "HOME": str(directory.path),
        "PERSISTENCE_DATA_PATH": str(directory.data),
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "false",
        "AUTHENTICATION_APIKEY_ENABLED": "true",
        "AUTHENTICATION_APIKEY_ALLOWED_KEYS": key,
        "AUTHENTICATION_APIKEY_USERS": "candor",
        "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
        "CLUSTER_BIND_ADDR": "127.0.0.1",
        "CLUSTER_BASIC_AUTH_USERNAME": "candor",
        "CLUSTER_BASIC_AUTH_PASSWORD": key,
        "CLUSTER_IN_LOCALHOST": "true",
        "CLUSTER_HOSTNAME": "node1",
        "CLUSTER_GOSSIP_BIND_PORT": str(ports.gossip),
        "CLUSTER_DATA_BIND_PORT": str(ports.gossip + 1),
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "RAFT_JOIN": f"node1:{ports.raft}",
        "RAFT_PORT": str(ports.raft),
        "RAFT_INTERNAL_RPC_PORT": str(ports.raft + 1),
        "RAFT_TIMEOUTS_MULTIPLIER": "1",
        "GRPC_PORT": str(ports.grpc),
        "GO_PROFILING_DISABLE": "true",
        "PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS": "2",
        # On a full disk it makes all shards read-only; loading one for that fails, and then no query is answered again.
        "DISABLE_LAZY_LOAD_SHARDS": "true",
        "ENABLE_MODULES": "",
        "DEFAULT_VECTORIZER_MODULE": "none",
        "AUTOSCHEMA_ENABLED": "false",
        "DISABLE_TELEMETRY": "true",
        "LOG_LEVEL": "info",
    }
