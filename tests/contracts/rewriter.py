"""The contract of `crag.ports.Rewriter`: subclass it as `Test...` and say how to open one that works."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest

from crag.ports import Rewriter
from crag.types import Chunk, Glossary, Turn

GLOSSARY = Glossary({"pto": "paid time off"}, {"paid": 3, "time": 4, "off": 2, "carried": 1})
QUESTION = "How much PTO can I keep?"


def chunk(heading: str) -> Chunk:
    return Chunk("c1", "d1", "leave.md", "Leave", ("Leave", heading), "Text.", (0, 5), "hash")


class RewriterContract:
    def open(self) -> AbstractAsyncContextManager[Rewriter]:
        """One that has a better idea for QUESTION with GLOSSARY."""
        raise NotImplementedError

    @pytest.fixture
    async def rewriter(self) -> AsyncIterator[Rewriter]:
        async with self.open() as rewriter:
            yield rewriter

    async def test_it_names_its_model(self, rewriter: Rewriter) -> None:
        assert rewriter.model

    async def test_a_rewrite_is_another_query(self, rewriter: Rewriter) -> None:
        rewrite = await rewriter.rewrite(QUESTION, [chunk("Carrying over")], GLOSSARY)
        assert rewrite
        assert rewrite.query.strip()
        assert rewrite.query.casefold() != QUESTION.casefold()

    async def test_a_rewrite_without_anything_near_is_a_query_or_none(self, rewriter: Rewriter) -> None:
        rewrite = await rewriter.rewrite(QUESTION, [], Glossary())
        assert rewrite is None or rewrite.query.strip()

    async def test_without_history_the_question_stands_as_it_is(self, rewriter: Rewriter) -> None:
        assert await rewriter.standalone(QUESTION, []) == QUESTION

    async def test_with_history_there_is_a_question(self, rewriter: Rewriter) -> None:
        history = [Turn("What is the leave policy?"), Turn("25 days a year [1].", by_bot=True)]
        assert (await rewriter.standalone("And in Porto?", history)).strip()
