"""The three limits of a call, over a stream of anything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from crag.errors import LanguageModelError
from crag.llm.timeouts import Timeouts, limited


class Source:
    """Yields one piece after each pause, and remembers whether it was closed."""

    def __init__(self, pauses: Sequence[float]) -> None:
        self.pauses = pauses
        self.closed = False

    async def pieces(self) -> AsyncGenerator[int, None]:
        try:
            for number, pause in enumerate(self.pauses):
                await asyncio.sleep(pause)
                yield number
        finally:
            self.closed = True


async def test_pieces_in_time_pass_unchanged() -> None:
    source = Source([0, 0, 0])
    assert [p async for p in limited(source.pieces(), Timeouts())] == [0, 1, 2]
    assert source.closed


@pytest.mark.parametrize(
    ("pauses", "timeouts", "words"),
    [
        ([60], Timeouts(first_token=0.02), "didn't begin to answer within 0.02 s"),
        ([0, 60], Timeouts(idle=0.02), "fell silent for 0.02 s in mid-answer"),
        ([0.01] * 1000, Timeouts(total=0.05), "didn't finish within 0.05 s"),
        ([60], Timeouts(total=0.02), "didn't finish within 0.02 s"),
    ],
)
async def test_a_crossed_limit_is_named_and_closes_the_stream(
    pauses: Sequence[float], timeouts: Timeouts, words: str
) -> None:
    source = Source(pauses)
    with pytest.raises(LanguageModelError, match=words.replace(".", r"\.")):
        [p async for p in limited(source.pieces(), timeouts)]
    assert source.closed


async def test_a_slow_first_piece_is_allowed_more_than_a_pause() -> None:
    source = Source([0.1, 0])
    assert [p async for p in limited(source.pieces(), Timeouts(first_token=10, idle=0.05))] == [0, 1]


async def test_a_stream_that_never_waits_still_ends_at_the_total() -> None:
    async def busy() -> AsyncGenerator[int, None]:
        while True:
            yield 1

    with pytest.raises(LanguageModelError, match="didn't finish"):
        [p async for p in limited(busy(), Timeouts(total=0.02))]


async def test_time_that_the_reader_takes_is_not_a_pause() -> None:
    read = []
    async for piece in limited(Source([0, 0]).pieces(), Timeouts(idle=0.01)):
        await asyncio.sleep(0.05)
        read.append(piece)
    assert read == [0, 1]


async def test_leaving_early_closes_the_stream() -> None:
    source = Source([0, 60])
    stream = limited(source.pieces(), Timeouts())
    await anext(stream)
    await stream.aclose()
    assert source.closed


async def test_cancelling_closes_the_stream() -> None:
    source = Source([60])
    task = asyncio.create_task(anext(limited(source.pieces(), Timeouts())))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert source.closed
