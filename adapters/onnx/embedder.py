"""The shipped embedder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event

import numpy as np

from adapters.local_model import LocalModel
from adapters.onnx.network import Floats, Network
from crag.types import Vector

MAX_TOKENS = 512


class OnnxEmbedder(LocalModel[Network]):
    """Text -> vector with a model whose graph pools. Open it with `async with`: that loads and warms it.

    `config.json` may name `query_prefix`, `passage_prefix` and `max_tokens`. Each text is computed alone: an int8
    network shares its scales over a batch, so that a text's vector would depend on its company (cosines by .006), for
    7 % less CPU time. It also lets a question get between any two passages of an indexing run.
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
        return await self._run(partial(_embed, "query", text))

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [await self._run(partial(_embed, "passage", text)) for text in texts]

    def _load(self) -> Network:
        network = Network.load(self._directory, threads=self._threads, service=f"the {self.service}")
        self._dimension = len(_embed("passage", "warm " * 100, network, Event()))
        return network


def _embed(kind: str, text: str, network: Network, _: Event) -> Vector:
    limit = int(network.config.get("max_tokens", MAX_TOKENS)) - network.tokenizer.num_special_tokens_to_add(False)
    prefix = str(network.config.get(f"{kind}_prefix", ""))
    vectors: Floats = network.run([network.tokenizer.post_process(network.encode(prefix + text, limit))])
    length = float(np.linalg.norm(vectors))
    if vectors.ndim != 2 or not 0 < length < np.inf:
        raise ValueError(f"its vector, of shape {vectors.shape}, has no length")
    unit: list[float] = (vectors[0] / length).tolist()
    return unit
