"""The program of the LLM server that tests run: the path in TEST_OLLAMA, else PATH, else the user's cache, else the
official release, else built from its Go module.

Of the release for Linux, which is mostly libraries for graphics cards, only the program and its variants for CPUs are
kept: it finds them in its own directory, and without them would compute many times slower. The build needs three
headers that module archives leave out; they are unpacked into the cache, and nothing is installed.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import zstandard

from adapters.binaries import Program, Release, obtain
from adapters.downloads import MEGABYTE
from crag.errors import ServiceError

VERSION = "0.17.4"
MALGO = "github.com/gen2brain/malgo@v0.11.24"
"""A Go module that carries miniaudio.h."""

_BASE = f"https://github.com/ollama/ollama/releases/download/v{VERSION}"


@contextlib.contextmanager
def unzstd(archive: Path) -> Iterator[IO[bytes]]:
    """What is packed in it, as a stream. Raises ValueError where it isn't zstd."""
    try:
        with archive.open("rb") as packed:
            yield zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    except zstandard.ZstdError as error:
        raise ValueError(f"it can't be unpacked: {error}") from error


def linux(machine: str, base: str) -> Release:
    return Release(
        f"{base}/ollama-linux-{machine}.tar.zst",
        "bin/ollama",
        f"{base}/sha256sum.txt",
        beside=("lib/ollama/libggml-base.so*", "lib/ollama/libggml-cpu*.so"),
        opened=unzstd,
    )


def program(cache: Path) -> Program:
    mac = (Release(f"{_BASE}/ollama-darwin.tgz", "ollama", f"{_BASE}/sha256sum.txt"),)
    return Program(
        "ollama",
        VERSION,
        ("ollama",),
        "github.com/ollama/ollama",
        releases={
            ("Linux", "amd64"): (linux("amd64", _BASE),),
            ("Linux", "arm64"): (linux("arm64", _BASE),),
            ("Darwin", "amd64"): mac,
            ("Darwin", "arm64"): mac,
        },
        prepared=lambda: _build_environment(cache),
        limit_bytes=4000 * MEGABYTE,
        download_timeout_s=3600.0,
    )


async def ollama_program(cache: Path, on_progress: Callable[[str], None] = lambda _: None) -> Path:
    """The program's path. Raises ServiceError, naming all that was tried."""
    named = os.environ.get("TEST_OLLAMA")
    explicit = Path(named) if named else None
    try:
        return await obtain(
            program(cache), explicit=explicit, cache=cache, environment=os.environ, on_progress=on_progress
        )
    except ServiceError as error:
        advice = f"{error.advice} For tests, TEST_OLLAMA may name the program."
        raise ServiceError(error.message, service="Ollama", advice=advice) from error


def _build_environment(cache: Path) -> dict[str, str]:
    """What `go install` needs beside the user's own environment, the headers in the cache included."""
    headers = cache / f"ollama-{VERSION}-headers"
    try:
        if not (headers / "complete").exists():
            _get_headers(headers)
    except (OSError, subprocess.SubprocessError) as error:
        words = (getattr(error, "stderr", "") or str(error)).strip()
        raise ServiceError(f"the headers for building it could not be had: {words.splitlines()[-1]}") from error
    flags = "-O3 -mavx2 -mfma -mf16c" if _has_avx2() else "-O3"
    paths = (headers, headers / "usr" / "include")
    # Go splits these at spaces unless they are quoted, and the cache may stand in a directory with one.
    return {"CGO_CPPFLAGS": " ".join(f"'-I{p}'" for p in paths), "CGO_CFLAGS": flags, "CGO_CXXFLAGS": flags}


def _get_headers(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "miniaudio").mkdir(parents=True)
    _run("apt-get", "download", "nlohmann-json3-dev", "libstb-dev", at=folder)
    for package in folder.glob("*.deb"):
        _run("dpkg", "-x", str(package), str(folder), at=folder)
    module = json.loads(_run("go", "mod", "download", "-json", MALGO, at=folder))
    shutil.copy(Path(module["Dir"]) / "miniaudio.h", folder / "miniaudio")
    (folder / "complete").touch()


def _run(*command: str, at: Path) -> str:
    return subprocess.run(command, cwd=at, check=True, capture_output=True, text=True, timeout=600).stdout


def _has_avx2() -> bool:
    info = Path("/proc/cpuinfo")
    return platform.machine() == "x86_64" and info.exists() and " avx2 " in info.read_text()
