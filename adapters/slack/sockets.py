"""Socket Mode with a watchdog. slack-sdk reconnects by itself where it can; where it goes round in circles (a spent
ticket) or a socket has gone quiet while it looks alive, a new connection is made beside the old one and takes over."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.socket_mode.aiohttp import SocketModeClient

from adapters.slack.calls import Calls
from adapters.slack.refusals import FAILURES, TOKEN_DEAD, code_of, start_error
from adapters.slack.tasks import Tasks

log = logging.getLogger(__name__)

APP_TOKEN = "CANDOR_SLACK__APP_TOKEN"  # noqa: S105 - the setting's name
CONNECTIONS = "connections:write of the app-level token"
CLOSE_S = 2.0
SLOWEST_S = 30.0
"""The longest pause between two tries to connect."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Seconds: between pings, between looks at the connection, until a dead one is replaced, until a silent one is, and
    for one try to connect. Slack's own numbers would let an event be lost for minutes."""

    ping_s: float = 5.0
    look_s: float = 1.0
    dead_s: float = 10.0
    silent_s: float = 180.0
    connect_s: float = 10.0


class SocketMode:
    """`run` keeps a connection; `connected` says whether there is one that works."""

    def __init__(self, app: AsyncApp, calls: Calls, app_token: str, tasks: Tasks, watch: Watch) -> None:
        self._app = app
        self._calls = calls
        self._app_token = app_token
        self._tasks = tasks
        self._watch = watch
        self._handler: AsyncSocketModeHandler | None = None
        self._heard_at = 0.0
        self._stopped = False

    @property
    def connected(self) -> bool:
        return self._handler is not None and not self._stopped and _is_alive(self._handler.client, self._watch.ping_s)

    async def open(self) -> None:
        """The first connection. Raises SettingsError where Slack refuses the token, CandorError if it isn't there."""
        try:
            await self._connect()
        except FAILURES as error:
            raise start_error(error, APP_TOKEN, scope=CONNECTIONS) from error

    async def run(self) -> None:
        """Until cancelled. Raises CandorError where Slack no longer takes the token."""
        alive_at = time.monotonic()
        pause = self._watch.look_s
        while not self._stopped:
            await asyncio.sleep(pause)
            pause = self._watch.look_s
            now = time.monotonic()
            alive_at = now if self.connected else alive_at
            dead, silent = now - alive_at > self._watch.dead_s, now - self._heard_at > self._watch.silent_s
            if self._stopped or not (dead or silent):
                continue
            log.info("Slack's connection is %s, a new one is made", "dead" if dead else "silent")
            try:
                await self._connect()
                alive_at = time.monotonic()
            except FAILURES as error:
                if code_of(error) in TOKEN_DEAD:
                    raise start_error(error, APP_TOKEN) from error
                log.warning("can't connect to Slack: %s", code_of(error) or type(error).__name__)
                pause = min(SLOWEST_S, pause * 2 + (time.monotonic() - now))
        await asyncio.Event().wait()

    async def stop(self) -> None:
        """Close: what Slack sends from now on goes to another process, or to the next one."""
        self._stopped = True
        if self._handler is not None:
            handler, self._handler = self._handler, None
            await _close(handler)

    async def _connect(self) -> None:
        """A fresh ticket, a fresh connection; then the old one goes."""
        async with asyncio.timeout(self._watch.connect_s):
            answer = await self._calls.loose.apps_connections_open(app_token=self._app_token)
        handler = AsyncSocketModeHandler(
            self._app, self._app_token, logger=log, web_client=self._calls.loose, ping_interval=self._watch.ping_s
        )
        handler.client.wss_uri = answer["url"]
        handler.client.on_message_listeners.append(self._heard)
        try:
            async with asyncio.timeout(self._watch.connect_s):
                await handler.connect_async()  # type: ignore[no-untyped-call]
        except BaseException:
            await _close(handler)
            raise
        self._heard_at = time.monotonic()
        old, self._handler = self._handler, handler
        if old is not None:
            self._tasks.start(_close(old))

    async def _heard(self, _: Any) -> None:
        self._heard_at = time.monotonic()


def _is_alive(client: SocketModeClient, ping_s: float) -> bool:
    """As slack-sdk's is_connected, without being a coroutine; the last pong counts."""
    session = client.current_session
    pong_at = client.last_ping_pong_time
    fresh = pong_at is None or time.time() - pong_at < 4 * ping_s
    return not client.closed and not client.stale and session is not None and not session.closed and fresh


async def _close(handler: AsyncSocketModeHandler) -> None:
    """A dead socket doesn't answer the goodbye: then it goes without."""
    closing: Callable[[], Any] = handler.close_async
    try:
        async with asyncio.timeout(CLOSE_S):
            await closing()
    except FAILURES as error:
        log.debug("a connection ended without goodbye: %s", error)
    finally:
        await handler.client.aiohttp_client_session.close()
