"""Three addresses for whoever runs Candor: /healthz - the process lives; /readyz - a question would arrive and be
searched now; /metrics - what Prometheus reads."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from bot.metrics import Metrics
from crag.errors import CandorError

log = logging.getLogger(__name__)

PROBE_S = 3.0
"""The longest that a probe may take: a health check has its own limit, 5 s in the image."""
FRESH_S = 1.0
"""How long a probe's finding is given again, so that asking often costs nothing."""


@dataclass(slots=True)
class Health:
    """`probe` returns what is wrong, "" if nothing is; None while starting and stopping."""

    probe: Callable[[], Awaitable[str]] | None = None
    _found: str = ""
    _found_at: float = float("-inf")
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def problem(self) -> str:
        """A sentence, or "" where a question would be searched now."""
        if self.probe is None:
            return "Candor is starting or stopping."
        async with self._asking:
            if time.monotonic() - self._found_at > FRESH_S:
                self._found = await self._ask(self.probe)
                self._found_at = time.monotonic()
            return self._found

    async def _ask(self, probe: Callable[[], Awaitable[str]]) -> str:
        try:
            async with asyncio.timeout(PROBE_S):
                return await probe()
        except TimeoutError:
            return f"A search took more than {PROBE_S:g} s."
        except CandorError as error:
            return str(error)
        except Exception:
            log.exception("the readiness probe failed")
            return "The readiness probe failed; the log has the details."


@asynccontextmanager
async def serving(health: Health, host: str, port: int, metrics: Metrics | None = None) -> AsyncIterator[str]:
    """Answer on host and port until the end of the context. Gives the address. Raises CandorError if it is taken."""

    async def alive(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def ready(_: web.Request) -> web.Response:
        problem = await health.problem()
        return web.json_response({"status": problem or "ok"}, status=503 if problem else 200)

    async def measured(_: web.Request) -> web.Response:
        assert metrics  # noqa: S101 - there is a route only where there are metrics
        return web.Response(body=metrics.page(), headers={"Content-Type": metrics.content_type})

    app = web.Application()
    app.add_routes([web.get("/healthz", alive), web.get("/readyz", ready)])
    if metrics:
        app.add_routes([web.get("/metrics", measured)])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            raise CandorError(
                f"Candor can't listen on {host}:{port}: {error.strerror or error}.",
                advice="Set CANDOR_SERVE__PORT to a free one; 0 lets the system choose.",
            ) from error
        bound = runner.addresses[0]
        shown = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        yield f"http://{shown}:{bound[1]}"
    finally:
        await runner.cleanup()
