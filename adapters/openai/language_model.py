"""A chat model behind OpenAI's chat completions API: OpenAI itself, or any compatible server (vLLM, llama.cpp, Ollama).

Compatible means most of it: a server that refuses an optional parameter is asked again without it, and that is
remembered. Everything is streamed, so that closing the connection frees the server.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Self

import httpx2
import openai
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice

from crag.errors import LanguageModelError
from crag.llm import failures
from crag.llm.pieces import Piece, Pieces, collect, visible
from crag.llm.timeouts import Timeouts
from crag.types import Completion, Prompt

TOP = 20
"""How many first tokens are asked for; OpenAI allows no more."""

OPENAI = "https://api.openai.com/v1"


class OpenAILanguageModel:
    """Satisfies crag.ports.LanguageModel; use it in `async with`. `retries` are for 429, 5xx and a refused connection,
    within the limit for the first token. `key_setting` is what an error names when the server refuses the key."""

    def __init__(
        self,
        *,
        model: str,
        api_key: str = "",
        base_url: str = OPENAI,
        context_window: int = 8192,
        timeouts: Timeouts | None = None,
        retries: int = 1,
        key_setting: str = "CANDOR_WRITER__API_KEY",
    ) -> None:
        self._model = model
        self._context_window = context_window
        self._timeouts = timeouts or Timeouts()
        self._secret = api_key
        self._key_setting = key_setting
        self._at = failures.place(base_url)
        self._refused: frozenset[str] = frozenset()
        self._client = openai.AsyncOpenAI(
            api_key=api_key or "none",  # a server without keys ignores it; the client insists on one
            base_url=base_url,
            timeout=None,
            max_retries=retries,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    @property
    def model(self) -> str:
        return self._model

    @property
    def context_window(self) -> int:
        return self._context_window

    async def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        first_token: bool = False,
    ) -> Completion:
        """See crag.ports.LanguageModel."""
        pieces = self._pieces(prompt, max_tokens, schema=schema, first_token=first_token)
        return await collect(pieces, self._timeouts, max_tokens=max_tokens)

    def stream(self, prompt: Prompt, *, max_tokens: int) -> AsyncIterator[str]:
        """See crag.ports.LanguageModel."""
        return visible(self._pieces(prompt, max_tokens), self._timeouts, max_tokens=max_tokens)

    async def _pieces(
        self,
        prompt: Prompt,
        max_tokens: int,
        *,
        schema: Mapping[str, object] | None = None,
        first_token: bool = False,
    ) -> Pieces:
        begun = done = False
        try:
            async with await self._open(prompt, _optional(max_tokens, schema, first_token)) as chunks:
                begun = True
                async for chunk in chunks:
                    for choice in chunk.choices[:1]:
                        if choice.finish_reason == "content_filter":
                            raise failures.blocked()
                        done = done or choice.finish_reason is not None
                        if piece := _piece(choice):
                            yield piece
        except LanguageModelError:
            raise
        except Exception as error:
            raise self._translated(error, in_stream=begun) from None
        if not done:
            raise failures.broke_off(self._at)

    async def _open(self, prompt: Prompt, optional: Mapping[str, Any]) -> openai.AsyncStream[ChatCompletionChunk]:
        while True:
            try:
                answer: openai.AsyncStream[ChatCompletionChunk] = await self._client.chat.completions.create(
                    model=self._model,
                    messages=[{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
                    stream=True,
                    **self._accepted(optional),
                )
                return answer
            except openai.BadRequestError as error:
                culprit = next((name for name in self._accepted(optional) if _blames(error, name)), None)
                if culprit is None:
                    raise
                self._refused |= {culprit}

    def _accepted(self, optional: Mapping[str, Any]) -> dict[str, Any]:
        """Without what this server refused. Reasoning models want the token limit under its newer name."""
        wanted = {name: value for name, value in optional.items() if name not in self._refused}
        if "max_tokens" in self._refused and "max_completion_tokens" not in self._refused:
            wanted["max_completion_tokens"] = optional["max_tokens"]
        if "logprobs" in self._refused:
            wanted.pop("top_logprobs", None)
        return wanted

    def _translated(self, error: Exception, *, in_stream: bool) -> LanguageModelError:
        """The client raises its own errors, httpx2's in mid-stream, and whatever reading garbage as JSON brings up."""
        match error:
            case openai.APIStatusError(status_code=status):
                detail = failures.redacted(_said(error), self._secret)
                return failures.refused(
                    status, model=self._model, at=self._at, key_setting=self._key_setting, detail=detail
                )
            case openai.APIConnectionError():
                return failures.broke_off(self._at) if in_stream else failures.unreachable(self._at)
            case openai.APIError():
                return failures.failed(failures.redacted(error.message, self._secret), at=self._at)
            case httpx2.HTTPError():
                return failures.broke_off(self._at)
            case _:
                return failures.unreadable(self._at, "OpenAI's protocol")


def _optional(max_tokens: int, schema: Mapping[str, object] | None, first_token: bool) -> Mapping[str, Any]:
    wanted: dict[str, Any] = {"max_tokens": max_tokens, "temperature": 0}
    if schema:
        named = {"name": "answer", "schema": dict(schema), "strict": True}
        wanted["response_format"] = {"type": "json_schema", "json_schema": named}
    if first_token:
        wanted |= {"logprobs": True, "top_logprobs": TOP}
    return wanted


def _blames(error: openai.BadRequestError, parameter: str) -> bool:
    return error.param == parameter if error.param else parameter in _said(error)


def _said(error: openai.APIStatusError) -> str:
    """The server's own message; the client's is a dump of the body."""
    body = error.body
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else error.message


def _piece(choice: Choice) -> Piece | None:
    """None for a chunk that says nothing, such as the first, which only names the role."""
    text, cut = choice.delta.content or "", choice.finish_reason == "length"
    first = _probabilities(choice)
    thinking = getattr(choice.delta, "reasoning_content", None) or getattr(choice.delta, "reasoning", None)
    return Piece(text, cut=cut, first_token=first) if text or cut or first or thinking else None


def _probabilities(choice: Choice) -> Mapping[str, float]:
    tokens = (choice.logprobs.content if choice.logprobs else None) or []
    return {t.token: math.exp(t.logprob) for t in tokens[0].top_logprobs} if tokens else {}
