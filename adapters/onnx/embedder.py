"""The shipped embedder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event

import numpy as np
from tokenizers import Encoding

from adapters.local_model import LocalModel
from adapters.onnx.network import Floats, Network, batches
from crag.types import Vector

MAX_TOKENS = 512
BATCH_TOKENS = 512


class OnnxEmbedder(LocalModel[Network]):
    """Text -> vector with a model whose graph pools. Open it with `async with`: that loads and warms it.

    `config.json` may name `query_prefix`, `passage_prefix` and `max_tokens`. Passages are computed in small batches
    that other requests get between, so that a question needn't wait for an indexing run.
    """

    service = "embedding model"

    def __init__(self, directory: Path, *, threads: int) -> None:
        super().__init__()
        self._directory = directory
        self._threads = threads
        self._dimension = 0

    @property
    def dimension(self) -> int:
        return self._dimension

    async def embed_query(self, text: str) -> Vector:
        return (await self._run(lambda network, _: _embed(network, [_encode(network, "query", text)])))[0]

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        vectors: dict[int, Vector] = {}
        encodings = await self._run(partial(_encode_all, texts))
        for batch in batches(encodings, BATCH_TOKENS):
            rows = await self._run(partial(_embed_some, [encodings[at] for at in batch]))
            vectors |= zip(batch, rows, strict=True)
        return [vectors[at] for at in range(len(texts))]

    def _load(self) -> Network:
        network = Network.load(self._directory, threads=self._threads, service=f"the {self.service}")
        self._dimension = len(_embed(network, [_encode(network, "passage", "warm " * 100)])[0])
        return network


def _encode_all(texts: Sequence[str], network: Network, stop: Event) -> list[Encoding]:
    return [_encode(network, "passage", text) for text in texts if not stop.is_set()]


def _encode(network: Network, kind: str, text: str) -> Encoding:
    limit = int(network.config.get("max_tokens", MAX_TOKENS))
    prefix = str(network.config.get(f"{kind}_prefix", ""))
    special = network.tokenizer.num_special_tokens_to_add(False)
    return network.tokenizer.post_process(network.encode(prefix + text, limit - special))


def _embed_some(encodings: Sequence[Encoding], network: Network, _: Event) -> list[Vector]:
    return _embed(network, encodings)


def _embed(network: Network, encodings: Sequence[Encoding]) -> list[Vector]:
    vectors: Floats = network.run(encodings)
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if vectors.ndim != 2 or not np.all(np.isfinite(length) & (length > 0)):
        raise ValueError(f"its vectors, of shape {vectors.shape}, have no length")
    unit: list[Vector] = (vectors / length).tolist()
    return unit
