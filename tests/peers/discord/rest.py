"""The REST API: checks token, rates and scripted faults, runs the call, answers as Discord does."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.peers.discord.events import Events
from tests.peers.discord.faults import Fault, Limited, Refusal
from tests.peers.discord.state import ApiCall, State

Json = dict[str, Any]
BASE = "/api/v10"


@dataclass
class Call:
    """One request. `args` are the path's parts, `query` what stands behind it, `files` the uploads by name."""

    state: State
    events: Events
    route: Route
    method: str
    path: str
    args: dict[str, str]
    query: dict[str, str]
    token: str
    body: Any = None
    files: dict[str, bytes] = field(default_factory=dict)
    at: float = 0.0

    @property
    def form(self) -> Json:
        if not isinstance(self.body, dict):
            raise Refusal(50109)
        return self.body


@dataclass(frozen=True)
class Route:
    """A handler's None is 204. `bot`: the token of the bot is needed (webhooks and callbacks carry their own)."""

    method: str
    template: str
    name: str
    handler: Callable[[Call], Any]
    bot: bool = True
    major: tuple[str, ...] = ("channel", "guild", "webhook", "token")


class RestApi:
    def __init__(self, state: State, events: Events, routes: list[Route]) -> None:
        self._state = state
        self._events = events
        self._routes = routes

    def add_to(self, app: web.Application) -> None:
        for route in self._routes:
            app.router.add_route(route.method, BASE + route.template, self._serving(route))
        app.router.add_route("*", BASE + "/{rest:.*}", self._serving(Route("*", "/", "unknown", _unknown)))

    def _serving(self, route: Route) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def serve(request: web.Request) -> web.StreamResponse:
            return await self._serve(route, request)

        return serve

    async def _serve(self, route: Route, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix(BASE)
        args, query = dict(request.match_info), dict(request.query)
        call = Call(self._state, self._events, route, request.method, path, args, query, "")
        call.at, call.token = time.monotonic(), request.headers.get("Authorization", "")
        try:
            call.body, call.files = await _body(request)
        except ValueError:
            return self._refused(call, Refusal(50109), {})
        fault = next(
            (f for f in self._state.faults if f.strikes(route.name, f"{request.method} {path}", call.body)), None
        )
        if fault is None:
            return self._answered(call)
        answer = self._answered(call) if fault.after else None
        if fault.delay_s:
            await asyncio.sleep(fault.delay_s)
        if fault.drop:
            self._record(call, 0, "dropped", None)
            if request.transport is not None:
                request.transport.abort()
            return web.Response()
        if fault.status == 200:
            return answer or self._answered(call)
        return self._troubled(call, fault)

    def _answered(self, call: Call) -> web.Response:
        headers: dict[str, str] = {}
        try:
            if call.route.bot and (call.token != f"Bot {self._state.app.token}" or self._state.app.dead):
                raise Refusal(0)
            major = "+".join(call.args[name] for name in call.route.major if name in call.args)
            headers = self._state.rates.check(call.route.name, major, self._state.now())
            answer = call.route.handler(call)
        except Refusal as refusal:
            return self._refused(call, refusal, headers)
        except Limited as limited:
            return self._limited(call, limited)
        self._record(call, 204 if answer is None else 200, None, answer)
        return web.Response(status=204, headers=headers) if answer is None else _json(answer, headers=headers)

    def _refused(self, call: Call, refusal: Refusal, headers: dict[str, str]) -> web.Response:
        if refusal.status in (401, 403):
            self._state.rates.invalid(self._state.now())
        self._record(call, refusal.status, str(refusal.code), refusal.as_json())
        return _json(refusal.as_json(), status=refusal.status, headers=headers)

    def _limited(self, call: Call, limited: Limited) -> web.Response:
        if limited.scope != "shared":
            self._state.rates.invalid(self._state.now())
        if limited.banned:
            self._record(call, 429, "banned", None)
            return web.Response(status=429, text="error code: 1015", content_type="text/plain")
        answer = {
            "message": "You are being rate limited.",
            "retry_after": round(limited.retry_after, 3),
            "global": limited.scope == "global",
        }
        headers = {"Via": "1.1 google", "Retry-After": str(answer["retry_after"]), "X-RateLimit-Scope": limited.scope}
        if limited.scope == "global":
            headers["X-RateLimit-Global"] = "true"
        self._record(call, 429, "rate limited", answer)
        return _json(answer, status=429, headers=headers)

    def _troubled(self, call: Call, fault: Fault) -> web.Response:
        if fault.status == 429:
            return self._limited(call, Limited(fault.retry_after, fault.scope, banned=not fault.via))
        if fault.status >= 500:
            self._record(call, fault.status, f"http {fault.status}", None)
            return web.Response(status=fault.status, text="<html>upstream error</html>", content_type="text/html")
        refusal = Refusal(
            fault.code if fault.code is not None else {401: 0, 403: 50013, 404: 10008}.get(fault.status, 50035)
        )
        refusal.status = fault.status
        return self._refused(call, refusal, {})

    def _record(self, call: Call, status: int, error: str | None, answer: Any) -> None:
        made = ApiCall(call.route.name, call.method, call.path, call.query, call.body, call.at, status, error, answer)
        self._state.calls.append(made)
        self._state.changed()


def _json(answer: Any, *, status: int = 200, headers: dict[str, str]) -> web.Response:
    """`Content-Type: application/json` without a charset: discord.py takes nothing else for JSON."""
    body = json.dumps(answer, ensure_ascii=False).encode()
    return web.Response(body=body, status=status, content_type="application/json", headers=headers)


async def _body(request: web.Request) -> tuple[Any, dict[str, bytes]]:
    if request.content_type != "multipart/form-data":
        text = await request.text()
        return (json.loads(text) if text else None), {}
    body: Any = None
    files: dict[str, bytes] = {}
    form = await request.post()
    for name, value in form.items():
        if isinstance(value, web.FileField):
            files[value.filename] = value.file.read()
        elif name == "payload_json":
            body = json.loads(str(value))
    return body, files


def _unknown(call: Call) -> None:
    """What Discord hasn't got, or this peer: see `peer.calls("unknown")`."""
    raise Refusal(-1)
