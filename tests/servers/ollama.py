"""One real Ollama server a test session, on a free port, with a small model; it ends with the session, however that
ends."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import ollama as client
import pytest
import pytest_asyncio

from crag.errors import ServiceError
from tests.servers.language_models import CACHE, PLUMBING, PackagedModel, gguf
from tests.servers.ollama_program import ollama_program

START_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class OllamaServer:
    """`host` is its address; `model` is one that it has; `context_window` is what its /v1 reads, in tokens; `log` is
    the file it writes to."""

    host: str
    model: str
    context_window: int
    log: Path


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def ollama(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OllamaServer]:
    """Where no server or model can be had, the tests that want one fail with the reason."""
    async with serving(PLUMBING, log=tmp_path_factory.mktemp("ollama") / "ollama.log") as server:
        yield server


@contextlib.asynccontextmanager
async def serving(model: PackagedModel, *, log: Path, context_window: int = 4096) -> AsyncIterator[OllamaServer]:
    """A running server that has `model`."""
    program, weights = await asyncio.gather(ollama_program(CACHE), asyncio.to_thread(gguf, model))
    with _running(program, log, context_window) as host:
        async with client.AsyncClient(host=host, timeout=30) as api:
            await _ready(api, log)
            known = {m.model for m in (await api.list()).models}
        recipe = model.recipe(weights)
        name = f"{model.name}:{hashlib.sha256(recipe.encode()).hexdigest()[:8]}"
        if name not in known:
            await asyncio.to_thread(_create, program, host, name, recipe, log.parent)
        yield OllamaServer(host, name, context_window, log)


@contextlib.contextmanager
def _running(program: Path, log: Path, context_window: int) -> Iterator[str]:
    """The server's address. It stands in a process group of its own, so that Ctrl-C reaches it through us only, and
    on Linux the kernel ends it with us, even if we are killed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "OLLAMA_HOST": f"127.0.0.1:{port}",
        "OLLAMA_MODELS": str(CACHE / "ollama-models"),
        "OLLAMA_NOPRUNE": "1",  # another session may be writing a model at this moment
        "OLLAMA_CONTEXT_LENGTH": str(context_window),
        "OLLAMA_NUM_PARALLEL": "1",
        "OLLAMA_KEEP_ALIVE": "10m",
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [program, "serve"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        _end(process)


def _create(program: Path, host: str, name: str, recipe: str, folder: Path) -> None:
    """Through its command line, which uploads only what the server lacks."""
    file = folder / "Modelfile"
    file.write_text(recipe)
    command = [str(program), "create", name, "-f", str(file)]
    environment = {**os.environ, "OLLAMA_HOST": host}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        words = done.stderr.strip()[-300:]
        raise ServiceError(f"Ollama couldn't take the model {name}: {words}", service="Ollama")


def _die_with_parent() -> None:
    """PR_SET_PDEATHSIG; on SIGTERM the server ends its runners too."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(10)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


async def _ready(api: client.AsyncClient, log: Path) -> None:
    end = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end:
        with contextlib.suppress(ConnectionError, client.ResponseError):
            await api.list()
            return
        await asyncio.sleep(0.1)
    last = (await asyncio.to_thread(log.read_text)).strip().splitlines()[-1:] or ["its log is empty"]
    raise ServiceError(f"Ollama wasn't ready within {START_TIMEOUT_S:.0f} s: {last[0]}", service="Ollama")
