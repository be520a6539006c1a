"""The contract of `crag.ports.Grader`: subclass it as `Test...` and say how to open one. It holds for a working grader;
what a broken one does stands beside its implementation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress

import pytest

from crag.ports import Grader
from crag.types import Judgement
from tests.contracts.embedder import PASSAGES, STRANGE

QUESTION = "How many unused leave days can I carry over?"


class GraderContract:
    """`tolerance` is how far a passage's score may move when it is graded in other company (an int8 model shares its
    scales over a batch)."""

    tolerance = 1e-4

    def open(self) -> AbstractAsyncContextManager[Grader]:
        """A new instance, always of the same model."""
        raise NotImplementedError

    @pytest.fixture
    async def grader(self) -> AsyncIterator[Grader]:
        async with self.open() as grader:
            yield grader

    def check(self, judgements: Sequence[Judgement], count: int) -> None:
        assert len(judgements) == count
        for judgement in judgements:
            assert judgement.score is None or 0.0 <= judgement.score <= 1.0

    def scores(self, judgements: Sequence[Judgement]) -> list[float]:
        scores = [judgement.score for judgement in judgements if judgement.score is not None]
        assert len(scores) == len(judgements)
        return scores

    async def test_no_passages_give_no_judgements(self, grader: Grader) -> None:
        assert list(await grader.grade(QUESTION, [])) == []

    async def test_judgements_come_in_the_order_of_their_passages(self, grader: Grader) -> None:
        together = self.scores(await grader.grade(QUESTION, PASSAGES))
        alone = [self.scores(await grader.grade(QUESTION, [text]))[0] for text in PASSAGES]
        backwards = self.scores(await grader.grade(QUESTION, PASSAGES[::-1]))
        assert len(set(together)) > 1
        assert together == pytest.approx(alone, abs=self.tolerance)
        assert together == pytest.approx(backwards[::-1], abs=self.tolerance)

    async def test_64_passages_of_mixed_length_keep_their_order(self, grader: Grader) -> None:
        passages = [f"{PASSAGES[i % 3]} {i} " * (1 + i % 5) for i in range(64)]
        judgements = await grader.grade(QUESTION, passages)
        self.check(judgements, 64)
        backwards = await grader.grade(QUESTION, passages[::-1])
        assert self.scores(judgements) == pytest.approx(self.scores(backwards)[::-1], abs=self.tolerance)

    @pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE.keys())
    async def test_any_text_is_judged_as_question_and_as_passage(self, grader: Grader, text: str) -> None:
        self.check(await grader.grade(QUESTION, [PASSAGES[0], text]), 2)
        self.check(await grader.grade(text, PASSAGES), len(PASSAGES))
        self.check(await grader.grade(text, [text]), 1)

    async def test_parallel_calls_get_their_own_judgements(self, grader: Grader) -> None:
        questions = [f"{QUESTION} {i} {PASSAGES[i % 3]}" for i in range(8)]
        parallel = await asyncio.gather(*(grader.grade(question, PASSAGES) for question in questions))
        for question, judgements in zip(questions, parallel, strict=True):
            alone = self.scores(await grader.grade(question, PASSAGES))
            assert self.scores(judgements) == pytest.approx(alone, abs=self.tolerance)

    async def test_a_cancelled_call_does_not_break_the_next(self, grader: Grader) -> None:
        calls = [asyncio.create_task(grader.grade(QUESTION, PASSAGES * 10)) for _ in range(3)]
        await asyncio.sleep(0)
        for call in calls:
            call.cancel()
            with suppress(asyncio.CancelledError):
                await call
        self.check(await grader.grade(QUESTION, PASSAGES), len(PASSAGES))

    async def test_the_fingerprint_belongs_to_the_model_not_to_the_instance(self, grader: Grader) -> None:
        async with self.open() as twin:
            assert twin.model == grader.model != ""
            again = self.scores(await twin.grade(QUESTION, PASSAGES))
            assert self.scores(await grader.grade(QUESTION, PASSAGES)) == pytest.approx(again, abs=self.tolerance)
