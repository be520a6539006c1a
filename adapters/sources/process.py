"""The other end of the parsing process: starts it, hands it files, and replaces it when it dies or runs over."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import signal
import sys
from pathlib import Path

from adapters.sources.frames import LENGTHS, OUT_OF_MEMORY, OUT_OF_MEMORY_STATUS, TOO_DEEP
from adapters.sources.limits import Limits
from crag.errors import SourceError

_ROOT = Path(__file__).resolve().parents[2]
_START_SECONDS = 10.0
_DYING_SECONDS = 2.0
"""Between the end of its output and its exit status."""
_FRESH_AFTER = frozenset({OUT_OF_MEMORY, TOO_DEEP})
"""Failures after which the process may be bloated or odd."""


class ParsingProcess:
    """One process for many files, one file at a time: a start costs half a second, a file milliseconds. It gets no
    environment (no secrets) and ends when its input closes, so it outlives nobody. Used as a context manager."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> ParsingProcess:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    @property
    def pid(self) -> int | None:
        """The running process, None where there is none."""
        return self._process.pid if self._process else None

    async def parse(self, kind: str, data: bytes, path: str) -> str:
        """Markdown of one file. Raises SourceError, naming `path`."""
        async with self._turn:
            try:
                error, advice, text = await self._answer(kind, data)
            except TimeoutError:
                await self._end()
                raise self._too_slow(path) from None
            except (OSError, asyncio.IncompleteReadError) as failure:
                raise self._died(await self._end(_DYING_SECONDS), path) from failure
            except BaseException:
                await self._end()
                raise
            if error in _FRESH_AFTER:
                await self._end()
        if error:
            raise SourceError(error, path=path, advice=advice)
        return text

    async def aclose(self) -> None:
        """End the process; it starts again if another file comes."""
        async with self._turn:
            await self._end()

    async def _answer(self, kind: str, data: bytes) -> tuple[str, str, str]:
        start = 0.0 if self._process is not None and self._process.returncode is None else _START_SECONDS
        process = await self._running()
        if process.stdin is None or process.stdout is None:
            raise BrokenPipeError
        async with asyncio.timeout(start + self._limits.seconds):
            job = json.dumps({"kind": kind, "limits": dataclasses.asdict(self._limits)}).encode()
            process.stdin.write(LENGTHS.pack(len(job), len(data)) + job)
            process.stdin.write(data)
            await process.stdin.drain()
            size, text_size = LENGTHS.unpack(await process.stdout.readexactly(LENGTHS.size))
            header = json.loads(await process.stdout.readexactly(size))
            text = (await process.stdout.readexactly(text_size)).decode()
        return str(header["error"]), str(header["advice"]), text

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-X", "utf8", "-m", "adapters.sources.parser"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd=_ROOT,
                env={"PYTHONPATH": os.pathsep.join(sys.path)},
                start_new_session=True,
            )
        return self._process

    async def _end(self, grace: float = 0.0) -> int:
        """Kill it unless it goes by itself within `grace` seconds, reap it, and return its exit status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        try:
            async with asyncio.timeout(grace):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        status = await process.wait()
        if process.stdin is not None:
            process.stdin.close()
            with contextlib.suppress(OSError):
                await process.stdin.wait_closed()
        return status

    def _died(self, status: int, path: str) -> SourceError:
        if status == -signal.SIGXCPU:
            return self._too_slow(path)
        if status == OUT_OF_MEMORY_STATUS:
            return SourceError(OUT_OF_MEMORY, path=path)
        return SourceError("Its parser crashed.", path=path, advice="Save it anew and try again.")

    def _too_slow(self, path: str) -> SourceError:
        return SourceError(f"Parsing took longer than {self._limits.seconds:g} seconds, so it was stopped.", path=path)
