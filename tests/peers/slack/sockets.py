"""Socket Mode: tickets, connections, envelopes; and the ways in which a connection ends or goes quiet."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import WSMsgType, web

from tests.peers.slack.delivery import Attempt, Delivery

if TYPE_CHECKING:
    from tests.peers.slack.state import State

Json = dict[str, Any]

MOST_CONNECTIONS = 10


@dataclass(eq=False)
class Connection:
    """One socket of the app. `stalled`: nothing that is sent arrives, nothing that comes is read; it looks connected
    while it `pongs`."""

    id: str
    socket: web.WebSocketResponse
    request: web.Request
    opened_at: float
    stalled: bool = False
    pongs: bool = True
    pings: int = 0
    closed: bool = False
    envelopes: list[str] = field(default_factory=list)

    async def send(self, frame: Json) -> None:
        if not self.stalled:
            with contextlib.suppress(ConnectionError):
                await self.socket.send_str(json.dumps(frame))

    def kill(self) -> None:
        """Breaks the TCP connection, without a word."""
        self.closed = True
        if (transport := self.request.transport) is not None:
            transport.abort()

    async def close(self) -> None:
        self.closed = True
        await self.socket.close()


class Sockets:
    """The transport of Socket Mode. Each delivery goes to one of the open connections, in turn."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._tickets: dict[str, float] = {}
        self._turn = itertools.count()
        self._numbers = itertools.count(1)
        self._waiting: dict[str, tuple[Attempt, asyncio.Event]] = {}
        self.all: list[Connection] = []
        self.refused: list[float] = []  # when a spent or unknown ticket was shown (time.monotonic())

    @property
    def open(self) -> list[Connection]:
        return [connection for connection in self.all if not connection.closed]

    def ticket(self) -> str:
        """The address of a connection; it serves once."""
        made = self._state.workspace.minted("ticket")
        self._tickets[made] = self._state.now()
        base = self._state.base_url.replace("http", "ws", 1)
        return f"{base}/link/?ticket={made}&app_id={self._state.app.id}"

    async def serve(self, request: web.Request) -> web.StreamResponse:
        made_at = self._tickets.pop(request.query.get("ticket", ""), None)
        if made_at is None or self._state.now() - made_at > self._state.timing.ticket_life_s:
            self.refused.append(time.monotonic())
            self._state.changed()
            return web.Response(status=408, text="")
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        connection = Connection(f"s{next(self._numbers)}", socket, request, time.monotonic())
        self.all.append(connection)
        try:
            if len(self.open) > MOST_CONNECTIONS:
                await self.disconnect(connection, "too_many_websockets")
                return socket
            await connection.send(self._hello())
            self._state.changed()
            await self._read(connection)
        finally:
            connection.closed = True
            self._state.changed()
        return socket

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self.open),
            "debug_info": {"host": "applink-1", "build_number": 10, "approximate_connection_time": 18060},
            "connection_info": {"app_id": self._state.app.id},
        }

    async def _read(self, connection: Connection) -> None:
        async for frame in connection.socket:
            if frame.type is WSMsgType.PING:
                connection.pings += 1
                if connection.pongs:
                    await connection.socket.pong(frame.data)
            elif frame.type is WSMsgType.TEXT and not connection.stalled:
                self._acknowledged(json.loads(frame.data))

    def _acknowledged(self, frame: Json) -> None:
        attempt, arrived = self._waiting.pop(frame.get("envelope_id", ""), (None, None))
        if attempt is None or arrived is None:
            return
        attempt.acked_at = time.monotonic()
        attempt.response = frame.get("payload")
        attempt.late = attempt.failure is not None
        arrived.set()

    async def attempt(self, delivery: Delivery, attempt: Attempt, within_s: float) -> None:
        connection = await self._chosen(within_s if delivery.kind == "events_api" else 0.0)
        if connection is None:
            attempt.failure = "connection_failed"
            return
        envelope_id = self._state.workspace.minted("envelope-")
        envelope: Json = {
            "envelope_id": envelope_id,
            "type": delivery.kind,
            "payload": delivery.payload,
            "accepts_response_payload": delivery.kind != "events_api",
        }
        if delivery.kind == "events_api":
            envelope |= {"retry_attempt": attempt.number, "retry_reason": attempt.reason}
        arrived = asyncio.Event()
        self._waiting[envelope_id] = (attempt, arrived)
        attempt.at, attempt.carrier = time.monotonic(), connection.id
        connection.envelopes.append(envelope_id)
        await connection.send(envelope)
        try:
            await asyncio.wait_for(arrived.wait(), within_s)
        except TimeoutError:
            attempt.failure = "timeout"

    async def _chosen(self, within_s: float) -> Connection | None:
        deadline = time.monotonic() + within_s
        while not self.open:
            if time.monotonic() >= deadline:
                return None
            await asyncio.sleep(0.02)
        return self.open[next(self._turn) % len(self.open)]

    async def disconnect(self, connection: Connection, reason: str, *, close_after_s: float = 0.0) -> None:
        """Slack's notice that a connection ends (warning, refresh_requested, link_disabled), and then the end."""
        await connection.send({"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}})
        await asyncio.sleep(close_after_s)
        if not connection.closed:
            await connection.close()
