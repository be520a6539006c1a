"""What ails a language model is said where admins look: in the log, and in the status until a call succeeds."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import contextmanager

from crag.errors import LanguageModelError
from crag.ports import LanguageModel
from crag.types import Completion, Prompt

log = logging.getLogger(__name__)


class Watched:
    """A LanguageModel. `problem` is the last call's failure with its advice, "" where it succeeded."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.problem = ""

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
        with self._watching():
            return await self._model.complete(prompt, max_tokens=max_tokens, schema=schema, first_token=first_token)

    async def stream(self, prompt: Prompt, *, max_tokens: int) -> AsyncIterator[str]:
        pieces = self._model.stream(prompt, max_tokens=max_tokens)
        try:
            with self._watching():
                async for piece in pieces:
                    yield piece
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    @contextmanager
    def _watching(self) -> Iterator[None]:
        try:
            yield
        except LanguageModelError as error:
            if str(error) != self.problem:
                log.warning("%s", error)
            self.problem = str(error)
            raise
        self.problem = ""
