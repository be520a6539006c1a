"""The rewriter that asks a language model. Its words are searched for; what a follow-up was read as is also
told, without links."""

from __future__ import annotations

from collections.abc import Sequence

from crag.languages import may_share_a_language
from crag.llm import prompts
from crag.llm.parsing import parse_text
from crag.llm.window import excess
from crag.ports import LanguageModel
from crag.text import clean, has_words, words
from crag.types import Chunk, Glossary, Prompt, Rewrite, Turn

MAX_TOKENS = 120
MAX_CHARACTERS = 400
"""A longer query is an answer or a babble."""


class LLMRewriter:
    """Satisfies crag.ports.Rewriter."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def model(self) -> str:
        return self._model.model

    async def rewrite(self, question: str, near: Sequence[Chunk], glossary: Glossary) -> Rewrite | None:
        """None where the answer is empty, unreadable, the same question, or in another language, and where the question
        fills the model's context window."""
        asked = words(question)
        abbreviations = {w: glossary.abbreviations[w] for w in asked if w in glossary.abbreviations}
        prompt = prompts.rewrite(question, near, abbreviations)
        if excess(self._model, prompt, MAX_TOKENS) > 0:
            prompt = prompts.rewrite(question, [], {})
        query = await self._query(prompt, question)
        return Rewrite(query) if query and words(query) != asked else None

    async def standalone(self, question: str, history: Sequence[Turn]) -> str:
        """The question itself where there is no history, or the answer can't be used."""
        if not history:
            return question
        turns = list(history)
        while turns and excess(self._model, prompts.standalone(question, turns), MAX_TOKENS) > 0:
            del turns[0]
        return await self._query(prompts.standalone(question, turns), question) or question

    async def _query(self, prompt: Prompt, question: str) -> str | None:
        if excess(self._model, prompt, MAX_TOKENS) > 0:
            return None
        answer = await self._model.complete(prompt, max_tokens=MAX_TOKENS, schema=prompts.REWRITE_SCHEMA)
        query = clean(parse_text(answer.text, "query") or "")
        usable = has_words(query) and len(query) <= MAX_CHARACTERS and may_share_a_language(query, question)
        return query if usable else None
