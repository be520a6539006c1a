"""The Web API: reads a request as the SDK sends it, checks token, scopes, rates and scripted faults, and answers."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.peers.slack.events import Events
from tests.peers.slack.faults import Fault, RateLimited, Refusal
from tests.peers.slack.sockets import Sockets
from tests.peers.slack.state import ApiCall, State, Token

Json = dict[str, Any]


@dataclass
class Context:
    """What a method may use."""

    state: State
    events: Events
    sockets: Sockets


@dataclass(frozen=True)
class Method:
    """`scopes`: any one of them will do, none needs none; `by_kind` names the scope that follows the channel's type."""

    handler: Callable[[Context, Json], Json]
    scopes: tuple[str, ...] = ()
    by_kind: str = ""  # history, read, write: channels:history, im:history, ...
    kind: str = "bot"


_KIND_SCOPES = {"channel": "channels", "group": "groups", "im": "im", "mpim": "mpim"}


class WebApi:
    def __init__(self, context: Context, methods: dict[str, Method]) -> None:
        self._context = context
        self._state = context.state
        self._methods = methods

    async def serve(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        arguments, sent_as = await _arguments(request)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or arguments.pop("token", "")
        fault = next((f for f in self._state.faults if f.strikes(name, arguments)), None)
        call = _Call(name, arguments, time.monotonic(), request.method, sent_as, token)
        if fault is None:
            return self._answered(call)
        if fault.after:
            answer = self._answered(call)
            if not fault.drop:
                await asyncio.sleep(fault.delay_s)
                return answer
        if fault.delay_s:
            await asyncio.sleep(fault.delay_s)
        if fault.drop:
            if not fault.after:
                self._record(call, "dropped", {})
            if request.transport is not None:
                request.transport.abort()
            return web.Response()
        return self._troubled(call, fault)

    def _answered(self, call: _Call) -> web.Response:
        try:
            answer: Json = {"ok": True, **self._run(call)}
        except Refusal as refusal:
            answer = {"ok": False, "error": refusal.code, **refusal.extra}
        except RateLimited as limited:
            return self._limited(call, limited.retry_after)
        self._record(call, answer.get("error"), answer)
        return web.json_response(answer, headers=self._scope_headers(call.token))

    def _run(self, call: _Call) -> Json:
        method = self._methods.get(call.method)
        if method is None:
            raise Refusal("unknown_method", req_method=call.method)
        self._authorize(call, method)
        self._state.rates.check(call.method, str(call.arguments.get("channel", "")), self._state.now())
        return method.handler(self._context, call.arguments)

    def _authorize(self, call: _Call, method: Method) -> None:
        token = self._token(call.token)
        if method.kind != token.kind:
            raise Refusal("not_allowed_token_type")
        needed = self._needed(method, call.arguments)
        if needed and token.scopes.isdisjoint(needed):
            raise Refusal("missing_scope", needed=needed[0], provided=",".join(sorted(token.scopes)))
        self._state.scopes_used |= token.scopes.intersection(needed[:1]) or token.scopes.intersection(needed)

    def _token(self, value: str) -> Token:
        if not value:
            raise Refusal("not_authed")
        token = self._state.tokens.get(value)
        if token is None:
            raise Refusal("invalid_auth")
        if token.dead:
            raise Refusal(token.dead)
        return token

    def _needed(self, method: Method, arguments: Json) -> tuple[str, ...]:
        if not method.by_kind:
            return method.scopes
        channel = self._state.workspace.channels.get(str(arguments.get("channel", "")))
        kind = channel.kind if channel else ("im" if arguments.get("users") else "channel")
        return (f"{_KIND_SCOPES[kind]}:{method.by_kind}",)

    def _troubled(self, call: _Call, fault: Fault) -> web.Response:
        if fault.status == 429:
            return self._limited(call, fault.retry_after if fault.retry_after is not None else 1)
        if fault.status >= 500:
            self._record(call, f"http {fault.status}", {})
            return web.Response(status=fault.status, text="<html>upstream error</html>", content_type="text/html")
        answer: Json = {"ok": False, "error": fault.error or "internal_error", **fault.extra}
        self._record(call, answer["error"], answer)
        return web.json_response(answer, status=fault.status, headers=self._scope_headers(call.token))

    def _limited(self, call: _Call, retry_after: int) -> web.Response:
        answer = {"ok": False, "error": "ratelimited"}
        self._record(call, "ratelimited", answer)
        return web.json_response(answer, status=429, headers={"Retry-After": str(retry_after)})

    def _scope_headers(self, value: str) -> dict[str, str]:
        token = self._state.tokens.get(value)
        return {"X-OAuth-Scopes": ",".join(sorted(token.scopes))} if token else {}

    def _record(self, call: _Call, error: str | None, answer: Json) -> None:
        made = ApiCall(call.method, call.arguments, call.at, call.verb, call.sent_as, call.token, error, answer)
        self._state.calls.append(made)
        self._state.changed()


@dataclass(frozen=True)
class _Call:
    method: str
    arguments: Json
    at: float
    verb: str
    sent_as: str
    token: str


async def _arguments(request: web.Request) -> tuple[Json, str]:
    """Arguments of a call: of the query (reads, and many writes), of a form, or of a JSON body."""
    arguments: Json = dict(request.query)
    if request.method == "GET":
        return arguments, "query"
    if request.content_type == "application/json":
        try:
            body = json.loads(await request.text())
        except ValueError:
            return arguments, "json"
        return arguments | (body if isinstance(body, dict) else {}), "json"
    form = await request.post()
    return arguments | dict(form), "query" if not form else "form"


def need(arguments: Json, *names: str) -> list[str]:
    """The values of arguments that must be there; else invalid_arguments with Slack's words."""
    missing = [f"[ERROR] missing required field: {name}" for name in names if not arguments.get(name)]
    if missing:
        raise Refusal("invalid_arguments", response_metadata={"messages": missing})
    return [str(arguments[name]) for name in names]


def flag(value: Any) -> bool:
    return value in (True, 1, "1", "true", "True")
