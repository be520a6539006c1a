"""Embedded mode: a Weaviate server of one's own, shared by every Candor process on the same data directory.

Each process holds a shared lock on the directory while it uses the server; the first one starts the supervisor, which
ends the server after the last one, however that ended. See `supervisor.py`. Nothing heavy is imported here: a server
takes seconds to start, and what its client and the models need is imported meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from adapters.binaries import WEAVIATE, obtain
from adapters.weaviate.address import Address
from adapters.weaviate.directory import DataDirectory, ServerState, last_words, opened, try_lock
from crag.errors import SearchError

POLL_S = 0.05
WATCH_S = 1.0
LEAVE_S = 30.0
OLDEST = (1, 32)
"""The first version that knows aliases."""
CHECKOUT = Path(__file__).parents[2]


def _silent(_: str) -> None:
    pass


@asynccontextmanager
async def embedded_server(
    data_directory: Path,
    *,
    binary: Path | None,
    cache: Path,
    environment: Mapping[str, str],
    on_progress: Callable[[str], None] = _silent,
    start_timeout_s: float = 60.0,
) -> AsyncIterator[Awaitable[Address]]:
    """Use the server of this directory, starting it if nobody has: what is given is awaited until it answers. `binary`
    overrides PATH, cache and download; `environment` is what a search on PATH and a build go by, and nothing of it
    reaches the server.

    While it is used, a dead server is started again by its supervisor, and a dead supervisor by this process, on the
    same ports. Raises ServiceError where there is no program, SearchError where the directory can't be written or the
    supervisor can't run; awaiting raises SearchError where the server wasn't ready within `start_timeout_s`.
    """
    program = await obtain(WEAVIATE, explicit=binary, cache=cache, environment=environment, on_progress=on_progress)
    directory = DataDirectory(await asyncio.to_thread(data_directory.resolve))
    async with _seat(directory, start_timeout_s):
        await _start(directory, program, on_progress)
        ready = asyncio.create_task(_ready(directory, start_timeout_s), name="wait for Weaviate")
        watch = asyncio.create_task(_watch(ready, directory, program), name="watch the Weaviate supervisor")
        try:
            yield ready
        finally:
            ready.cancel()
            watch.cancel()
            await asyncio.gather(ready, watch, return_exceptions=True)


@asynccontextmanager
async def _seat(directory: DataDirectory, timeout_s: float) -> AsyncIterator[None]:
    """The shared lock of one user; on leaving, the last user waits until the server has ended."""
    try:
        await asyncio.to_thread(directory.create)
        users = directory.open_lock("users")
    except OSError as error:
        raise SearchError(
            f"The data directory {directory.path} can't be used: {error.strerror or error}.",
            advice="Free some space there, or set CANDOR_WEAVIATE__DATA_DIRECTORY to a directory that can be written.",
        ) from error
    try:
        with opened(users):
            await _seated(directory, users, timeout_s)
            yield
    finally:
        await asyncio.to_thread(_leave, directory)


async def _seated(directory: DataDirectory, users: int, timeout_s: float) -> None:
    """Waits while a server of this directory is being ended."""
    end = time.monotonic() + timeout_s
    while not try_lock(users, exclusive=False):
        if time.monotonic() > end:
            raise SearchError(
                f"Another process is still ending the Weaviate server in {directory.path}.",
                advice=f"Try again in a moment; the server's log is {directory.log}.",
            )
        await asyncio.sleep(POLL_S)


async def _start(directory: DataDirectory, program: Path, on_progress: Callable[[str], None]) -> None:
    try:
        if await asyncio.to_thread(_supervise, directory, program):
            on_progress("Starting Weaviate")
    except (OSError, subprocess.SubprocessError) as error:
        raise _refusal(directory, f"its supervisor can't run: {error}") from error


async def _ready(directory: DataDirectory, timeout_s: float) -> Address:
    end = time.monotonic() + timeout_s
    while True:
        state = await asyncio.to_thread(directory.read_state)
        if state and state.phase == "ready":
            return await asyncio.to_thread(_address, directory, state)
        if state and state.phase == "failed":
            raise _refusal(directory, state.reason)
        if time.monotonic() > end:
            words = (state.reason if state else "") or await asyncio.to_thread(last_words, directory.log)
            raise _refusal(directory, f"it wasn't ready after {timeout_s:.0f} s; its last words: {words or 'none'}")
        if await asyncio.to_thread(_unsupervised, directory):
            state = await asyncio.to_thread(directory.read_state)
            if state is None or state.phase in ("starting", "restarting"):
                words = await asyncio.to_thread(last_words, directory.log)
                raise _refusal(directory, f"its supervisor ended before it was ready: {words}")
        await asyncio.sleep(POLL_S)


def _address(directory: DataDirectory, state: ServerState) -> Address:
    if tuple(int(part) for part in state.version.split(".")[:2]) < OLDEST:
        raise SearchError(
            f"This Weaviate server is too old: {state.version}.",
            advice=f"Use {WEAVIATE.version} (set CANDOR_WEAVIATE__BINARY, or take the old one off PATH).",
        )
    return Address("127.0.0.1", state.http_port, state.grpc_port, api_key=directory.key())


def _refusal(directory: DataDirectory, reason: str) -> SearchError:
    advice = f"Its log is {directory.log}."
    if any(sign in reason.lower() for sign in ("no space left", "disk usage too high")):
        advice = f"The disk of {directory.path} is full: free some space and try again. {advice}"
    return SearchError(f"Weaviate could not be started: {reason.rstrip('.')}.", advice=advice)


def _supervise(directory: DataDirectory, program: Path) -> bool:
    """Start a supervisor if there is none; its lock goes to it as an open descriptor, so that there is no moment at
    which two could start. Returns whether it did."""
    with opened(directory.open_lock("start")) as start, opened(directory.open_lock("supervisor")) as lock:
        _lock_soon(start)
        if not try_lock(lock, exclusive=True):
            return False
        directory.ensure_key()
        directory.retire_state()
        directory.write_state(ServerState("starting", 0, 0, 0))
        with directory.log.open("ab") as log:
            subprocess.run(  # noqa: S603
                [sys.executable, "-P", "-m", "adapters.weaviate.supervisor", directory.path, program, str(lock)],
                env={"PYTHONPATH": str(CHECKOUT), "PATH": os.defpath},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(lock,),
                start_new_session=True,
                check=True,
            )
        return True


def _unsupervised(directory: DataDirectory) -> bool:
    with opened(directory.open_lock("start")) as start, opened(directory.open_lock("supervisor")) as lock:
        _lock_soon(start)
        return try_lock(lock, exclusive=True)


def _lock_soon(start: int) -> None:
    """start.lock is held for milliseconds only."""
    while not try_lock(start, exclusive=True):
        time.sleep(0.01)


async def _watch(ready: asyncio.Task[Address], directory: DataDirectory, program: Path) -> None:
    """Replace a supervisor that was killed; its server died with it. One that gave up at the start isn't replaced."""
    await asyncio.wait({ready})
    while not ready.cancelled() and ready.exception() is None:
        await asyncio.sleep(WATCH_S)
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            await asyncio.to_thread(_supervise, directory, program)


def _leave(directory: DataDirectory) -> None:
    """Wait until the server has ended, unless another process uses it: nothing of ours is left behind."""
    end, others = time.monotonic() + LEAVE_S, 0
    while time.monotonic() < end and others < 2 and not _unsupervised(directory):
        with opened(directory.open_lock("users")) as users:
            ending = not try_lock(users, exclusive=False)
            alone = ending or try_lock(users, exclusive=True)
        others = 0 if alone else others + 1
        time.sleep(POLL_S)
