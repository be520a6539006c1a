"""The development questions of `examples/questions.jsonl` with the chunks a hybrid search finds for each.

The chunks are the product's own (source and chunker); the search is brute force with Weaviate's defaults (BM25 of
k1 1.2 and b 0.75, scores min-max normalised and mixed half and half), so that a fit needs no server. Each answerable
question comes a second time without the documents that answer it ("deleted"): only "I don't know" is right then.
Questions of the split "test" are never read here.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from adapters.onnx.embedder import OnnxEmbedder
from adapters.sources.chunker import MarkdownChunker
from adapters.sources.folder import FolderSource
from adapters.sources.limits import Limits
from bench.datasets import Passage, Pool
from bench.fitting import Array
from bench.raw_scores import ROOT
from config.sections import Crag, Ingest
from crag.errors import SourceError
from crag.types import EVERYONE, Chunk

LIMIT, ALPHA, K1, B = Crag().candidates, 0.5, 1.2, 0.75


def handbook(examples: Path = ROOT / "examples", limit: int = LIMIT) -> list[Pool]:
    """Both kinds of pools: datasets "handbook" and "deleted". Questions of one row share a group."""
    chunks = asyncio.run(chunks_of(examples / "handbook"))
    rows = [json.loads(line) for line in (examples / "questions.jsonl").read_text("utf-8").splitlines() if line]
    rows = [row for row in rows if row["split"] == "dev"]
    texts = [" ".join([*(t[6:] for t in row["history"] if t.startswith("user: ")), row["question"]]) for row in rows]
    vectors, asked = asyncio.run(embedded([chunk.passage for chunk in chunks], texts))
    pools: list[Pool] = []
    for row, text, vector in zip(rows, texts, asked, strict=True):
        near = np.asarray(vectors @ vector, dtype=np.float64)
        sources = frozenset(row["sources"])
        pools.append(_pool("handbook", row, text, found(chunks, near, text, frozenset(), limit), bool(sources)))
        if sources:
            pools.append(_pool("deleted", row, text, found(chunks, near, text, sources, limit), False))
    return pools


async def embedded(passages: Sequence[str], questions: Sequence[str]) -> tuple[Array, Array]:
    async with OnnxEmbedder(ROOT / "models" / "embedder", threads=0) as embedder:
        vectors = np.array(await embedder.embed_passages(passages))
        return vectors, np.array([await embedder.embed_query(question) for question in questions])


def _pool(dataset: str, row: dict[str, str], text: str, hits: list[tuple[Chunk, float]], answerable: bool) -> Pool:
    passages = tuple(Passage(chunk.path, " > ".join(chunk.headings or (chunk.title,)), chunk.text) for chunk, _ in hits)
    fused = tuple(score for _, score in hits)
    return Pool(dataset, row["id"], text, passages, answerable, f"handbook-{row['id']}", row["kind"], "dev", fused)


def found(
    chunks: Sequence[Chunk], near: Array, text: str, without: frozenset[str], limit: int
) -> list[tuple[Chunk, float]]:
    """The first `limit` of the hybrid search, with their rank scores; `near` is each chunk's cosine."""
    at = [n for n, chunk in enumerate(chunks) if chunk.path not in without]
    left = [chunks[n] for n in at]
    fused = ALPHA * _normalised(near[at]) + (1 - ALPHA) * _normalised(_bm25(left, text))
    return [(left[n], float(fused[n])) for n in np.argsort(-fused)[:limit]]


async def chunks_of(folder: Path) -> list[Chunk]:
    everyone = frozenset({EVERYONE})
    sizes = Ingest()
    chunker = MarkdownChunker(
        ROOT / "models" / "embedder" / "tokenizer.json", max_tokens=sizes.max_tokens, min_tokens=sizes.min_tokens
    )
    async with FolderSource([folder], corpus="default", url_base="", access=everyone, limits=Limits()) as source:
        documents = []
        for item in source.list():
            with suppress(SourceError):  # as the indexer: what can't be read is left out
                documents.append(await source.read(item))
    return [chunk for document in documents if everyone & document.access for chunk in chunker.chunk(document)]


def _bm25(chunks: Sequence[Chunk], text: str) -> Array:
    counts = [Counter(_words(chunk.passage)) for chunk in chunks]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths)
    scores = np.zeros(len(chunks))
    for word in set(_words(text)):
        having = sum(word in count for count in counts)
        rarity = math.log(1 + (len(counts) - having + 0.5) / (having + 0.5))
        for n, count in enumerate(counts):
            scores[n] += rarity * count[word] * (K1 + 1) / (count[word] + K1 * (1 - B + B * lengths[n] / mean))
    return scores


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _normalised(values: Array) -> Array:
    width = float(values.max() - values.min())
    out: Array = (values - values.min()) / width if width else np.ones_like(values)
    return out
