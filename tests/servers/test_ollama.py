"""The test server itself: it is reached, and it ends with whoever started it."""

from __future__ import annotations

import hashlib
import io
import os
import platform
import signal
import subprocess
import sys
import tarfile
import textwrap
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import httpx
import ollama as client
import pytest
import zstandard
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.binaries import obtain
from crag.errors import ServiceError
from tests.servers.language_models import ModelMissing, PackagedModel, gguf
from tests.servers.ollama import OllamaServer
from tests.servers.ollama_program import linux, ollama_program, program

MACHINE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
STARTER = textwrap.dedent("""
    import asyncio, sys
    from pathlib import Path
    from tests.servers.language_models import PLUMBING
    from tests.servers.ollama import serving

    async def main():
        async with serving(PLUMBING, log=Path(sys.argv[1])) as server:
            print(server.host, flush=True)
            await asyncio.sleep(3600)

    asyncio.run(main())
""")


def answers(host: str) -> bool:
    try:
        with client.Client(host=host, timeout=5) as api:
            api.list()
    except (OSError, httpx.HTTPError, client.ResponseError):
        return False
    return True


@pytest.mark.llm
@pytest.mark.asyncio(loop_scope="session")
async def test_the_server_has_the_model(ollama: OllamaServer) -> None:
    async with client.AsyncClient(host=ollama.host, timeout=30) as api:
        assert ollama.model in {m.model for m in (await api.list()).models}


@pytest.mark.llm
@pytest.mark.parametrize("how", [signal.SIGINT, *([signal.SIGKILL] if sys.platform == "linux" else [])])
def test_the_server_ends_with_its_starter(tmp_path: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-c", STARTER, str(tmp_path / "log")]
    starter = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert starter.stdout
        host = starter.stdout.readline().strip()
        assert answers(host)
        os.kill(starter.pid, how)
        starter.wait(30)
        end = time.monotonic() + 15
        while answers(host) and time.monotonic() < end:
            time.sleep(0.1)
        assert not answers(host)
    finally:
        starter.kill()
        starter.communicate()


async def test_an_explicit_program_that_is_none_is_a_failure_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_OLLAMA", str(tmp_path / "nothing"))
    with pytest.raises(ServiceError, match=r"nothing is not a program.*TEST_OLLAMA"):
        await ollama_program(tmp_path)


def packed(members: Mapping[str, bytes], links: Mapping[str, str]) -> bytes:
    """A .tar.zst with as long a window as the real one has."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for name, to in links.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, to
            archive.addfile(info)
    long_window = zstandard.ZstdCompressionParameters(window_log=27, hash_log=6, chain_log=6)
    packer = zstandard.ZstdCompressor(compression_params=long_window).compressobj()
    return packer.compress(stream.getvalue()) + packer.flush()


async def test_on_a_machine_without_go_or_ollama_the_release_is_unpacked_with_what_a_cpu_needs(tmp_path: Path) -> None:
    base, cpu = "lib/ollama/libggml-base.so", "lib/ollama/libggml-cpu-haswell.so"
    members = {
        "bin/ollama": b"#!/bin/sh\necho $0\n",
        f"{base}.0.0.0": b"base",
        cpu: b"cpu",
        "lib/ollama/cuda_v12/c.so": b"",
    }
    body = packed(members, {base: "libggml-base.so.0", f"{base}.0": "libggml-base.so.0.0.0"})
    name = f"ollama-linux-{MACHINE}.tar.zst"
    files = {name: body, "sha256sum.txt": f"0000  ./other\n{hashlib.sha256(body).hexdigest()}  ./{name}\n".encode()}

    async def serve(request: web.Request) -> web.Response:
        return web.Response(body=files[request.match_info["name"]])

    site = web.Application()
    site.router.add_get("/{name}", serve)
    async with TestServer(site) as server:
        release = linux(MACHINE, str(server.make_url("")).rstrip("/"))
        toy = replace(program(tmp_path), releases={(platform.system(), MACHINE): (release,)})
        path = await obtain(
            toy, explicit=None, cache=tmp_path, environment={"PATH": str(tmp_path)}, on_progress=lambda _: None
        )
    kept = {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.is_symlink()}
    libraries = {f"libggml-base.so{end}": b"base" for end in ("", ".0", ".0.0.0")}
    assert kept == {"ollama": members["bin/ollama"], "libggml-cpu-haswell.so": b"cpu", **libraries}
    assert os.access(path, os.X_OK)


def test_there_is_a_release_for_the_usual_machines(tmp_path: Path) -> None:
    assert set(program(tmp_path).releases) == {(s, m) for s in ("Linux", "Darwin") for m in ("amd64", "arm64")}


async def test_headers_that_can_not_be_had_are_a_reason_among_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\nexit 1\n")
    go.chmod(0o755)
    monkeypatch.delenv("TEST_OLLAMA", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("tests.servers.ollama_program._BASE", "http://127.0.0.1:9")
    with pytest.raises(ServiceError, match=r"127\.0\.0\.1:9.*headers for building it.*apt-get.*TEST_OLLAMA may name"):
        await ollama_program(tmp_path / "cache")


def test_a_model_that_can_not_be_installed_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"tiny .*can't be installed: .*no-such-file"):
        gguf(PackagedModel("tiny", "no-such-file.txt", "*.gguf", "0"), tmp_path)
