"""The contract of `crag.ports.Embedder`: subclass it as `Test...` and say how to open one."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress

import pytest

from crag.ports import Embedder
from crag.types import Vector

PASSAGES = (
    "Unused leave days can be carried over until the end of March.",
    "The office in Porto opens at eight and has a bicycle cellar.",
    "Invoices are paid within thirty days of receipt.",
)
STRANGE = {
    "empty": "",
    "blank": " \n\t ",
    "punctuation": "?!… --- ,,,",
    "emoji": "🦊🚀👩‍👩‍👧‍👦",
    "japanese": "有給休暇は何日繰り越せますか。",
    "arabic": "كم عدد أيام الإجازة؟",
    "thai": "ลาพักร้อนได้กี่วัน",
    "nul": "before\x00after",
    "lone surrogate": "half a pair \ud83d of an emoji",
    "special tokens": "[SEP] [CLS] [PAD] </s> [MASK]",
    "one endless word": "a" * 10_000,
    "over the token limit": "carried over leave days " * 3_000,
}


def cosine(a: Vector, b: Vector) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


class EmbedderContract:
    """`tolerance` is how far the cosine of a text with itself may fall below 1 when it is embedded in other company
    (an int8 model shares its scales over a batch)."""

    tolerance = 1e-5

    def open(self) -> AbstractAsyncContextManager[Embedder]:
        """A new instance, always of the same model."""
        raise NotImplementedError

    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        async with self.open() as embedder:
            yield embedder

    def check(self, embedder: Embedder, vectors: Sequence[Vector], count: int) -> None:
        assert len(vectors) == count
        for vector in vectors:
            assert len(vector) == embedder.dimension
            assert math.sqrt(cosine(vector, vector)) == pytest.approx(1.0, abs=1e-4)

    def same(self, a: Vector, b: Vector) -> bool:
        return cosine(a, b) > 1 - self.tolerance

    async def test_no_texts_give_no_vectors(self, embedder: Embedder) -> None:
        assert list(await embedder.embed_passages([])) == []

    async def test_vectors_have_unit_length_and_the_stated_dimension(self, embedder: Embedder) -> None:
        self.check(embedder, await embedder.embed_passages(PASSAGES), len(PASSAGES))
        self.check(embedder, [await embedder.embed_query("How many days can I carry over?")], 1)

    async def test_vectors_come_in_the_order_of_their_texts(self, embedder: Embedder) -> None:
        together = await embedder.embed_passages(PASSAGES)
        alone = [(await embedder.embed_passages([text]))[0] for text in PASSAGES]
        for i, vector in enumerate(together):
            nearest = max(range(len(alone)), key=lambda j: cosine(vector, alone[j]))
            assert nearest == i
            assert self.same(vector, alone[i])

    async def test_64_passages_of_mixed_length_keep_their_order(self, embedder: Embedder) -> None:
        texts = [f"{PASSAGES[i % 3]} {i} " * (1 + i % 5) for i in range(64)]
        vectors = await embedder.embed_passages(texts)
        self.check(embedder, vectors, 64)
        backwards = await embedder.embed_passages(texts[::-1])
        for forward, backward in zip(vectors, reversed(backwards), strict=True):
            assert self.same(forward, backward)

    @pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE.keys())
    async def test_any_text_has_a_vector(self, embedder: Embedder, text: str) -> None:
        self.check(embedder, [await embedder.embed_query(text)], 1)
        self.check(embedder, await embedder.embed_passages([PASSAGES[0], text]), 2)

    async def test_parallel_calls_get_their_own_answers(self, embedder: Embedder) -> None:
        queries = [f"question {i} about {PASSAGES[i % 3]}" for i in range(8)]
        parallel = await asyncio.gather(*map(embedder.embed_query, queries))
        for query, vector in zip(queries, parallel, strict=True):
            assert self.same(vector, await embedder.embed_query(query))

    async def test_a_cancelled_call_does_not_break_the_next(self, embedder: Embedder) -> None:
        calls = [asyncio.create_task(embedder.embed_passages(PASSAGES * 10)) for _ in range(3)]
        await asyncio.sleep(0)
        for call in calls:
            call.cancel()
            with suppress(asyncio.CancelledError):
                await call
        self.check(embedder, await embedder.embed_passages(PASSAGES), len(PASSAGES))

    async def test_the_fingerprint_belongs_to_the_model_not_to_the_instance(self, embedder: Embedder) -> None:
        async with self.open() as twin:
            assert twin.model == embedder.model != ""
            assert twin.dimension == embedder.dimension
            assert self.same(await twin.embed_query(PASSAGES[0]), await embedder.embed_query(PASSAGES[0]))
