"""The grader that asks a language model about each passage on its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from crag.errors import LanguageModelError
from crag.llm import prompts
from crag.llm.parsing import parse_judgement, yes_probability
from crag.llm.window import excess, too_long
from crag.ports import LanguageModel
from crag.types import Judgement, Prompt

Method = Literal["probability", "json"]

STATED_TOKENS = 160
"""Room for {grade, confidence, reason} with a reason of a few words."""

SILENT = 3
"""After so many answers in a row without probabilities the server has none, and grades are asked for as JSON."""


class LLMGrader:
    """Satisfies crag.ports.Grader. `method` "probability" takes the first token's P(Yes) and falls back to stated JSON
    where the server gives no probabilities or the model says something else. At most `concurrency` calls run at once,
    over all questions; of each passage the first `max_characters` are read, or what the context window holds."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        concurrency: int = 4,
        method: Method = "probability",
        max_characters: int = 800,
    ) -> None:
        self._model = model
        self._method: Method = method
        self._silent = 0
        self._max_characters = max_characters
        self._free = asyncio.Semaphore(concurrency)

    @property
    def model(self) -> str:
        """The method belongs to it: thresholds of one don't fit the other."""
        return f"{self._model.model} ({self._method})"

    async def grade(self, question: str, passages: Sequence[str]) -> Sequence[Judgement]:
        """One judgement a passage, in order. Where a call failed, its judgement is None with the error as the reason;
        where all failed, the first error is raised."""
        if not passages:
            return []
        tasks = [asyncio.create_task(self._attempt(question, p[: self._max_characters])) for p in passages]
        try:
            outcomes = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        errors = [o for o in outcomes if isinstance(o, LanguageModelError)]
        if errors and len(errors) == len(outcomes):
            raise errors[0]
        return [Judgement(None, str(o)) if isinstance(o, LanguageModelError) else o for o in outcomes]

    async def _attempt(self, question: str, passage: str) -> Judgement | LanguageModelError:
        async with self._free:
            try:
                return await self._judge(question, passage)
            except LanguageModelError as error:
                return error

    async def _judge(self, question: str, passage: str) -> Judgement:
        if self._method == "probability":
            prompt = self._fitting(prompts.grade_by_word, question, passage, max_tokens=1)
            answer = await self._model.complete(prompt, max_tokens=1, first_token=True)
            self._silent = 0 if answer.first_token else self._silent + 1
            if self._silent >= SILENT:
                self._method = "json"
            if answer.first_token and (score := yes_probability(answer.first_token)) is not None:
                return Judgement(score, f"P(Yes) {score:.2f}")
        prompt = self._fitting(prompts.grade_as_json, question, passage, max_tokens=STATED_TOKENS)
        answer = await self._model.complete(prompt, max_tokens=STATED_TOKENS, schema=prompts.GRADE_SCHEMA)
        return parse_judgement(answer.text)

    def _fitting(self, ask: Callable[[str, str], Prompt], question: str, passage: str, *, max_tokens: int) -> Prompt:
        """With as much of the passage as the context window holds. Raises LanguageModelError where the question alone
        fills it."""
        while excess(self._model, prompt := ask(question, passage), max_tokens) > 0:
            if not passage:
                raise too_long(self._model, "Question and passage")
            passage = passage[: len(passage) * 3 // 4]
        return prompt
