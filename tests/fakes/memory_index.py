"""An index and its store in memory, for tests of what stands on them. They pass the contracts of the real one.

Both work on one `MemoryDatabase`, as the real ones work on one server. `database.on_call` sees the name of every call
before it is done ("search", "live", "add", "publish" ...) and may raise what a failing server would raise.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from crag.errors import IndexBusy, IndexMismatch, IndexMissing, SearchError
from crag.glossary import visible
from crag.types import Chunk, DocumentRecord, Generation, Glossary, Hit, SearchRequest, Shelf, Vector

STOP_WORDS = frozenset("a an and are as at be by for if in is it no not of on or the to was will with".split())


@dataclass(slots=True)
class Share:
    """One tenant's part of a generation."""

    embedder: str
    dimension: int
    chunker: str
    created: str
    records: dict[str, DocumentRecord] = field(default_factory=dict)
    chunks: dict[str, tuple[Chunk, Vector]] = field(default_factory=dict)
    glossaries: Mapping[Shelf, Glossary] = field(default_factory=dict)

    def generation(self, name: str) -> Generation:
        sizes = len(self.records), len(self.chunks)
        documents = {chunk.document: Shelf(chunk.corpus, chunk.access) for chunk, _ in self.chunks.values()}
        shelves = tuple(replace(shelf, documents=n) for shelf, n in Counter(documents.values()).items())
        return Generation(name, self.embedder, self.dimension, self.chunker, self.created, *sizes, shelves)


@dataclass(slots=True)
class MemoryDatabase:
    """What a server would hold: generations by name, each a share for every tenant, and which of them is live."""

    generations: dict[str, dict[str, Share]] = field(default_factory=dict)
    alias: str = ""
    holder: str = ""
    on_call: Callable[[str], None] | None = None
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    def share(self, tenant: str) -> Share | None:
        return self.generations.get(self.alias, {}).get(tenant)

    def called(self, operation: str) -> None:
        if self.on_call:
            self.on_call(operation)


class MemoryIndex:
    """An `Index`: keyword overlap and cosine, each min-max normalised per query, fused by alpha."""

    name = "index"

    def __init__(self, database: MemoryDatabase, *, embedder: str, dimension: int) -> None:
        self.database = database
        self.embedder = embedder
        self.dimension = dimension

    async def search(self, request: SearchRequest) -> Sequence[Hit]:
        self.database.called("search")
        share = self.database.share(request.tenant)
        if share is None:
            raise IndexMissing("Nothing is indexed yet.", advice="Run `candor index PATH`.")
        if (share.embedder, share.dimension) != (self.embedder, self.dimension):
            raise IndexMismatch(
                f"The index was built with the embedder {share.embedder} ({share.dimension} dimensions), but "
                f"{self.embedder} ({self.dimension} dimensions) is running.",
                advice="Run `candor index PATH --full`.",
            )
        seen = [
            (chunk, vector)
            for chunk, vector in share.chunks.values()
            if chunk.access & request.access and (not request.corpora or chunk.corpus in request.corpora)
        ]
        cosines = [sum(a * b for a, b in zip(vector, request.vector, strict=True)) for _, vector in seen]
        words = set(_words(request.text))
        overlaps = [float(sum(Counter(_words(chunk.passage))[word] > 0 for word in words)) for chunk, _ in seen]
        alpha = request.alpha if words else 1.0
        fused = [
            alpha * near + (1 - alpha) * shared
            for near, shared in zip(_normalised(cosines), _normalised(overlaps), strict=True)
        ]
        hits = [Hit(c, f, cosine, self.name) for (c, _), f, cosine in zip(seen, fused, cosines, strict=True)]
        return sorted(hits, key=lambda hit: -hit.fused)[: max(0, request.limit)]

    async def live(self, tenant: str) -> Generation | None:
        self.database.called("live")
        share = self.database.share(tenant)
        return share.generation(self.database.alias) if share else None

    async def glossary(self, tenant: str, corpora: frozenset[str], access: frozenset[str]) -> Glossary:
        self.database.called("glossary")
        share = self.database.share(tenant)
        return visible(share.glossaries, corpora, access) if share else Glossary()

    async def passages(
        self, tenant: str, corpora: frozenset[str], access: frozenset[str], *, limit: int
    ) -> Sequence[Chunk]:
        self.database.called("passages")
        share = self.database.share(tenant)
        if share is None:
            raise IndexMissing("Nothing is indexed yet.", advice="Run `candor index PATH`.")
        seen = [c for c, _ in share.chunks.values() if c.access & access and (not corpora or c.corpus in corpora)]
        return seen[:limit]


