"""The writer that asks a language model. What it writes is untrusted; the engine checks marks, links and support."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import replace

from crag.llm import prompts
from crag.llm.window import excess, too_long
from crag.ports import LanguageModel
from crag.text import sentences
from crag.types import Evidence

logger = logging.getLogger(__name__)


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
            raise too_long(self._model, "Question and evidence")
        logger.warning("Passage %d was cut to fit the context window of %s.", passage.number, self.model)
        return replace(passage, text=passage.text[:fitting] + "\n[…]")

    def _over(self, question: str, evidence: Sequence[Evidence]) -> int:
        return excess(self._model, prompts.write(question, evidence), self._max_tokens)
