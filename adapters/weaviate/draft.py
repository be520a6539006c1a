"""`crag.ports.Draft` on Weaviate: a new generation, from its first chunk to the moment it goes live.

A crash at any step leaves the alias on one complete generation: chunks, then manifest and heads are written under the
new name, and only then is the alias switched, in one step.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from weaviate.classes.data import DataObject
from weaviate.classes.tenants import Tenant
from weaviate.collections.classes.internal import Object
from weaviate.exceptions import WeaviateInsertManyAllFailedError

from adapters.weaviate.connection import Connection, refusal
from adapters.weaviate.lease import Lease
from adapters.weaviate.ledger import GenerationRecord, Head, Ledger
from adapters.weaviate.live import LiveGeneration
from adapters.weaviate.schema import VECTOR, Names, object_id, sendable, tenant_key, to_chunk, to_properties
from crag.errors import IndexMismatch, SearchError
from crag.types import Chunk, DocumentRecord, Generation, Glossary, Shelf, Vector

BATCH = 100
"""Objects an insert. Turning one into its message takes 0.15 ms of the event loop, which others use meanwhile."""
PAGE = 1000
logger = logging.getLogger(__name__)
RETRY_S = 0.5
Row = DataObject[dict[str, Any], None]


class WeaviateDraft:
    def __init__(
        self,
        connection: Connection,
        ledger: Ledger,
        live: LiveGeneration,
        lease: Lease,
        names: Names,
        *,
        name: str,
        tenant: str,
        embedder: str,
        dimension: int,
        chunker: str,
        created: str,
        insert_deadline_s: float,
    ) -> None:
        self._connection = connection
        self._ledger = ledger
        self._live = live
        self._lease = lease
        self._names = names
        self._name = name
        self._tenant = tenant
        self._embedder = embedder
        self._dimension = dimension
        self._chunker = chunker
        self._created = created
        self._insert_deadline_s = insert_deadline_s

    async def open(self) -> None:
        await self._add_tenant(self._tenant)

    async def keep(self, documents: Collection[str]) -> Sequence[Chunk]:
        found = await self._live.usable(self._tenant)
        if found is None or not documents:
            return []
        generation, head = found
        if (head.embedder, head.dimension) != (self._embedder, self._dimension):
            raise IndexMismatch(
                f"The index was built with the embedder {head.embedder} ({head.dimension} dimensions); its vectors are "
                f"no use to {self._embedder} ({self._dimension} dimensions).",
                advice="Run `candor index PATH --full`.",
            )
        wanted = {sendable(document) for document in documents}
        kept: list[Chunk] = []
        async for page in self._pages(generation, self._tenant, vectors=True):
            of_them = [item for item in page if item.properties["document"] in wanted]
            await self._insert(self._tenant, [_copied(item) for item in of_them])
            kept += [to_chunk(item.properties) for item in of_them]
        return kept

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Vector]) -> None:
        pairs = list(zip(chunks, vectors, strict=True))
        for start in range(0, len(pairs), BATCH):
            rows = [self._row(chunk, vector) for chunk, vector in pairs[start : start + BATCH]]
            await self._insert(self._tenant, rows)

    def _row(self, chunk: Chunk, vector: Vector) -> Row:
        numbers = np.asarray(vector, dtype=np.float32)
        if numbers.shape != (self._dimension,):
            raise SearchError(f"{chunk.path}: a vector of {len(vector)} numbers, not {self._dimension}.")
        if not np.isfinite(numbers).all():
            raise SearchError(f"{chunk.path}: a vector with a number that is none.")
        return DataObject(
            properties=to_properties(chunk), uuid=object_id("chunk", chunk.id), vector={VECTOR: numbers.tolist()}
        )

    async def publish(self, documents: Sequence[DocumentRecord], glossaries: Mapping[Shelf, Glossary]) -> Generation:
        await self._lease.verify()
        chunks = await self._verified(documents)
        head = Head(
            self._embedder,
            self._dimension,
            self._chunker,
            self._created,
            len(documents),
            chunks,
            manifest=await self._ledger.write_manifest(self._name, documents),
            glossary=await self._ledger.write_glossaries(self._name, glossaries),
            shelves=tuple((shelf.corpus, tuple(sorted(shelf.access)), shelf.documents) for shelf in glossaries),
        )
        await self._ledger.put_head(self._name, self._tenant, head)
        previous = await self._live.name()
        others = [tenant for tenant in (await self._ledger.record(previous)).tenants if tenant != self._tenant]
        moved = [tenant for tenant in others if await self._move(previous, tenant)]
        await self._ledger.put_record(self._name, GenerationRecord(previous, [*moved, self._tenant]))
        await self._lease.verify()
        await self._switch(previous)
        return head.generation(self._name)

    async def _verified(self, documents: Sequence[DocumentRecord]) -> int:
        """How many chunks the server has; raises SearchError unless each document has its own, and no other has any."""
        counts: Counter[str] = Counter()
        async for page in self._pages(self._name, self._tenant, vectors=False):
            counts.update(str(item.properties["document"]) for item in page)
        expected = {sendable(record.id): record.chunks for record in documents if record.chunks}
        if wrong := sorted(id_ for id_ in counts | expected if counts[id_] != expected.get(id_, 0)):
            raise SearchError(
                f"The new index is incomplete, so the old one stays: {', '.join(wrong[:3])}"
                + (f" and {len(wrong) - 3} more." if len(wrong) > 3 else "."),
                advice="Run `candor index PATH --full`.",
            )
        return counts.total()

    async def _move(self, previous: str, tenant: str) -> bool:
        """Copy another tenant as it is; False where it has nothing there that could be served."""
        found = await self._live.usable(tenant)
        if found is None:
            logger.warning("The index of the tenant %s is missing or incomplete; it has to be indexed anew.", tenant)
            return False
        head = found[1]
        await self._add_tenant(tenant)
        count = 0
        async for page in self._pages(previous, tenant, vectors=True):
            await self._insert(tenant, [_copied(item) for item in page])
            count += len(page)
        if count < head.chunks:
            raise SearchError(
                f"The index of the tenant {tenant} is incomplete ({count} of {head.chunks} chunks): the old one stays.",
                advice="Run `candor index PATH --full` for that tenant first.",
            )
        manifest = await self._ledger.copy_blob(head.manifest, previous, self._name)
        glossary = await self._ledger.copy_blob(head.glossary, previous, self._name)
        await self._ledger.put_head(self._name, tenant, replace(head, manifest=manifest, glossary=glossary))
        return True

    async def _switch(self, previous: str) -> None:
        """Point the alias here. Whatever the call said - it answers False for an alias that isn't there, and may be
        lost on its way back - the alias itself is asked in the end."""
        alias, name = self._names.collection, self._name
        problem: SearchError | None = None
        try:
            if previous:
                await self._connection.call(
                    "switch to the new index",
                    lambda client: client.alias.update(alias_name=alias, new_target_collection=name),
                )
            else:
                await self._connection.call(
                    "switch to the new index",
                    lambda client: client.alias.create(alias_name=alias, target_collection=name),
                )
        except SearchError as error:
            problem = error
        if await self._live.name() != name:
            raise problem or SearchError("Weaviate did not switch to the new index; the old one stays.")

    async def _add_tenant(self, tenant: str) -> None:
        await self._connection.call(
            "create a tenant",
            lambda client: client.collections.use(self._name).tenants.create(Tenant(name=tenant_key(tenant))),
        )

    async def _pages(self, generation: str, tenant: str, *, vectors: bool) -> AsyncIterator[list[Object[Any, Any]]]:
        """All chunks of a tenant, a batch at a time."""
        after: str | None = None
        size = BATCH if vectors else PAGE
        while True:
            start = after
            found = await self._connection.call(
                "read the index",
                lambda client: (
                    client.collections.use(generation)
                    .with_tenant(tenant_key(tenant))
                    .query.fetch_objects(
                        limit=size,
                        after=start,  # noqa: B023
                        include_vector=vectors,
                        return_properties=None if vectors else ["document"],
                    )
                ),
            )
            if not found.objects:
                return
            yield list(found.objects)
            after = str(found.objects[-1].uuid)

    async def _insert(self, tenant: str, rows: Sequence[Row]) -> None:
        """A partial failure raises nothing in the client: what failed is tried once more, then it is an error."""
        failed = await self._failures(tenant, rows)
        if failed:
            await asyncio.sleep(RETRY_S)
            failed = await self._failures(tenant, [row for row, _ in failed])
        if failed:
            row, reason = failed[0]
            path = (row.properties or {}).get("path", "")
            raise refusal(f"Weaviate could not store {len(failed)} chunks, the first of {path}", reason)

    async def _failures(self, tenant: str, rows: Sequence[Row]) -> list[tuple[Row, str]]:
        if not rows:
            return []
        try:
            done = await self._connection.call(
                "store chunks",
                lambda client: (
                    client.collections.use(self._name).with_tenant(tenant_key(tenant)).data.insert_many(list(rows))
                ),
                deadline_s=self._insert_deadline_s,
            )
        except SearchError as error:
            if isinstance(error.__cause__, WeaviateInsertManyAllFailedError):
                return [(row, error.__cause__.message) for row in rows]
            raise
        return [(rows[number], failure.message) for number, failure in done.errors.items()]


def _copied(item: Object[Any, Any]) -> Row:
    return DataObject(properties=dict(item.properties), uuid=item.uuid, vector={VECTOR: item.vector[VECTOR]})
