"""HTTP mode: what Slack posts, checked before Bolt sees it. A stranger gets 401, nonsense 400; neither a traceback."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from urllib.parse import parse_qs

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.signature import SignatureVerifier

from crag.errors import CandorError

log = logging.getLogger(__name__)

PATH = "/slack/events"
MOST_BYTES = 1024 * 1024


class HttpMode:
    """Listens on host and port; `address` says where, once open (port 0 lets the system choose)."""

    def __init__(self, app: AsyncApp, signing_secret: str, host: str, port: int) -> None:
        self._app = app
        self._verifier = SignatureVerifier(signing_secret)
        self._host = host
        self._port = port
        self._runner: web.AppRunner | None = None
        self._taking = True
        self.address = ""

    @property
    def connected(self) -> bool:
        return self._runner is not None and self._taking

    async def open(self) -> None:
        """Raises CandorError if the port is taken."""
        server = web.Application(client_max_size=MOST_BYTES)
        server.router.add_post(PATH, self._serve)
        runner = web.AppRunner(server, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, self._host, self._port).start()
        except OSError as error:
            await runner.cleanup()
            raise CandorError(
                f"Candor can't listen for Slack on {self._host}:{self._port}: {error.strerror or error}.",
                advice="Set CANDOR_SLACK__PORT to a free one.",
            ) from error
        self._runner = runner
        host, port = runner.addresses[0][:2]
        self.address = f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"

    async def run(self) -> None:
        """Nothing to keep up: Slack comes by itself. Until cancelled."""
        await asyncio.Event().wait()

    async def stop(self) -> None:
        """From now on Slack is told to come again later."""
        self._taking = False

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _serve(self, request: web.Request) -> web.Response:
        if not self._taking:
            return web.Response(status=503, text="stopping")
        try:
            text = (await request.read()).decode()
        except UnicodeDecodeError:
            return web.Response(status=400, text="not a request of Slack")
        if not self._is_slack(text, request.headers):
            return web.Response(status=401, text="not signed by Slack")
        if not _is_sane(text, request.content_type):
            return web.Response(status=400, text="not a request of Slack")
        bolt = AsyncBoltRequest(body=text, query=request.query_string, headers=dict(request.headers))
        return await to_aiohttp_response(await self._app.async_dispatch(bolt))

    def _is_slack(self, body: str, headers: Mapping[str, str]) -> bool:
        stamp = headers.get("X-Slack-Request-Timestamp", "")
        if not (stamp.isascii() and stamp.isdigit() and len(stamp) < 20):
            return False
        signature = headers.get("X-Slack-Signature", "")
        return signature.isascii() and self._verifier.is_valid(body, stamp, signature)


def _is_sane(text: str, content_type: str) -> bool:
    """Whether this is what Slack sends: a JSON object, or a form that may carry one."""
    try:
        payload = text
        if content_type == "application/x-www-form-urlencoded":
            form = parse_qs(text, strict_parsing=True)
            payload = form["payload"][0] if "payload" in form else "{}"
        return isinstance(json.loads(payload), dict)
    except (ValueError, RecursionError):
        return False
