"""The limits of one call to a language model, put around any stream of pieces.

The clients' own timeouts don't do: openai's is 600 s a read, ollama has none, and neither knows a first token or a
whole. Here they stand once, for every adapter.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar

from crag.errors import LanguageModelError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: `first_token` until the first piece (it includes loading the model and reading the prompt), `idle`
    between two pieces, `total` for all of it. What the consumer does between two pieces counts in `total` only."""

    first_token: float = 30.0
    idle: float = 15.0
    total: float = 45.0


async def limited(pieces: AsyncGenerator[T, None], timeouts: Timeouts) -> AsyncGenerator[T, None]:
    """The same pieces, until one of the limits is crossed: LanguageModelError. The stream is closed in any case, so
    that its server is free again."""
    clock = asyncio.get_running_loop().time
    end = clock() + timeouts.total
    first = True
    async with aclosing(pieces):
        while True:
            deadline = min(end, clock() + (timeouts.first_token if first else timeouts.idle))
            try:
                async with asyncio.timeout_at(deadline):
                    piece = await anext(pieces)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise _too_slow(timeouts, first=first, whole=deadline == end) from None
            if clock() >= end:
                raise _too_slow(timeouts, first=False, whole=True)
            first = False
            yield piece


def _too_slow(timeouts: Timeouts, *, first: bool, whole: bool) -> LanguageModelError:
    if whole:
        message = f"The language model didn't finish within {timeouts.total:g} s."
    elif first:
        message = f"The language model didn't begin to answer within {timeouts.first_token:g} s."
    else:
        message = f"The language model fell silent for {timeouts.idle:g} s in mid-answer."
    return LanguageModelError(message, advice="It may be loading or overloaded: try again in a moment.")
