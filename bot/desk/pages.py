"""Which document a person means by a title, a path or an address."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from crag.errors import CandorError
from crag.ports import Embedder, Retriever
from crag.text import words
from crag.types import Chunk, Question, Reply, SearchRequest

log = logging.getLogger(__name__)

LOOKED_AT = 50
"""How many passages of a search for a page's name are looked at."""
ALPHA = 0.3
"""Names are words more than they are meaning."""


class Pages:
    """Looks where the question could look, so that nobody learns from it what they may not see."""

    def __init__(self, index: Retriever, embedder: Embedder) -> None:
        self._index = index
        self._embedder = embedder

    async def found(self, named: str, reply: Reply) -> str:
        """Its path; "" where it can't be told. First among the passages that the reply had, then by a search."""
        here = [grade.chunk for grade in reply.trace.grades]
        return _called(named, here) or await self.searched(named, reply.question)

    async def searched(self, named: str, asked: Question) -> str:
        """The same by a search alone, as this question could search."""
        text = " ".join(words(named))
        if not text:
            return ""
        try:
            vector = await self._embedder.embed_query(text)
            request = SearchRequest(text, vector, LOOKED_AT, ALPHA, asked.tenant, asked.corpora, asked.access)
            return _called(named, [hit.chunk for hit in await self._index.search(request)])
        except CandorError as error:
            log.warning("a page that a correction names can't be looked for: %s", error)
            return ""


def _called(named: str, chunks: Sequence[Chunk]) -> str:
    """The only document among these with this path or address, or else whose path ends so, or with this title."""
    wanted = _bare(named)
    if not wanted:
        return ""
    for fits in (_is_at, _ends_so, _is_titled):
        paths = {chunk.path or chunk.url for chunk in chunks if fits(chunk, wanted)}
        if len(paths) == 1:
            return paths.pop()
    return ""


def _is_at(chunk: Chunk, wanted: str) -> bool:
    return wanted in {_bare(chunk.path), _bare(chunk.url)}


def _ends_so(chunk: Chunk, wanted: str) -> bool:
    return _bare(chunk.path).endswith(f"/{wanted}")


def _is_titled(chunk: Chunk, wanted: str) -> bool:
    return wanted in {_bare(name) for name in _titles(chunk)}


def _titles(chunk: Chunk) -> Iterator[str]:
    yield chunk.title
    yield " > ".join(chunk.headings)
    if chunk.headings:
        yield f"{chunk.title}, {chunk.headings[-1]}"


def _bare(name: str) -> str:
    """Without the place within a page, and without what people copy along."""
    return " ".join(name.split("#")[0].strip(" <>\"'`“”.").rstrip("/").split()).casefold()
