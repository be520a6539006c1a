"""One real Ollama server a test session, on a free port, with a small model; ended with the session, however that ends.

Its program: the path in TEST_OLLAMA, else PATH, else the user's cache, else the official release, else built
from its Go module. The build needs three headers that module archives leave out; they are unpacked into the cache, and
nothing is installed.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import hashlib
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import ollama as client
import pytest
import pytest_asyncio

from adapters.binaries import Program, Release, obtain
from crag.errors import ServiceError
from tests.servers.language_models import CACHE, PLUMBING, PackagedModel, gguf

VERSION = "0.17.4"
MALGO = "github.com/gen2brain/malgo@v0.11.24"
"""A Go module that carries miniaudio.h."""

_MAC = (Release(f"https://github.com/ollama/ollama/releases/download/v{VERSION}/ollama-darwin.tgz", "ollama"),)
OLLAMA = Program(
    "ollama",
    VERSION,
    ("ollama",),
    "github.com/ollama/ollama",
    releases={("Darwin", "amd64"): _MAC, ("Darwin", "arm64"): _MAC},
)
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


async def ollama_program(cache: Path, on_progress: Callable[[str], None] = lambda _: None) -> Path:
    """The program's path. Raises ServiceError, naming all that was tried."""
    explicit = os.environ.get("TEST_OLLAMA")
    program, problem = OLLAMA, ""
    if not (explicit or shutil.which("ollama") or (cache / f"ollama-{VERSION}" / "ollama").exists()):
        try:
            program = replace(OLLAMA, go_environment=await asyncio.to_thread(_build_environment, cache))
        except (OSError, subprocess.CalledProcessError) as error:
            words = getattr(error, "stderr", "") or str(error)
            problem = f"The headers for building it could not be had: {words.strip().splitlines()[-1]}"
    try:
        return await obtain(
            program, explicit=Path(explicit) if explicit else None, cache=cache, on_progress=on_progress
        )
    except ServiceError as error:
        advice = f"{error.advice} For tests, TEST_OLLAMA may name the program."
        raise ServiceError(f"{error.message} {problem}".strip(), service="Ollama", advice=advice) from error


def _build_environment(cache: Path) -> dict[str, str]:
    """What `go install` needs beside the user's own environment, the headers in the cache included."""
    headers = cache / f"ollama-{VERSION}-headers"
    if not (headers / "complete").exists():
        shutil.rmtree(headers, ignore_errors=True)
        (headers / "miniaudio").mkdir(parents=True)
        _run("apt-get", "download", "nlohmann-json3-dev", "libstb-dev", at=headers)
        for package in headers.glob("*.deb"):
            _run("dpkg", "-x", str(package), str(headers), at=headers)
        module = json.loads(_run("go", "mod", "download", "-json", MALGO, at=headers))
        shutil.copy(Path(module["Dir"]) / "miniaudio.h", headers / "miniaudio")
        (headers / "complete").touch()
    flags = "-O3 -mavx2 -mfma -mf16c" if _has_avx2() else "-O3"
    paths = (headers, headers / "usr" / "include")
    # Go splits these at spaces unless they are quoted, and the cache may stand in a directory with one.
    return {"CGO_CPPFLAGS": " ".join(f"'-I{p}'" for p in paths), "CGO_CFLAGS": flags, "CGO_CXXFLAGS": flags}


def _run(*command: str, at: Path) -> str:
    return subprocess.run(command, cwd=at, check=True, capture_output=True, text=True, timeout=600).stdout


def _has_avx2() -> bool:
    info = Path("/proc/cpuinfo")
    return platform.machine() == "x86_64" and info.exists() and " avx2 " in info.read_text()


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
