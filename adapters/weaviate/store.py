"""`crag.ports.Store` on Weaviate: manifest, removals, the lease, and new generations."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Self

from weaviate.classes.query import Filter

from adapters.weaviate.address import Address
from adapters.weaviate.connection import Connection
from adapters.weaviate.draft import WeaviateDraft
from adapters.weaviate.lease import Lease
from adapters.weaviate.ledger import Ledger
from adapters.weaviate.live import LiveGeneration
from adapters.weaviate.schema import Names, create_generation, sendable, tenant_key
from crag.errors import SearchError
from crag.types import DocumentRecord, Generation

REMOVE_AT_ONCE = 100
logger = logging.getLogger(__name__)


class WeaviateStore:
    """One tenant's, with a client of its own: trouble while indexing doesn't reach the searches. Belongs to the event
    loop that uses it."""

    def __init__(
        self,
        address: Address,
        *,
        collection: str = "Candor",
        tenant: str,
        deadline_s: float,
        insert_deadline_s: float,
    ) -> None:
        self.tenant = tenant
        self._names = Names(collection)
        self._insert_deadline_s = insert_deadline_s
        self._connection = Connection(address, deadline_s=deadline_s)
        self._ledger = Ledger(self._connection, self._names)
        self._live = LiveGeneration(self._connection, self._ledger, self._names)
        self._lease = Lease(self._ledger)

    async def __aenter__(self) -> Self:
        await self._connection.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._connection.__aexit__(*error)

    async def manifest(self) -> Mapping[str, DocumentRecord]:
        found = await self._live.usable(self.tenant)
        return await self._ledger.manifest(*found) if found else {}

    async def live(self) -> Generation | None:
        found = await self._live.usable(self.tenant)
        return found[1].generation(found[0]) if found else None

    async def remove(self, documents: Collection[str]) -> None:
        """The head's counts fall first (a generation with fewer chunks than its head says is not served), the chunks
        next, the manifest last: cut short anywhere, the same call completes it."""
        self._lease.require()
        found = await self._live.usable(self.tenant)
        if not found or not documents:
            return
        generation, head = found
        gone = set(documents)
        left = [record for record in (await self._ledger.manifest(*found)).values() if record.id not in gone]
        smaller = replace(head, documents=len(left), chunks=sum(record.chunks for record in left))
        await self._ledger.put_head(generation, self.tenant, smaller)
        names = sorted(sendable(name) for name in gone)
        for start in range(0, len(names), REMOVE_AT_ONCE):
            await self._delete_chunks(generation, names[start : start + REMOVE_AT_ONCE])
        manifest = await self._ledger.write_manifest(generation, left)
        await self._ledger.put_head(generation, self.tenant, replace(smaller, manifest=manifest))
        await self._ledger.drop_blob(generation, head.manifest)

    @asynccontextmanager
    async def draft(self, *, embedder: str, dimension: int, chunker: str) -> AsyncIterator[WeaviateDraft]:
        self._lease.require()
        name = self._names.new_generation()
        draft = WeaviateDraft(
            self._connection,
            self._ledger,
            self._live,
            self._lease,
            self._names,
            name=name,
            tenant=self.tenant,
            embedder=embedder,
            dimension=dimension,
            chunker=chunker,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            insert_deadline_s=self._insert_deadline_s,
        )
        try:
            await self._connection.call("create a new index", lambda client: create_generation(client, name))
            await draft.open()
            yield draft
        finally:
            with contextlib.suppress(SearchError):
                await self._collect()

    @asynccontextmanager
    async def lease(self) -> AsyncIterator[None]:
        await self._ledger.ensure()
        async with self._lease.held():
            try:
                await self._collect()
            except SearchError as error:
                logger.warning("Old generations could not be dropped: %s", error)
            yield

    async def _collect(self) -> None:
        """Drop every generation but the live one and the one before it: drafts that were given up, those of runs that
        died, and what is older. Only the holder of the lease does, and never what an alias points at."""
        live = await self._live.name()
        aliases = await self._connection.call("list the aliases", lambda client: client.alias.list_all())
        previous = (await self._ledger.record(live)).previous if live else ""
        keep = {live, previous, *(alias.collection for alias in aliases.values())}
        everything = await self._connection.call("list the collections", lambda client: client.collections.list_all())
        for name in everything:
            if self._names.is_generation(name) and name not in keep:
                await self._drop(name)

    async def _drop(self, name: str) -> None:
        await self._connection.call("drop an old index", lambda client: client.collections.delete(name))
        await self._ledger.drop(name)

    async def _delete_chunks(self, generation: str, documents: list[str]) -> None:
        where = Filter.by_property("document").contains_any(documents)
        key = tenant_key(self.tenant)
        while True:
            done = await self._connection.call(
                "delete chunks",
                lambda client: client.collections.use(generation).with_tenant(key).data.delete_many(where=where),
                deadline_s=self._insert_deadline_s,
            )
            if done.failed:
                raise SearchError(f"Weaviate could not delete {done.failed} chunks.", advice="Try again.")
            if done.matches <= done.successful and done.matches == 0:
                return
