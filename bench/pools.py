"""The whole engine on question sets that bring their own candidates: a search finds the question's own pool."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from bench.datasets import Pool
from crag.corpus_rewriter import CorpusRewriter
from crag.engine import Engine, EngineOptions
from crag.evaluation.outcomes import Outcome
from crag.evaluation.questions import Asked
from crag.extractive import ExtractiveWriter
from crag.grading import Judge
from crag.ports import Embedder
from crag.types import Chunk, Generation, Glossary, Hit, Question, SearchRequest


class PoolIndex:
    """Satisfies crag.ports.Index for one pool: every search finds all of its passages, with their true cosines."""

    name = "pool"

    def __init__(self, pool: Pool, embedder: Embedder) -> None:
        self._pool = pool
        self._embedder = embedder

    async def search(self, request: SearchRequest) -> Sequence[Hit]:
        """All passages, nearest first."""
        chunks = [_chunk(p.id, p.title, p.text) for p in self._pool.passages]
        vectors = await self._embedder.embed_passages([chunk.passage for chunk in chunks])
        near = [sum(a * b for a, b in zip(request.vector, vector, strict=True)) for vector in vectors]
        hits = [Hit(chunk, cosine, cosine) for chunk, cosine in zip(chunks, near, strict=True)]
        return sorted(hits, key=lambda hit: -hit.fused)[: request.limit]

    async def live(self, tenant: str) -> Generation:
        """As many documents as the pool has passages."""
        size = len(self._pool.passages)
        return Generation("pool", self._embedder.model, self._embedder.dimension, "", "", size, size)

    async def glossary(self, tenant: str, corpora: frozenset[str], access: frozenset[str]) -> Glossary:
        """None: the pools are too small to know words."""
        return Glossary()

    async def passages(
        self, tenant: str, corpora: frozenset[str], access: frozenset[str], *, limit: int
    ) -> Sequence[Chunk]:
        """All of the pool."""
        return [_chunk(p.id, p.title, p.text) for p in self._pool.passages[:limit]]


def _chunk(identity: str, title: str, text: str) -> Chunk:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Chunk(identity, identity, identity, title, (title,) if title else (), text, (0, len(text)), digest)


async def ask_pools(pools: Sequence[Pool], embedder: Embedder, judge: Judge) -> list[Outcome]:
    """Ask each question of its own pool. Where the set says only that some passage answers, any of them counts."""
    outcomes = []
    for pool in pools:
        engine = Engine(
            index=PoolIndex(pool, embedder),
            embedder=embedder,
            judge=judge,
            strip_judge=judge,
            writer=ExtractiveWriter(judge, embedder),
            rewriter=CorpusRewriter(),
            options=EngineOptions(),
        )
        reply = await engine.answer(Question(pool.question))
        sources = frozenset(p.id for p in pool.passages) if pool.answerable else frozenset[str]()
        asked = Asked(pool.id, pool.dataset, pool.question, sources, split=pool.split)
        outcomes.append(Outcome(asked, reply))
    return outcomes
