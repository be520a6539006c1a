"""A daily cap on calls of language models: each is counted before it is made, and beyond the cap none is made."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from datetime import UTC, date, datetime

from bot.desk import words
from bot.desk.ports import Journal
from crag.errors import LanguageModelError
from crag.ports import LanguageModel
from crag.types import Completion, Prompt

COUNTER = "llm_calls"
FRESH_S = 10.0
"""How long the journal's count is trusted before it is asked again: other processes count as well."""


class Budget:
    """`limit` calls a day (UTC). `on_spent` is called with the day whenever a call is refused. `now` is in seconds
    since 1970."""

    def __init__(
        self,
        journal: Journal,
        limit: int,
        on_spent: Callable[[date], None],
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._journal = journal
        self.limit = limit
        self._on_spent = on_spent
        self._now = now
        self._day: date | None = None
        self._used = 0
        self._asked_at = float("-inf")

    async def used(self) -> int:
        """Calls of today so far."""
        day = datetime.fromtimestamp(self._now(), UTC).date()
        if day != self._day:
            self._day, self._used, self._asked_at = day, 0, float("-inf")
        if self._now() - self._asked_at >= FRESH_S:
            self._asked_at = self._now()
            counted = await self._journal.count(COUNTER, day)
            if day == self._day:
                self._used = max(self._used, counted)
        return self._used

    async def left(self) -> bool:
        """Whether one more call may be made today."""
        if await self.used() < self.limit:
            return True
        assert self._day is not None  # noqa: S101 - `used` has set it
        self._on_spent(self._day)
        return False

    async def spend(self) -> None:
        """Count one call. Raises LanguageModelError where none is left."""
        if not await self.left():
            raise LanguageModelError(words.spent(self.limit))
        assert self._day is not None  # noqa: S101 - `used` has set it
        self._used += 1
        self._journal.bump(COUNTER, self._day)


class Metered:
    """A LanguageModel whose calls are counted."""

    def __init__(self, model: LanguageModel, budget: Budget) -> None:
        self._model = model
        self._budget = budget

    @property
    def model(self) -> str:
        return self._model.model

    @property
    def context_window(self) -> int:
        return self._model.context_window

    async def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        first_token: bool = False,
    ) -> Completion:
        await self._budget.spend()
        return await self._model.complete(prompt, max_tokens=max_tokens, schema=schema, first_token=first_token)

    async def stream(self, prompt: Prompt, *, max_tokens: int) -> AsyncIterator[str]:
        await self._budget.spend()
        pieces = self._model.stream(prompt, max_tokens=max_tokens)
        try:
            async for piece in pieces:
                yield piece
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()
