"""Questions that a language model proposes of one passage; where it can't be used, the patterns propose."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from crag.errors import LanguageModelError
from crag.facts import numbers, uniform
from crag.llm import prompts
from crag.llm.parsing import json_objects
from crag.ports import LanguageModel
from crag.suggesting.passages import plain
from crag.suggesting.patterns import Patterns
from crag.suggesting.proposals import Kind, Proposal
from crag.text import clean, content_words, has_words, words
from crag.types import Chunk

MAX_TOKENS = 300
MAX_CHARACTERS = 1500
"""Of a passage, what the model reads."""
LONGEST = 200
"""Characters of a question that a person types."""
BORNE_OUT = 0.7
"""The share of an answer's words that must stand in its passage."""


class LLMSuggester:
    """Asks about one passage at a time. What it says is only proposed to a person, and checked against the index as
    the patterns' proposals are. After a failure it isn't asked again; `tell` gets a sentence then."""

    ahead = 1

    def __init__(self, model: LanguageModel, patterns: Patterns, tell: Callable[[str], None]) -> None:
        self._model = model
        self._patterns = patterns
        self._tell = tell
        self._failed = False

    async def propose(self, chunk: Chunk) -> Sequence[Proposal]:
        """An answerable question and a near miss; the patterns' proposals where there is nothing readable."""
        found: Sequence[Proposal] = ()
        if not self._failed:
            try:
                prompt = prompts.suggest(chunk, MAX_CHARACTERS)
                said = await self._model.complete(prompt, max_tokens=MAX_TOKENS, schema=prompts.SUGGEST_SCHEMA)
                found = read(said.text, chunk)
            except LanguageModelError as error:
                self._failed = True
                self._tell(f"{error.message} Going on without the language model.")
        return found or await self._patterns.propose(chunk)


def read(text: str, chunk: Chunk) -> list[Proposal]:
    """What a model's JSON proposes, as far as it fits the passage; [] where nothing can be read."""
    stated = next(iter(json_objects(text)), None)
    if stated is None:
        return []
    question, answer, near_miss, changed = (_line(stated, name) for name in prompts.SUGGESTED)
    if not (_asks(question) and _borne_out(answer, chunk)):
        return []
    found = [Proposal(question, Kind.WRITTEN, chunk, answer, answer)]
    if _asks(near_miss) and _is_changed(changed, near_miss, question, chunk):
        note = f"The model swapped in “{changed}”."
        telltale = rf"(?<!\w){re.escape(changed)}(?!\w)"
        found.append(Proposal(near_miss, Kind.WRITTEN_NEAR_MISS, chunk, answer, note=note, telltale=telltale))
    return found


def _line(stated: Mapping[str, object], name: str) -> str:
    value = stated.get(name)
    return " ".join(clean(value).split()) if isinstance(value, str) else ""


def _asks(question: str) -> bool:
    return has_words(question) and question.endswith(("?", "？")) and len(question) <= LONGEST


def _borne_out(answer: str, chunk: Chunk) -> bool:
    """Whether the answer is taken from the passage: its numbers, and most of its words."""
    passage = plain(chunk.passage)
    said = set(content_words(answer))
    return (
        bool(said)
        and numbers(uniform(answer)) <= numbers(uniform(passage))
        and len(said & set(content_words(passage))) >= BORNE_OUT * len(said)
    )


def _is_changed(changed: str, near_miss: str, question: str, chunk: Chunk) -> bool:
    """Whether the swapped words stand in the near miss and neither in the question nor in the passage."""
    said = " ".join(words(changed))
    return bool(said) and all(
        (f" {said} " in f" {' '.join(words(text))} ") is there
        for text, there in ((near_miss, True), (question, False), (plain(chunk.passage), False))
    )
