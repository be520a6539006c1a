"""The server itself, for looking behind what the index shows and for breaking it."""

from __future__ import annotations

from dataclasses import asdict

from adapters.weaviate.connection import Connection
from adapters.weaviate.lease import LEASE, Holder
from adapters.weaviate.ledger import Ledger
from adapters.weaviate.schema import Names
from tests.adapters.weaviate.backend import WeaviateBackend


class Server:
    """Opened with its `connection`."""

    def __init__(self, backend: WeaviateBackend) -> None:
        self.connection = Connection(backend.address, deadline_s=10.0)
        self.names = Names(backend.collection)
        self.ledger = Ledger(self.connection, self.names)

    async def generations(self) -> set[str]:
        everything = await self.connection.call("list", lambda client: client.collections.list_all())
        return {name for name in everything if self.names.is_generation(name)}

    async def alias(self) -> str | None:
        found = await self.connection.call("ask", lambda client: client.alias.get(alias_name=self.names.collection))
        return found.collection if found else None

    async def delete(self, collection: str) -> None:
        await self.connection.call("delete", lambda client: client.collections.delete(collection))

    async def hold(self, holder: Holder) -> None:
        """Somebody has the lease."""
        await self.ledger.ensure()
        await self.ledger.put(LEASE, "lease", asdict(holder))
