"""A second retriever over another corpus of the same index: a wider shelf, asked where the first one fell short."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from crag.ports import Index
from crag.types import Hit, SearchRequest


class CorpusRetriever:
    """Satisfies crag.ports.Retriever. Only the corpora differ from the first search: access and tenant stay."""

    def __init__(self, index: Index, corpora: Collection[str], name: str) -> None:
        self._index = index
        self._corpora = frozenset(corpora)
        self.name = name

    async def search(self, request: SearchRequest) -> Sequence[Hit]:
        """Finds nothing without corpora, where the index would search them all. Raises SearchError."""
        if not self._corpora:
            return []
        hits = await self._index.search(replace(request, corpora=self._corpora))
        return [replace(hit, retriever=self.name) for hit in hits]
