"""A chat model on an Ollama server, through Ollama's own API.

Its `num_ctx` is set on each call, since the server's default is small and a prompt over it is cut silently. Everything
is streamed, so that closing the connection frees the server.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Self
from urllib.parse import unquote, urlsplit

import httpx
import ollama

from crag.errors import LanguageModelError
from crag.llm import failures
from crag.llm.pieces import Piece, Pieces, collect, visible
from crag.llm.timeouts import Timeouts
from crag.types import Completion, Prompt

TOP = 20
"""How many first tokens are asked for; the server allows no more."""


class OllamaLanguageModel:
    """Satisfies crag.ports.LanguageModel; use it in `async with`. `host` is an address such as http://127.0.0.1:11434,
    and may carry a user and a password for a proxy in front of the server. `api_key` goes out as a bearer token.
    `key_setting` is what an error names when the server refuses the key."""

    def __init__(
        self,
        *,
        host: str,
        model: str,
        context_window: int = 8192,
        timeouts: Timeouts | None = None,
        api_key: str = "",
        key_setting: str = "CANDOR_WRITER__API_KEY",
    ) -> None:
        self._model = model
        self._context_window = context_window
        self._timeouts = timeouts or Timeouts()
        self._secret = api_key
        self._key_setting = key_setting
        self._at = failures.place(host)
        user = urlsplit(host)
        self._client = ollama.AsyncClient(
            host=host,
            timeout=None,
            headers={"Authorization": f"Bearer {api_key}"} if api_key else None,
            auth=(unquote(user.username), unquote(user.password or "")) if user.username else None,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()  # type: ignore[no-untyped-call]

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
        done = False
        try:
            answer = await self._client.chat(
                self._model,
                [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
                stream=True,
                think=False,
                format=dict(schema) if schema else None,
                logprobs=True if first_token else None,
                top_logprobs=TOP if first_token else None,
                options={"temperature": 0, "seed": 0, "num_ctx": self._context_window, "num_predict": max_tokens},
            )
            async with aclosing(answer) as parts:  # type: ignore[type-var]  # the client returns an async generator
                async for part in parts:
                    done = done or bool(part.done)
                    if piece := _piece(part):
                        yield piece
        except Exception as error:
            raise self._translated(error) from None
        if not done:
            raise failures.broke_off(self._at)

    def _translated(self, error: Exception) -> LanguageModelError:
        """The client raises its own errors, httpx's, and whatever reading garbage as JSON brings up."""
        match error:
            case ollama.ResponseError(status_code=status) if status >= 400:
                detail = failures.redacted(error.error, self._secret)
                return failures.refused(
                    status, model=self._model, at=self._at, key_setting=self._key_setting, detail=detail
                )
            case ollama.ResponseError():
                return failures.failed(failures.redacted(error.error, self._secret), at=self._at)
            case httpx.ConnectError() | httpx.ConnectTimeout() | ConnectionError() | httpx.UnsupportedProtocol():
                return failures.unreachable(self._at)
            case httpx.HTTPError():
                return failures.broke_off(self._at)
            case _:
                return failures.unreadable(self._at, "Ollama's protocol")


def _piece(part: ollama.ChatResponse) -> Piece | None:
    """None for a part that says nothing, such as the last one of an answer that came to its end."""
    text, cut = part.message.content or "", part.done_reason == "length"
    likeliest = (part.logprobs[0].top_logprobs or ()) if part.logprobs else ()
    first = {token.token: math.exp(token.logprob) for token in likeliest}
    return Piece(text, cut=cut, first_token=first) if text or cut or first or part.message.thinking else None
