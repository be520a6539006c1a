"""A server that speaks OpenAI's chat completions and Ollama's chat, streamed, and misbehaves where it is told to."""

from __future__ import annotations

import asyncio
import enum
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

KEY = "sk-secret-0123456789"


class Trouble(enum.StrEnum):
    """What can be wrong with a server."""

    REFUSES_THE_KEY = "401"
    FORBIDS = "403"
    KNOWS_NO_SUCH_MODEL = "404"
    TOO_MANY = "429"
    FAILS = "500"
    OVERLOADED = "503"
    GARBAGE = "garbage"
    GARBAGE_FAILURE = "garbage failure"
    FAILS_IN_MID_STREAM = "fails in mid-stream"
    NEVER_ANSWERS = "never answers"
    ONLY_A_ROLE = "names its role and says nothing"
    STALLS = "stalls in mid-stream"
    CLOSES = "closes in mid-stream"
    ENDS_EARLY = "ends in mid-stream without an end mark"
    ENDLESS = "never ends"
    TRICKLES = "trickles on"


@dataclass
class Saying:
    """What the server says in one completion. `pieces` is how many characters come at once."""

    text: str = "It opens at 9:00 [1]."
    finished: bool = True
    probabilities: Mapping[str, float] = field(default_factory=dict)
    thinking: str = ""
    pieces: int = 4


