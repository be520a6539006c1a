"""A server that answers as SearXNG does, and misbehaves where it is told to."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Self

from aiohttp import web


class SearxngPeer:
    """Use it in `async with`. `results` are given for every query; `status` other than 200 is answered without them;
    `body` replaces the JSON; `hang` makes it accept and never answer; `hang_up` breaks off in mid-answer. `queries`
    records what came."""

    def __init__(self, *results: Any) -> None:
        self.results: list[Any] = list(results)
        self.status = 200
        self.body: bytes | None = None
        self.hang = False
        self.hang_up = False
        self.queries: list[dict[str, str]] = []
        self.followed = 0
        self.address = ""
        app = web.Application()
        app.router.add_get("/search", self._search)
        app.router.add_get("/elsewhere", self._elsewhere)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.address = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    async def _search(self, request: web.Request) -> web.StreamResponse:
        self.queries.append(dict(request.query))
        if self.hang:
            await asyncio.sleep(3600)
        if self.status != 200:
            headers = {"Location": "/elsewhere"} if 300 <= self.status < 400 else {}
            return web.Response(status=self.status, text="<html>no</html>", headers=headers)
        if self.hang_up:
            response = web.StreamResponse(headers={"Content-Length": "1000"})
            await response.prepare(request)
            await response.write(b'{"results": [')
            assert request.transport
            request.transport.abort()
            return response
        if self.body is not None:
            return web.Response(body=self.body, content_type="application/json")
        return web.json_response({"query": request.query["q"], "results": self.results, "answers": []})

    async def _elsewhere(self, request: web.Request) -> web.Response:
        self.followed += 1
        return web.json_response({"results": []})
