"""`crag.ports.Index` on Weaviate: hybrid search in the live generation of one tenant."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from weaviate import WeaviateAsyncClient
from weaviate.classes.query import Filter, HybridFusion, MetadataQuery
from weaviate.collections.classes.internal import Object
from weaviate.exceptions import WeaviateQueryError

from adapters.weaviate.address import Address
from adapters.weaviate.connection import Connection
from adapters.weaviate.ledger import Head, Ledger
from adapters.weaviate.live import LiveGeneration
from adapters.weaviate.schema import KEYWORD_FIELDS, VECTOR, Names, sendable, tenant_key, to_chunk
from crag.errors import IndexMismatch, IndexMissing, SearchError
from crag.glossary import visible
from crag.types import Chunk, Generation, Glossary, Hit, SearchRequest, Vector

NO_KEYWORD = "must have query set"
"""How Weaviate refuses a keyword search whose query has no word in it."""
GONE = ("could not find class", "tenant not found")
NOTHING, INDEX_IT = "Nothing is indexed yet.", "Run `candor index PATH`."
PAGE = 1000


class WeaviateIndex:
    """Belongs to the event loop that uses it; any number of searches at once. The server needn't be up to make one."""

    name = "index"

    def __init__(
        self, address: Address, *, collection: str = "Candor", embedder: str, dimension: int, deadline_s: float
    ) -> None:
        names = Names(collection)
        self._embedder = embedder
        self._dimension = dimension
        self._connection = Connection(address, deadline_s=deadline_s)
        self._ledger = Ledger(self._connection, names)
        self._live = LiveGeneration(self._connection, self._ledger, names)

    async def __aenter__(self) -> Self:
        await self._connection.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._connection.__aexit__(*error)

    async def search(self, request: SearchRequest) -> Sequence[Hit]:
        if request.limit <= 0 or not request.access:
            return []
        async with self._connection.within(self._connection.deadline_s):
            try:
                return await self._search(request)
            except SearchError as error:
                if not any(sign in str(error.__cause__) for sign in GONE):
                    raise
            self._live.forget()
            return await self._search(request)

    async def live(self, tenant: str) -> Generation | None:
        async with self._connection.within(self._connection.deadline_s):
            found = await self._live.part(tenant, fresh=True)
            return found[1].generation(found[0]) if found else None

    async def glossary(self, tenant: str, corpora: frozenset[str], access: frozenset[str]) -> Glossary:
        async with self._connection.within(self._connection.deadline_s):
            found = await self._live.part(tenant, fresh=True)
            return visible(await self._ledger.glossaries(*found), corpora, access) if found else Glossary()

    async def passages(
        self, tenant: str, corpora: frozenset[str], access: frozenset[str], *, limit: int
    ) -> Sequence[Chunk]:
        """In the order of their ids, which are digests: the first ones are a fair sample. A cursor allows no filter in
        the query, so what may not be seen is left out here."""
        found = await self._live.part(tenant)
        if found is None:
            raise IndexMissing(NOTHING, advice=INDEX_IT)
        kept: list[Chunk] = []
        after: str | None = None
        while len(kept) < limit:
            page = await self._connection.call("read the index", partial(_page, found[0], tenant, after))
            if not page:
                break
            after = str(page[-1].uuid)
            chunks = [to_chunk(item.properties) for item in page]
            kept += [c for c in chunks if c.access & access and (not corpora or c.corpus in corpora)]
        return kept[:limit]

    async def check(self) -> None:
        """Raises SearchError unless the server answers on both of its ports: over REST for the alias, over gRPC for a
        record. (Its own readiness page says yes while gRPC is dead.)"""
        await self._live.name()
        await self._ledger.record("")

    async def _search(self, request: SearchRequest) -> Sequence[Hit]:
        found = await self._live.part(request.tenant)
        if found is None:
            raise IndexMissing(NOTHING, advice=INDEX_IT)
        generation, head = found
        self._require_same_embedder(head)
        if head.chunks == 0:
            return []
        objects = await self._connection.call(
            "search the documents", lambda client: self._query(client, generation, request)
        )
        cosines = _cosines([item.vector[VECTOR] for item in objects], request.vector)
        return [
            Hit(to_chunk(item.properties), item.metadata.score or 0.0, cosine, self.name)
            for item, cosine in zip(objects, cosines, strict=True)
        ]

    async def _query(
        self, client: WeaviateAsyncClient, generation: str, request: SearchRequest
    ) -> list[Object[Any, Any]]:
        query = client.collections.use(generation).with_tenant(tenant_key(request.tenant)).query
        filters = Filter.by_property("access").contains_any([sendable(label) for label in request.access])
        if request.corpora:
            filters &= Filter.by_property("corpus").contains_any([sendable(corpus) for corpus in request.corpora])
        vector = list(request.vector)
        text = sendable(request.text)
        alpha = request.alpha
        while True:
            try:
                found = await query.hybrid(
                    text,
                    vector=vector,
                    alpha=alpha,
                    limit=request.limit,
                    fusion_type=HybridFusion.RELATIVE_SCORE,
                    query_properties=KEYWORD_FIELDS,
                    filters=filters,
                    include_vector=True,
                    return_metadata=MetadataQuery(score=True),
                )
                return list(found.objects)
            except WeaviateQueryError as error:
                if NO_KEYWORD not in str(error) or alpha == 1.0:
                    raise
                alpha = 1.0

    def _require_same_embedder(self, head: Head) -> None:
        if (head.embedder, head.dimension) != (self._embedder, self._dimension):
            raise IndexMismatch(
                f"The index was built with the embedder {head.embedder} ({head.dimension} dimensions), but "
                f"{self._embedder} ({self._dimension} dimensions) is running.",
                advice="Run `candor index PATH --full`.",
            )


async def _page(generation: str, tenant: str, after: str | None, client: WeaviateAsyncClient) -> list[Object[Any, Any]]:
    query = client.collections.use(generation).with_tenant(tenant_key(tenant)).query
    return list((await query.fetch_objects(limit=PAGE, after=after)).objects)


def _cosines(vectors: Sequence[Any], query: Vector) -> list[float]:
    if not vectors:
        return []
    matrix, wanted = np.asarray(vectors, dtype=np.float32), np.asarray(query, dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(wanted)
    cosines = (matrix @ wanted) / np.maximum(lengths, 1e-12)
    return [float(cosine) for cosine in np.clip(cosines, -1.0, 1.0)]
