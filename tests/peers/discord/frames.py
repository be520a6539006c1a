"""Frames on their way to one socket, in order: as a zlib stream or as plain text."""

from __future__ import annotations

import asyncio
import contextlib
import json
import zlib
from types import TracebackType
from typing import Any, Self

from aiohttp import web

Json = dict[str, Any]


class Frames:
    """Use it in `async with` for the life of the socket. put() never waits."""

    def __init__(self, socket: web.WebSocketResponse, *, zlib: bool) -> None:
        self._socket = socket
        self._zlib = _Stream() if zlib else None
        self._queue: asyncio.Queue[Json] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._write())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def put(self, frame: Json) -> None:
        self._queue.put_nowait(frame)

    async def drain(self) -> None:
        """Waits until all that was put is sent."""
        if self._task is not None and not self._task.done():
            await self._queue.join()

    async def _write(self) -> None:
        while True:
            text = json.dumps(await self._queue.get(), ensure_ascii=False)
            with contextlib.suppress(ConnectionError):
                if self._zlib is None:
                    await self._socket.send_str(text)
                else:
                    await self._socket.send_bytes(self._zlib.packed(text))
            self._queue.task_done()


class _Stream:
    """One compression context for all frames of a connection, as `compress=zlib-stream` asks for."""

    def __init__(self) -> None:
        self._context = zlib.compressobj()

    def packed(self, text: str) -> bytes:
        return self._context.compress(text.encode()) + self._context.flush(zlib.Z_SYNC_FLUSH)