class LanguageModelPeer:
    """Use it in `async with`. `saying` and `trouble` hold for the calls to come; `refuses` names parameters that make
    it answer 400, as reasoning models do. `requests` are the bodies received, `asked` is set when one came, `left` when
    a client goes away before the end."""

    def __init__(self) -> None:
        self.saying = Saying()
        self.trouble: Trouble | None = None
        self.refuses: set[str] = set()
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.asked = asyncio.Event()
        self.left = asyncio.Event()
        self.address = ""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._openai)
        app.router.add_post("/api/chat", self._ollama)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.address = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        body = await self._received(request)
        named = next((p for p in self.refuses if p in body), None)
        if named:
            error = {"message": f"Unsupported parameter: '{named}'.", "param": named, "code": "unsupported_parameter"}
            return web.json_response({"error": error}, status=400)
        if refusal := self._refusal(lambda message: {"error": {"message": message, "type": "error"}}):
            return refusal
        wire = _OpenAIWire(body["model"], "logprobs" in body, self.saying)
        return await self._stream(request, wire, "text/event-stream")

    async def _ollama(self, request: web.Request) -> web.StreamResponse:
        body = await self._received(request)
        if refusal := self._refusal(lambda message: {"error": message}):
            return refusal
        wire = _OllamaWire(body["model"], bool(body.get("logprobs")), self.saying)
        return await self._stream(request, wire, "application/x-ndjson")

    async def _received(self, request: web.Request) -> dict[str, Any]:
        body: dict[str, Any] = await request.json()
        self.requests.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        self.asked.set()
        return body

    def _refusal(self, wrapped: Any) -> web.Response | None:
        if self.trouble is Trouble.GARBAGE_FAILURE:
            return web.Response(text='"<html><b>Bad Gateway</b></html>"', status=502, content_type="text/html")
        if self.trouble is None or not self.trouble.isdigit():
            return None
        # Real servers repeat the key, and what they ran into.
        message = f"{KEY} was refused by http://admin:hunter2@inner.example/ \x1b[31mbadly\x1b[0m"
        return web.json_response(wrapped(message), status=int(self.trouble), headers={"Retry-After": "0"})

    async def _stream(self, request: web.Request, wire: _Wire, content_type: str) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": content_type})
        try:
            if self.trouble is Trouble.NEVER_ANSWERS:
                await asyncio.sleep(3600)
            await response.prepare(request)
            await self._speak(request, response, wire)
        except (asyncio.CancelledError, ConnectionError):
            self.left.set()
            raise
        return response

    async def _speak(self, request: web.Request, response: web.StreamResponse, wire: _Wire) -> None:
        if self.trouble is Trouble.GARBAGE:
            await response.write(b"data: {\xff\xfe<html>not json\n\n")
            return
        for line in wire.opening():
            await response.write(line)
        if self.trouble is Trouble.ONLY_A_ROLE:
            await asyncio.sleep(3600)
        said = self.saying
        parts = [said.text[at : at + said.pieces] for at in range(0, len(said.text), said.pieces)]
        if self.trouble in _BREAKS:
            parts = parts[: len(parts) // 2]
        for at, part in enumerate(parts):
            await response.write(wire.piece(part, first=at == 0))
        match self.trouble:
            case Trouble.STALLS:
                await asyncio.sleep(3600)
            case Trouble.CLOSES:
                assert request.transport
                request.transport.abort()
            case Trouble.FAILS_IN_MID_STREAM:
                await response.write(wire.failure(f"out of memory, {KEY}"))
            case Trouble.ENDLESS:
                while True:
                    await response.write(wire.piece("and so on " * 50, first=False))
                    await asyncio.sleep(0)
            case Trouble.TRICKLES:
                while True:
                    await response.write(wire.piece("x", first=False))
                    await asyncio.sleep(0.02)
            case Trouble.ENDS_EARLY:
                pass
            case _:
                for line in wire.ending():
                    await response.write(line)


_BREAKS = (Trouble.STALLS, Trouble.CLOSES, Trouble.ENDS_EARLY, Trouble.FAILS_IN_MID_STREAM)


@dataclass
class _Wire:
    model: str
    probabilities: bool
    saying: Saying

    def opening(self) -> list[bytes]:
        raise NotImplementedError

    def piece(self, text: str, *, first: bool) -> bytes:
        raise NotImplementedError

    def failure(self, message: str) -> bytes:
        raise NotImplementedError

    def ending(self) -> list[bytes]:
        raise NotImplementedError

    def likeliest(self, text: str) -> dict[str, Any]:
        top = [{"token": t, "logprob": math.log(p), "bytes": None} for t, p in self.saying.probabilities.items()]
        return {"token": text, "logprob": 0.0, "bytes": None, "top_logprobs": top}


class _OpenAIWire(_Wire):
    def opening(self) -> list[bytes]:
        lines = [self._chunk({"role": "assistant", "content": ""})]
        if self.saying.thinking:
            lines.append(self._chunk({"reasoning_content": self.saying.thinking}))
        return lines

    def piece(self, text: str, *, first: bool) -> bytes:
        logprobs = None
        if first and self.probabilities and self.saying.probabilities:
            logprobs = {"content": [self.likeliest(text)], "refusal": None}
        return self._chunk({"content": text}, logprobs=logprobs)

    def failure(self, message: str) -> bytes:
        return _event({"error": {"message": message, "type": "server_error"}})

    def ending(self) -> list[bytes]:
        return [self._chunk({}, finish="stop" if self.saying.finished else "length"), b"data: [DONE]\n\n"]

    def _chunk(self, delta: Mapping[str, Any], *, logprobs: Any = None, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": finish}
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": self.model}
        return _event({**head, "choices": [choice]})


class _OllamaWire(_Wire):
    def opening(self) -> list[bytes]:
        return [self._line({"content": "", "thinking": self.saying.thinking})] if self.saying.thinking else []

    def piece(self, text: str, *, first: bool) -> bytes:
        more = {}
        if first and self.probabilities and self.saying.probabilities:
            more = {"logprobs": [self.likeliest(text)]}
        return self._line({"content": text}, **more)

    def failure(self, message: str) -> bytes:
        return json.dumps({"error": message}).encode() + b"\n"

    def ending(self) -> list[bytes]:
        return [self._line({"content": ""}, done=True, done_reason="stop" if self.saying.finished else "length")]

    def _line(self, message: Mapping[str, Any], **more: Any) -> bytes:
        head = {"model": self.model, "created_at": "2026-11-30T12:00:00Z", "done": False}
        return json.dumps({**head, "message": {"role": "assistant", **message}, **more}).encode() + b"\n"


def _event(data: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"
