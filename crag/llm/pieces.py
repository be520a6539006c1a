"""From a server's pieces to an answer: the limits, the thinking taken out, nothing and too much refused."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from crag.llm import failures
from crag.llm.timeouts import Timeouts, limited
from crag.types import Completion

_OPEN, _CLOSE = "<think>", "</think>"
_CHARACTERS_A_TOKEN = 32
"""No tokenizer's average comes near it: more than this a token, and the server ignores its limit."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a completion as it arrives. An empty text is a sign of life (hidden thinking). `cut` marks the last
    piece of an answer that met its limit; `first_token` stands on the first piece, where it was asked for."""

    text: str = ""
    cut: bool = False
    first_token: Mapping[str, float] = field(default_factory=dict)


Pieces = AsyncGenerator[Piece, None]


async def collect(pieces: Pieces, timeouts: Timeouts, *, max_tokens: int) -> Completion:
    """The whole completion. Raises LanguageModelError, also where it ended without text or a probability."""
    text, cut = "", False
    first_token: Mapping[str, float] = {}
    async with aclosing(_bounded(pieces, timeouts, max_tokens)) as stream:
        async for piece in stream:
            text += piece.text
            cut = cut or piece.cut
            first_token = first_token or piece.first_token
    answer = _after_thinking(text)
    if not (answer or first_token or cut):
        raise failures.empty()
    return Completion(answer, finished=not cut, first_token=first_token)


async def visible(pieces: Pieces, timeouts: Timeouts, *, max_tokens: int) -> AsyncIterator[str]:
    """The answer's text as it comes. Raises LanguageModelError at the end where nothing came or it was cut."""
    thinking = _Thinking()
    started = cut = False
    async with aclosing(_bounded(pieces, timeouts, max_tokens)) as stream:
        async for piece in stream:
            cut = cut or piece.cut
            text = thinking.feed(piece.text)
            text = text if started else text.lstrip()
            if text:
                started = True
                yield text
    if rest := thinking.rest() if started else thinking.rest().strip():
        started = True
        yield rest
    if cut:
        raise failures.cut(max_tokens)
    if not started:
        raise failures.empty()


async def _bounded(pieces: Pieces, timeouts: Timeouts, max_tokens: int) -> Pieces:
    left = max_tokens * _CHARACTERS_A_TOKEN
    async with aclosing(limited(pieces, timeouts)) as stream:
        async for piece in stream:
            left -= len(piece.text)
            if left < 0:
                raise failures.endless(max_tokens)
            yield piece


def _after_thinking(text: str) -> str:
    """Some servers leave the opening tag in the prompt, so that the text begins in mid-thought."""
    answer = text.rpartition(_CLOSE)[2]
    return answer.partition(_OPEN)[0].strip()


class _Thinking:
    """Takes <think>…</think> out of a stream, also where a tag arrives split over pieces."""

    def __init__(self) -> None:
        self._held = ""
        self._inside = False

    def feed(self, text: str) -> str:
        self._held += text
        shown = ""
        while True:
            tag = _CLOSE if self._inside else _OPEN
            before, found, after = self._held.partition(tag)
            if not found:
                break
            shown += self._outside(before)
            self._held, self._inside = after, not self._inside
        keep = max(_begun(self._held, tag) for tag in (_OPEN, _CLOSE))
        shown += self._outside(self._held[: len(self._held) - keep])
        self._held = self._held[len(self._held) - keep :]
        return shown

    def rest(self) -> str:
        return self._outside(self._held)

    def _outside(self, text: str) -> str:
        if self._inside:
            return ""
        if _CLOSE in text:
            raise failures.thought_aloud()
        return text


def _begun(text: str, tag: str) -> int:
    """How many characters at the end of `text` may be the beginning of `tag`."""
    return next((size for size in range(len(tag) - 1, 0, -1) if text.endswith(tag[:size])), 0)
