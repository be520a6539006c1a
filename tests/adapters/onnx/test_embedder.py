"""The shipped embedder."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AbstractAsyncContextManager

import numpy as np
import pytest

from adapters.onnx import OnnxEmbedder
from adapters.onnx.network import Floats, Network
from crag.errors import ModelError
from crag.ports import Embedder
from tests.adapters.onnx.conftest import MODELS, open_embedder
from tests.contracts.embedder import PASSAGES, EmbedderContract, cosine
from tests.contracts.grader import QUESTION


class TestOnnxEmbedder(EmbedderContract):
    def open(self) -> AbstractAsyncContextManager[Embedder]:
        return open_embedder()

    @pytest.fixture
    def embedder(self, shipped_embedder: OnnxEmbedder) -> Embedder:
        return shipped_embedder


async def test_a_question_is_nearest_to_the_passage_that_answers_it(shipped_embedder: OnnxEmbedder) -> None:
    query = await shipped_embedder.embed_query(QUESTION)
    leave, office, invoices = await shipped_embedder.embed_passages(PASSAGES)
    assert cosine(query, leave) > max(cosine(query, office), cosine(query, invoices)) + 0.02


async def test_queries_and_passages_are_embedded_with_prefixes_of_their_own(shipped_embedder: OnnxEmbedder) -> None:
    query = await shipped_embedder.embed_query(PASSAGES[0])
    (passage,) = await shipped_embedder.embed_passages(PASSAGES[:1])
    assert cosine(query, passage) < 0.999


async def test_what_stands_past_the_token_limit_is_not_read(shipped_embedder: OnnxEmbedder) -> None:
    beginning = "leave days " * 600
    one, other = [
        (await shipped_embedder.embed_passages([beginning + end]))[0] for end in ("in Porto", "of the invoice")
    ]
    assert one == other


async def test_the_fingerprint_names_the_model(shipped_embedder: OnnxEmbedder) -> None:
    assert shipped_embedder.model.startswith("candor-e5-small-v1-")
    assert shipped_embedder.dimension == 384


async def test_a_model_that_is_not_open_says_so() -> None:
    with pytest.raises(ModelError, match="isn't loaded"):
        await OnnxEmbedder(MODELS / "embedder", threads=1).embed_query("hello")


async def test_a_question_gets_between_the_batches_of_an_indexing_run(shipped_embedder: OnnxEmbedder) -> None:
    finished: list[str] = []
    texts = [f"{PASSAGES[0]} " * 20 for _ in range(12)]
    indexing = asyncio.create_task(shipped_embedder.embed_passages(texts))
    indexing.add_done_callback(lambda _: finished.append("indexing"))
    await asyncio.sleep(0)
    await shipped_embedder.embed_query("How long is the queue?")
    finished.append("question")
    await indexing
    assert finished == ["question", "indexing"]


async def test_nothing_is_computed_on_the_event_loop(
    shipped_embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: set[int] = set()
    run = Network.run

    def spy(self: Network, encodings: list[object]) -> Floats:
        threads.add(threading.get_ident())
        return run(self, encodings)  # type: ignore[arg-type]

    monkeypatch.setattr(Network, "run", spy)
    await asyncio.gather(shipped_embedder.embed_query("one"), shipped_embedder.embed_passages(PASSAGES))
    assert len(threads) == 1
    assert threading.get_ident() not in threads


async def test_a_vector_that_is_no_number_fails_the_call_and_not_the_next(
    shipped_embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Network, "run", lambda self, encodings: np.full((len(encodings), 384), np.nan, np.float32))
        with pytest.raises(ModelError, match="has no length"):
            await shipped_embedder.embed_query("one")
    assert len(await shipped_embedder.embed_query("one")) == 384
