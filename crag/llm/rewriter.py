"""The rewriter that asks a language model. Its words are only ever searched for, never shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from crag.llm import prompts
from crag.llm.parsing import parse_text
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
        """None where the answer is empty, unreadable, the same question, or in another script."""
        asked = words(question)
        abbreviations = {w: glossary.abbreviations[w] for w in asked if w in glossary.abbreviations}
        query = await self._query(prompts.rewrite(question, near, abbreviations), question)
        return Rewrite(query) if query and words(query) != asked else None

    async def standalone(self, question: str, history: Sequence[Turn]) -> str:
        """The question itself where there is no history, or the answer can't be used."""
        if not history:
            return question
        return await self._query(prompts.standalone(question, history), question) or question

    async def _query(self, prompt: Prompt, question: str) -> str | None:
        answer = await self._model.complete(prompt, max_tokens=MAX_TOKENS, schema=prompts.REWRITE_SCHEMA)
        query = clean(parse_text(answer.text, "query") or "")
        usable = has_words(query) and len(query) <= MAX_CHARACTERS and _scripts(query) & _scripts(question)
        return query if usable else None


def _scripts(text: str) -> set[str]:
    """The writing systems of a text's letters: {"LATIN"}, {"CYRILLIC", "LATIN"}, {"CJK"}. A query that shares none with
    its question was translated."""
    return {unicodedata.name(c, "UNKNOWN").split()[0] for c in text if c.isalpha()} or {"NONE"}
