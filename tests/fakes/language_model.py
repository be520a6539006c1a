"""A language model without a model: it says what the script says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from crag.errors import LanguageModelError
from crag.llm.pieces import Piece, Pieces, collect, visible
from crag.llm.timeouts import Timeouts
from crag.types import Completion, Prompt

Line = str | Completion | Exception
Script = Line | Sequence[Line] | Callable[[Prompt], Line]


class ScriptedLanguageModel:
    """Satisfies crag.ports.LanguageModel. `script` is one line for every call, or one a call in order, or a function
    of the prompt. An exception is raised, in a stream after `fail_after` pieces; a Completion brings its first-token
    probabilities. `prompts` and `schemas` record what was asked; `hang` makes every call wait for ever."""

    def __init__(
        self,
        script: Script = "It is so [1].",
        *,
        model: str = "scripted",
        context_window: int = 8192,
        fail_after: int = 0,
        hang: bool = False,
        timeouts: Timeouts | None = None,
    ) -> None:
        self.model = model
        self.context_window = context_window
        self.script = script
        self.fail_after = fail_after
        self.hang = hang
        self.prompts: list[Prompt] = []
        self.schemas: list[Mapping[str, object] | None] = []
        self.running = 0
        self.most_at_once = 0
        self._timeouts = timeouts or Timeouts()

    async def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        first_token: bool = False,
    ) -> Completion:
        return await collect(self._pieces(prompt, schema, first_token), self._timeouts, max_tokens=max_tokens)

    def stream(self, prompt: Prompt, *, max_tokens: int) -> AsyncIterator[str]:
        return visible(self._pieces(prompt, None, False), self._timeouts, max_tokens=max_tokens)

    async def _pieces(self, prompt: Prompt, schema: Mapping[str, object] | None, first_token: bool) -> Pieces:
        self.prompts.append(prompt)
        self.schemas.append(schema)
        line = self._line(prompt)
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        try:
            await asyncio.sleep(3600 if self.hang else 0)
            if isinstance(line, Exception):
                for _ in range(self.fail_after):
                    yield Piece("so far ")
                raise line
            said = Completion(line) if isinstance(line, str) else line
            first = said.first_token if first_token else {}
            for at in range(0, len(said.text), 7):
                yield Piece(said.text[at : at + 7], first_token=first if at == 0 else {})
            if not said.finished or (first and not said.text):
                yield Piece(cut=not said.finished, first_token=first)
        finally:
            self.running -= 1

    def _line(self, prompt: Prompt) -> Line:
        if callable(self.script):
            return self.script(prompt)
        if isinstance(self.script, str | Completion | Exception):
            return self.script
        at = len(self.prompts) - 1
        if at >= len(self.script):
            raise AssertionError(f"the script has {len(self.script)} lines, this is call {at + 1}")
        return self.script[at]


def refused_key() -> LanguageModelError:
    """What a wrong key looks like."""
    return LanguageModelError("The language model's server refused the key (HTTP 401).")
