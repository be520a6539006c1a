"""The fakes keep the contracts, and do the few tricks that tests rely on."""

from __future__ import annotations

import math
from contextlib import AbstractAsyncContextManager, nullcontext

import pytest

from crag.ports import Embedder, Grader
from tests.contracts.embedder import PASSAGES, EmbedderContract, cosine
from tests.contracts.grader import QUESTION, GraderContract
from tests.fakes.models import FakeEmbedder, FakeGrader


class TestFakeEmbedder(EmbedderContract):
    def open(self) -> AbstractAsyncContextManager[Embedder]:
        return nullcontext(FakeEmbedder())

    async def test_related_texts_are_near(self, embedder: Embedder) -> None:
        query = await embedder.embed_query(QUESTION)
        leave, office, invoices = await embedder.embed_passages(PASSAGES)
        assert cosine(query, leave) > 0.5 > max(cosine(query, office), cosine(query, invoices))

    async def test_it_fails_after_as_many_passages_as_it_was_told(self) -> None:
        embedder = FakeEmbedder(fail_after=2)
        await embedder.embed_passages(["one", "two"])
        with pytest.raises(RuntimeError, match="told to fail"):
            await embedder.embed_passages(["three"])


class TestFakeGrader(GraderContract):
    def open(self) -> AbstractAsyncContextManager[Grader]:
        return nullcontext(FakeGrader())

    async def test_shared_words_raise_the_score(self, grader: Grader) -> None:
        leave, office, invoices = self.scores(await grader.grade(QUESTION, PASSAGES))
        assert leave > 0.5 > max(office, invoices)

    async def test_a_mapping_scripts_the_passages_that_hold_its_keys(self) -> None:
        grader = FakeGrader({"Porto": 0.97, "Invoices": None, "leave": math.nan})
        leave, office, invoices = [judgement.score for judgement in await grader.grade(QUESTION, PASSAGES)]
        assert (office, invoices) == (0.97, None)
        assert leave is not None
        assert math.isnan(leave)

    async def test_a_callable_scripts_every_pair(self) -> None:
        grader = FakeGrader(lambda question, passage: len(passage) / 100)
        assert [judgement.score for judgement in await grader.grade(QUESTION, ["x" * 30])] == [0.3]
        assert grader.calls == [(QUESTION, ("x" * 30,))]

    async def test_it_raises_what_it_was_told_to(self) -> None:
        with pytest.raises(OSError, match="gone"):
            await FakeGrader(error=OSError("gone")).grade(QUESTION, PASSAGES)
