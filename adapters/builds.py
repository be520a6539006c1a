"""A program out of its Go module, where no release of it can be reached."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterable, Callable, Mapping
from pathlib import Path

from crag.errors import ServiceError


async def go_install(
    go: str,
    package: str,
    folder: Path,
    environment: Mapping[str, str],
    *,
    timeout_s: float,
    on_progress: Callable[[str], None],
) -> Path:
    """The program of `package` ("example.com/cmd/name@v1.2.3"), built into the folder. The build runs in a process
    group of its own, which ends with this call. Raises ServiceError with the build's last words."""
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            go,
            "install",
            "-v",
            package,
            env={**environment, "GOBIN": str(folder)},
            cwd=folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    )
    try:
        async with asyncio.timeout(timeout_s):
            process = await asyncio.shield(starting)
            words = await _follow(process.stderr or asyncio.StreamReader(), on_progress)
            code = await process.wait()
    except TimeoutError:
        raise ServiceError(f"go install {package} took over {timeout_s:.0f} s", service="Go") from None
    finally:
        process = await starting  # a call that was cancelled while it started has a group to end, too
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    built = folder / package.partition("@")[0].rpartition("/")[2]
    if code or not await asyncio.to_thread(built.is_file):
        raise ServiceError(f"go install {package} failed: {words}", service="Go")
    return built


async def _follow(stream: AsyncIterable[bytes], on_progress: Callable[[str], None]) -> str:
    """Report what the build does, at most twice a second; returns its last lines."""
    began = told = time.monotonic()
    last: list[str] = []
    count = 0
    async for raw in stream:
        line = raw.decode("utf-8", "replace").strip()
        last = [*last[-4:], line]
        count += not line.startswith("go: ")
        if time.monotonic() - told > 0.5:
            told = time.monotonic()
            doing = line.removeprefix("go: ") if line.startswith("go: ") else f"{count} packages compiled"
            on_progress(f"{doing} ({told - began:.0f} s)")
    return " ".join(last)[-500:]
