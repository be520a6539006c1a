"""Questions that are prepared while one is read."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from bot.proposing import prepared
from crag.errors import SearchError


class Made:
    """Numbers, with what became of them."""

    def __init__(self, last: int, error: Exception | None = None) -> None:
        self.made = 0
        self.closed = False
        self._last = last
        self._error = error

    async def numbers(self) -> AsyncGenerator[int, None]:
        try:
            while self.made < self._last:
                self.made += 1
                yield self.made
            if self._error:
                raise self._error
        finally:
            self.closed = True


async def test_some_are_ready_before_they_are_wanted_and_none_is_lost() -> None:
    source = Made(10)
    async with aclosing(prepared(source.numbers(), 3)) as items:
        first = await anext(items)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (first, 3 <= source.made <= 5) == (1, True)
        assert [item async for item in items] == list(range(2, 11))


async def test_what_goes_wrong_is_raised_after_what_was_made_before() -> None:
    items = prepared(Made(2, SearchError("gone")).numbers(), 5)
    assert [await anext(items), await anext(items)] == [1, 2]
    with pytest.raises(SearchError, match="gone"):
        await anext(items)


async def test_leaving_early_stops_the_making() -> None:
    source = Made(100)
    async with aclosing(prepared(source.numbers(), 3)) as items:
        await anext(items)
    assert source.closed
    assert source.made < 10