class MemoryStore:
    """A `Store` of one tenant."""

    def __init__(self, database: MemoryDatabase, *, tenant: str) -> None:
        self.database = database
        self.tenant = tenant
        self._leased = False

    async def manifest(self) -> Mapping[str, DocumentRecord]:
        self.database.called("manifest")
        share = self.database.share(self.tenant)
        return dict(share.records) if share else {}

    async def live(self) -> Generation | None:
        self.database.called("live")
        share = self.database.share(self.tenant)
        return share.generation(self.database.alias) if share else None

    async def remove(self, documents: Collection[str]) -> None:
        self.database.called("remove")
        self.require_lease()
        if share := self.database.share(self.tenant):
            gone = set(documents)
            share.records = {id_: record for id_, record in share.records.items() if id_ not in gone}
            share.chunks = {id_: pair for id_, pair in share.chunks.items() if pair[0].document not in gone}

    @asynccontextmanager
    async def draft(self, *, embedder: str, dimension: int, chunker: str) -> AsyncIterator[MemoryDraft]:
        self.database.called("draft")
        self.require_lease()
        created = datetime.now(UTC).isoformat(timespec="seconds")
        name = f"Memory_{next(self.database.numbers)}"
        yield MemoryDraft(self, name, Share(embedder, dimension, chunker, created))

    @asynccontextmanager
    async def lease(self) -> AsyncIterator[None]:
        self.database.called("lease")
        if self.database.holder:
            raise IndexBusy(f"{self.database.holder} is indexing right now.", advice="Try again when it is done.")
        self.database.holder = f"Tenant {self.tenant}"
        self._leased = True
        try:
            yield
        finally:
            self.database.holder = ""
            self._leased = False

    def require_lease(self) -> None:
        if not self._leased:
            raise RuntimeError("writing to the index needs the lease: async with store.lease()")


class MemoryDraft:
    """A `Draft`."""

    def __init__(self, store: MemoryStore, name: str, share: Share) -> None:
        self._store = store
        self._name = name
        self._share = share

    async def keep(self, documents: Collection[str]) -> Sequence[Chunk]:
        self._store.database.called("keep")
        live = self._store.database.share(self._store.tenant)
        if live is None or not documents:
            return []
        if (live.embedder, live.dimension) != (self._share.embedder, self._share.dimension):
            raise IndexMismatch(
                f"Chunks of the embedder {live.embedder} can't be kept for {self._share.embedder}.",
                advice="Run `candor index PATH --full`.",
            )
        wanted = set(documents)
        kept = {id_: pair for id_, pair in live.chunks.items() if pair[0].document in wanted}
        self._share.chunks |= kept
        return [chunk for chunk, _ in kept.values()]

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Vector]) -> None:
        self._store.database.called("add")
        for chunk, vector in zip(chunks, vectors, strict=True):
            if len(vector) != self._share.dimension:
                raise SearchError(
                    f"{chunk.path}: a vector of {len(vector)} instead of {self._share.dimension} numbers."
                )
            self._share.chunks[chunk.id] = (chunk, tuple(vector))

    async def publish(self, documents: Sequence[DocumentRecord], glossaries: Mapping[Shelf, Glossary]) -> Generation:
        database = self._store.database
        database.called("publish")
        self._store.require_lease()
        counts = Counter(chunk.document for chunk, _ in self._share.chunks.values())
        expected = {record.id: record.chunks for record in documents if record.chunks}
        if wrong := sorted(id_ for id_ in counts | expected if counts[id_] != expected.get(id_, 0)):
            raise SearchError(f"The new index is incomplete: {', '.join(wrong[:3])}. The old one stays.")
        self._share.records = {record.id: record for record in documents}
        self._share.glossaries = glossaries
        others = database.generations.get(database.alias, {})
        database.generations[self._name] = {**others, self._store.tenant: self._share}
        previous, database.alias = database.alias, self._name
        database.generations = {
            name: generation for name, generation in database.generations.items() if name in (previous, self._name)
        }
        return self._share.generation(self._name)


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS]


def _normalised(scores: Sequence[float]) -> list[float]:
    """Min-max over one query, as relative score fusion does it; all equal gives 1 each."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [1.0 if math.isclose(high, low) else (score - low) / (high - low) for score in scores]
