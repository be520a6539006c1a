"""The writer that asks a language model. What it writes is untrusted; the engine checks marks, links and support."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import replace

from crag.errors import LanguageModelError
from crag.llm import prompts
from crag.ports import LanguageModel
from crag.text import sentences
from crag.types import Evidence, Prompt

logger = logging.getLogger(__name__)

FRAME_TOKENS = 64
"""What a chat template adds around two messages, generously."""

_UNITS = re.compile(r"[A-Za-z]+|[^\sA-Za-z]|\n")


def estimate_tokens(text: str) -> int:
    """How many tokens a text has at most with common tokenizers, without one: a token for three letters, for each
    digit, sign and line end, and for two bytes of other scripts. About 1.5 times the truth for English prose."""
    return sum(_estimate(unit) for unit in _UNITS.findall(text))


def _estimate(unit: str) -> int:
    return -(-len(unit) // 3) if unit.isascii() else -(-len(unit.encode()) // 2)


class LLMWriter:
    """Satisfies crag.ports.Writer. `max_tokens` is the longest answer."""

    def __init__(self, model: LanguageModel, *, max_tokens: int = 500) -> None:
        self._model = model
        self._max_tokens = max_tokens

    @property
    def model(self) -> str:
        return self._model.model

    async def write(self, question: str, evidence: Sequence[Evidence]) -> AsyncIterator[str]:
        """The answer in pieces; `prompts.is_declined` tells whether the whole of it says "not in the evidence".
        Raises LanguageModelError, also in mid-stream."""
        if not evidence:
            yield prompts.DECLINED
            return
        prompt = prompts.write(question, self._fitting(question, evidence))
        stream = self._model.stream(prompt, max_tokens=self._max_tokens)
        try:
            async for piece in stream:
                yield piece
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()

    def _fitting(self, question: str, evidence: Sequence[Evidence]) -> Sequence[Evidence]:
        """As much evidence as the context window holds next to the answer: the weakest goes first; the best, if even
        it alone is too long, is cut at a sentence. Servers would cut silently, and mostly the rules at the top."""
        kept = list(evidence)
        while self._over(question, kept) > 0 and len(kept) > 1:
            kept.remove(min(kept, key=lambda e: (e.score, -e.number)))
        if self._over(question, kept) > 0:
            kept = [self._cut(question, kept[0])]
        if len(kept) < len(evidence):
            logger.warning(
                "The context window of %s (%d tokens) holds %d of %d passages; the weakest were left out.",
                self.model,
                self._model.context_window,
                len(kept),
                len(evidence),
            )
        return kept

    def _cut(self, question: str, passage: Evidence) -> Evidence:
        fitting = 0
        for strip in sentences(passage.text):
            if self._over(question, [replace(passage, text=passage.text[: strip.span[1]])]) > 0:
                break
            fitting = strip.span[1]
        if not fitting:
            raise LanguageModelError(
                f"Question and evidence don't fit into the {self._model.context_window} tokens that the language model"
                f" “{self.model}” can read.",
                advice="Ask in fewer words, or use a model with a larger context window.",
            )
        logger.warning("Passage %d was cut to fit the context window of %s.", passage.number, self.model)
        return replace(passage, text=passage.text[:fitting] + "\n[…]")

    def _over(self, question: str, evidence: Sequence[Evidence]) -> int:
        prompt: Prompt = prompts.write(question, evidence)
        needed = estimate_tokens(prompt.system) + estimate_tokens(prompt.user) + FRAME_TOKENS + self._max_tokens
        return needed - self._model.context_window
