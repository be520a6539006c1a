"""An embedder and a grader without weights: deterministic, instant, and right about plain word overlap."""

from __future__ import annotations

import asyncio
import math
import re
import zlib
from collections.abc import Callable, Mapping, Sequence

from crag.types import Judgement, Vector

Score = float | None
Script = Mapping[str, Score] | Callable[[str, str], Score]

_STOP = frozenset(
    "a an and are as at be by can do does for from has have how i if in is it its may must my not of on or our should "
    "that the their there they this to was we were what when where which who why will with you your".split()
)


def content_words(text: str) -> list[str]:
    """The words that carry meaning, lower-case, cut to six letters: "carry over" meets "carried over"'s neighbours."""
    return [word[:6] for word in re.findall(r"\w+", text.casefold()) if word not in _STOP]


class FakeEmbedder:
    """A hashed bag of words, unit length: texts that share words are near. A text without words has an axis of its own.

    `fail_after` passages (counted over all calls) every further call raises `error`; `delay` seconds pass in each call.
    `texts` records what was embedded, queries and passages, in order.
    """

    def __init__(
        self,
        *,
        model: str = "fake-embedder-1",
        dimension: int = 256,
        fail_after: int | None = None,
        error: Exception | None = None,
        delay: float = 0.0,
    ) -> None:
        self.model = model
        self.dimension = dimension
        self.fail_after = fail_after
        self.error = error
        self.delay = delay
        self.texts: list[str] = []
        self._embedded = 0

    async def embed_query(self, text: str) -> Vector:
        return (await self._embed([text], passages=0))[0]

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        return await self._embed(texts, passages=len(texts))

    async def _embed(self, texts: Sequence[str], *, passages: int) -> list[Vector]:
        await asyncio.sleep(self.delay)
        if self.fail_after is not None and self._embedded + passages > self.fail_after:
            raise self.error or RuntimeError("the fake embedder was told to fail")
        self._embedded += passages
        self.texts.extend(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        values = [0.0] * self.dimension
        for word in content_words(text):
            values[1 + zlib.crc32(word.encode("utf-8", "replace")) % (self.dimension - 1)] += 1.0
        norm = math.sqrt(sum(value * value for value in values))
        if norm == 0.0:
            values[0] = norm = 1.0
        return tuple(value / norm for value in values)


class FakeGrader:
    """Scores a passage by the share of the question's content words that it holds, unless a script says otherwise.

    `script` is a mapping (the first key that stands in the passage gives the score) or a callable (question, passage);
    either may give None or NaN, a callable may raise; a passage that the mapping doesn't know is scored by its words.
    `error` makes every call raise. `calls` records (question, passages).
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        model: str = "fake-grader-1",
        error: Exception | None = None,
        delay: float = 0.0,
    ) -> None:
        self.model = model
        self.script = script
        self.error = error
        self.delay = delay
        self.calls: list[tuple[str, tuple[str, ...]]] = []

    async def grade(self, question: str, passages: Sequence[str]) -> Sequence[Judgement]:
        self.calls.append((question, tuple(passages)))
        await asyncio.sleep(self.delay)
        if self.error is not None:
            raise self.error
        return [Judgement(self._score(question, passage)) for passage in passages]

    def _score(self, question: str, passage: str) -> Score:
        if callable(self.script):
            return self.script(question, passage)
        for key, score in (self.script or {}).items():
            if key in passage:
                return score
        return overlap(question, passage)


def overlap(question: str, passage: str) -> float:
    """The share of the question's content words that stand in the passage, between .01 and .99."""
    asked = set(content_words(question))
    if not asked:
        return 0.01
    return 0.01 + 0.98 * len(asked & set(content_words(passage))) / len(asked)
