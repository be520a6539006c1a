"""The contract of `crag.ports.Writer`: subclass it as `Test...` and say how to open one that works."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest

from crag.citations import cited
from crag.ports import Writer
from crag.types import Chunk, Evidence

QUESTION = "How many leave days can I carry over?"


def evidence(number: int, text: str, *, score: float = 0.9, title: str = "Leave") -> Evidence:
    """A numbered passage of a small document."""
    chunk = Chunk(f"c{number}", "d1", "leave.md", title, (title, "Carrying over"), text, (0, len(text)), "hash")
    return Evidence(number, chunk, text, score)


PASSAGES = (
    evidence(1, "You can carry over up to 8 leave days. They lapse at the end of March."),
    evidence(4, "The office in Lisbon is closed on Fridays.", score=0.5),
)


class WriterContract:
    def open(self) -> AbstractAsyncContextManager[Writer]:
        """One that answers QUESTION from PASSAGES."""
        raise NotImplementedError

    @pytest.fixture
    async def writer(self) -> AsyncIterator[Writer]:
        async with self.open() as writer:
            yield writer

    async def test_it_names_its_model(self, writer: Writer) -> None:
        assert writer.model

    async def test_an_answer_cites_only_supplied_numbers(self, writer: Writer) -> None:
        answer = "".join([piece async for piece in writer.write(QUESTION, PASSAGES)])
        assert "8" in answer
        assert set(cited(answer)) <= {1, 4}
        assert 1 in cited(answer)

    async def test_one_passage_is_enough(self, writer: Writer) -> None:
        answer = "".join([piece async for piece in writer.write(QUESTION, PASSAGES[:1])])
        assert cited(answer) == (1,)

    async def test_it_can_write_again(self, writer: Writer) -> None:
        first = [piece async for piece in writer.write(QUESTION, PASSAGES)]
        assert "".join(first) == "".join([piece async for piece in writer.write(QUESTION, PASSAGES)])
