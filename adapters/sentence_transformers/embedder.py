"""Any sentence-transformers embedder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import Event

import numpy as np
from sentence_transformers import SentenceTransformer

from adapters.local_model import LocalModel
from adapters.sentence_transformers.weights import Weights, fingerprint, load, readable
from crag.types import Vector

BATCH = 16
"""Passages computed at once; a question gets between two such batches of an indexing run."""

Loaded = Weights[SentenceTransformer]


class SentenceTransformersEmbedder(LocalModel[Loaded]):
    """Open it with `async with`: that loads and warms the model `name_or_path` on `device` ("cpu", "cuda", ...; None:
    what the library finds). Where a prefix is empty, the model's own prompt for queries or documents applies."""

    service = "embedding model"

    def __init__(self, name_or_path: str, *, device: str | None, query_prefix: str, passage_prefix: str) -> None:
        super().__init__()
        self._name = name_or_path
        self._device = device
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._dimension = 0

    @property
    def dimension(self) -> int:
        return self._dimension

    async def embed_query(self, text: str) -> Vector:
        return (await self._run(partial(self._queries, [text])))[0]

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        vectors: dict[int, Vector] = {}
        order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            vectors |= zip(batch, await self._run(partial(self._passages, [texts[at] for at in batch])), strict=True)
        return [vectors[at] for at in range(len(texts))]

    def _queries(self, texts: Sequence[str], model: Loaded, _: Event) -> list[Vector]:
        network, prompt = model.network, self._query_prefix or None
        read = [readable(text, network) for text in texts]
        return _unit(network.encode_query(read, prompt=prompt, show_progress_bar=False))

    def _passages(self, texts: Sequence[str], model: Loaded, _: Event) -> list[Vector]:
        network, prompt = model.network, self._passage_prefix or None
        read = [readable(text, network) for text in texts]
        return _unit(network.encode_document(read, prompt=prompt, show_progress_bar=False))

    def _load(self) -> Loaded:
        network = load(SentenceTransformer, self._name, self._device, self.service)
        settings = self._query_prefix, self._passage_prefix, network.max_seq_length, network.prompts
        model = Weights(fingerprint(self._name, network, *settings), network)
        self._dimension = len(self._passages(["warm"], model, Event())[0])
        return model


def _unit(vectors: np.ndarray) -> list[Vector]:
    floats = vectors.astype(np.float32)
    length = np.linalg.norm(floats, axis=1, keepdims=True)
    if not np.all(np.isfinite(length) & (length > 0)):
        raise ValueError("it gave a vector without length")
    unit: list[Vector] = (floats / length).tolist()
    return unit
