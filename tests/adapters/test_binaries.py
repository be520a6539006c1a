"""Getting a server's program: where from, in which order, and what is said when there is no way."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import io
import os
import platform
import tarfile
import zipfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.binaries import WEAVIATE, Program, Release, obtain
from crag.errors import ServiceError
from tests.servers.ollama_program import unzstd
from tests.servers.processes import running

SCRIPT = b"#!/bin/sh\necho toy\n"
MACHINE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
HERE = (platform.system(), MACHINE)


def toy(*releases: Release, limit_bytes: int = 1_000_000) -> Program:
    return Program("toy", "1.2.3", ("toy",), "example.com/toy/cmd/toy-main", {HERE: releases}, limit_bytes=limit_bytes)


def executable(path: Path, text: bytes = SCRIPT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    path.chmod(0o755)
    return path


def tarball(name: str = "toy", content: bytes = SCRIPT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def packed(content: bytes) -> bytes:
    return zstandard.compress(gzip.decompress(content))


def zipped(content: bytes = SCRIPT) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("toy", content)
    return stream.getvalue()


@pytest.fixture(autouse=True)
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH of the system's basics and one directory of ours, without Go."""
    own = tmp_path / "tools"
    own.mkdir()
    monkeypatch.setenv("PATH", f"{own}:/usr/bin:/bin")
    return own


@pytest.fixture
async def site() -> AsyncIterator[dict[str, bytes]]:
    """Files by path, served under the base address that stands under the key "base"."""
    files: dict[str, bytes] = {}

    async def serve(request: web.Request) -> web.Response:
        if request.path not in files:
            raise web.HTTPNotFound
        return web.Response(body=files[request.path])

    application = web.Application()
    application.router.add_get("/{name:.*}", serve)
    async with TestServer(application) as server:
        files["base"] = str(server.make_url("/")).rstrip("/").encode()
        yield files


def release(site: dict[str, bytes], name: str, *, checksum: bool = False) -> Release:
    url = f"{site['base'].decode()}/{name}"
    opened = unzstd if name.endswith(".zst") else None
    return Release(url, "toy", f"{url}.sha256" if checksum else "", opened=opened)


def fake_go(tools: Path, script: str) -> None:
    executable(tools / "go", f"#!/bin/sh\n{script}\n".encode())


async def get(program: Program, cache: Path, explicit: Path | None = None, progress: list[str] | None = None) -> Path:
    lines: list[str] = [] if progress is None else progress
    return await obtain(program, explicit=explicit, cache=cache, environment=os.environ, on_progress=lines.append)


async def test_an_explicit_path_wins(tmp_path: Path, tools: Path) -> None:
    executable(tools / "toy")
    mine = executable(tmp_path / "my toy")
    assert await get(toy(), tmp_path / "cache", mine) == mine


async def test_an_explicit_path_that_is_no_program_is_an_error_and_not_passed_over(tmp_path: Path) -> None:
    text = tmp_path / "toy.txt"
    text.write_text("no program")
    for wrong in (text, tmp_path / "missing", tmp_path):
        with pytest.raises(ServiceError, match=r"not a program.*Correct the path"):
            await get(toy(), tmp_path / "cache", wrong)


async def test_path_comes_before_the_cache(tmp_path: Path, tools: Path) -> None:
    kept = executable(tmp_path / "cache/toy-1.2.3/toy")
    assert await get(toy(), tmp_path / "cache") == kept
    own = executable(tools / "toy")
    assert await get(toy(), tmp_path / "cache") == own


@pytest.mark.parametrize(
    ("name", "body"),
    [("toy.tar.gz", tarball("./toy")), ("toy.zip", zipped()), ("toy.tar.zst", packed(tarball("./toy")))],
    ids=["tar.gz", "zip", "tar.zst"],
)
async def test_a_release_is_downloaded_once(tmp_path: Path, site: dict[str, bytes], name: str, body: bytes) -> None:
    site[f"/{name}"] = body
    site[f"/{name}.sha256"] = f"{hashlib.sha256(body).hexdigest()}  {name}\n".encode()
    program = toy(release(site, name, checksum=True))
    progress: list[str] = []
    path = await get(program, tmp_path / "ca che", progress=progress)
    assert path.read_bytes() == SCRIPT
    assert os.access(path, os.X_OK)
    assert any("Downloading toy 1.2.3" in line for line in progress)
    del site[f"/{name}"]
    assert await get(program, tmp_path / "ca che") == path
    assert [p.name for p in (tmp_path / "ca che").iterdir() if p.is_dir()] == ["toy-1.2.3"]


async def test_a_release_with_another_checksum_is_refused(tmp_path: Path, site: dict[str, bytes]) -> None:
    site["/toy.tar.gz"] = tarball()
    site["/toy.tar.gz.sha256"] = b"0" * 64
    with pytest.raises(ServiceError, match="checksum is not the published one"):
        await get(toy(release(site, "toy.tar.gz", checksum=True)), tmp_path / "cache")
    assert not (tmp_path / "cache/toy-1.2.3").exists()


async def test_a_release_that_is_too_long_is_refused(tmp_path: Path, site: dict[str, bytes]) -> None:
    site["/toy.tar.gz"] = tarball(content=os.urandom(200_000))
    with pytest.raises(ServiceError, match="longer than"):
        await get(toy(release(site, "toy.tar.gz"), limit_bytes=100_000), tmp_path / "cache")
    bomb = tarball(content=b"0" * 500_000)
    for name, body in {"toy.tar.gz": bomb, "toy.tar.zst": packed(bomb)}.items():
        site[f"/{name}"] = body
        with pytest.raises(ServiceError, match="unpacks to something longer than"):
            await get(toy(release(site, name), limit_bytes=100_000), tmp_path / "cache")


async def test_a_checksum_is_found_in_a_list(tmp_path: Path, site: dict[str, bytes]) -> None:
    site["/toy.tar.gz"] = tarball()
    others = f"{'1' * 64}  ./other.tar.gz\n"
    site["/toy.tar.gz.sha256"] = f"{others}{'0' * 64}  ./toy.tar.gz\n".encode()
    program = toy(release(site, "toy.tar.gz", checksum=True))
    with pytest.raises(ServiceError, match="checksum is not the published one"):
        await get(program, tmp_path / "cache")
    right = hashlib.sha256(site["/toy.tar.gz"]).hexdigest()
    site["/toy.tar.gz.sha256"] = f"{others}{right}  ./toy.tar.gz\n".encode()
    assert (await get(program, tmp_path / "cache")).read_bytes() == SCRIPT


async def test_nothing_in_an_archive_can_choose_where_it_goes(tmp_path: Path, site: dict[str, bytes]) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name in ("toy", "lib/../../../up.so", "/abs.so", "lib/plain.so"):
            info = tarfile.TarInfo(name)
            info.size = len(SCRIPT)
            archive.addfile(info, io.BytesIO(SCRIPT))
        for name, to in {
            "lib/a.so": "b.so",
            "lib/b.so": "a.so",
            "lib/c.so": "/etc/passwd",
            "lib/d.so": "plain.so",
        }.items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, to
            archive.addfile(link)
    site["/toy.tar.gz"] = stream.getvalue()
    beside = replace(release(site, "toy.tar.gz"), beside=("*.so",))
    path = await get(toy(beside), tmp_path / "cache")
    kept = {file.name: file.is_symlink() for file in path.parent.iterdir()}
    assert kept == dict.fromkeys(["toy", "up.so", "abs.so", "plain.so", "d.so"], False)
    outside = await asyncio.to_thread(lambda: [file for file in tmp_path.rglob("*.so") if file.parent != path.parent])
    assert outside == []


@pytest.mark.parametrize("ending", ["tar.gz", "tar.zst"])
@pytest.mark.parametrize("how", ["no archive", "another's", "half"])
async def test_a_release_that_is_no_archive_of_it_is_passed_over(
    tmp_path: Path, site: dict[str, bytes], ending: str, how: str
) -> None:
    whole = tarball("other" if how == "another's" else "toy", os.urandom(50_000))
    whole = packed(whole) if ending == "tar.zst" else whole
    site[f"/bad.{ending}"] = {"no archive": b"no archive", "half": whole[: len(whole) // 2]}.get(how, whole)
    site["/good.tar.gz"] = tarball()
    program = toy(release(site, "missing.zip"), release(site, f"bad.{ending}"), release(site, "good.tar.gz"))
    assert (await get(program, tmp_path / "cache")).read_bytes() == SCRIPT


async def test_without_any_way_the_error_says_what_was_tried_and_what_to_do(tmp_path: Path) -> None:
    unreachable = Release("http://127.0.0.1:9/toy.tar.gz", "toy")
    with pytest.raises(ServiceError) as caught:
        await get(toy(unreachable), tmp_path / "cache")
    text = str(caught.value)
    for part in ("Not on PATH", "127.0.0.1:9", "Go is not installed", "install Go", "cache/toy-1.2.3/toy"):
        assert part in text


async def test_where_no_release_can_be_reached_go_builds_it(tmp_path: Path, tools: Path) -> None:
    fake_go(tools, 'echo "go: downloading x" >&2; echo "$@" > "$GOBIN/../../asked"; cp /bin/true "$GOBIN/toy-main"')
    path = await get(toy(Release("http://127.0.0.1:9/toy.tar.gz", "toy")), tmp_path / "cache")
    assert path == tmp_path / "cache/toy-1.2.3/toy"
    assert (tmp_path / "cache/asked").read_text().split() == ["install", "-v", "example.com/toy/cmd/toy-main@v1.2.3"]


async def test_a_build_sees_the_extra_environment(tmp_path: Path, tools: Path) -> None:
    fake_go(tools, 'printf "#!/bin/sh\\n# $CGO_CFLAGS" > "$GOBIN/toy-main"')
    program = Program("toy", "1", ("toy",), "example.com/toy-main", prepared=lambda: {"CGO_CFLAGS": "-O3 -mavx2"})
    assert "-O3 -mavx2" in (await get(program, tmp_path / "cache")).read_text()


async def test_a_failed_build_is_reported_with_its_last_words(tmp_path: Path, tools: Path) -> None:
    fake_go(tools, 'echo "miniaudio.h: No such file" >&2; exit 1')
    with pytest.raises(ServiceError, match=r"go install .* failed: miniaudio\.h: No such file"):
        await get(toy(), tmp_path / "cache")


async def cancelled_with_its_child(tmp_path: Path) -> None:
    """Start a build whose child writes its number, cancel it, and wait until the child is gone, too."""
    task = asyncio.create_task(get(toy(), tmp_path / "cache"))
    while not (tmp_path / "child").exists() or not (tmp_path / "child").read_text().strip():  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    child = int((tmp_path / "child").read_text())
    async with asyncio.timeout(10):  # the signal is sent; a busy machine delivers it in its own time
        while running(child):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_cancelled_build_leaves_no_process_and_no_file(tmp_path: Path, tools: Path) -> None:
    fake_go(tools, f'sleep 600 & echo $! > "{tmp_path}/child"; wait')
    await cancelled_with_its_child(tmp_path)
    assert [p.name for p in (tmp_path / "cache").iterdir()] == ["toy-1.2.3.lock"]


async def test_a_build_that_is_cancelled_while_it_starts_leaves_no_process(
    tmp_path: Path, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_go(tools, f'sleep 600 & echo $! > "{tmp_path}/child"; wait')
    start = asyncio.create_subprocess_exec

    async def slowly(*arguments: str, **options: Any) -> asyncio.subprocess.Process:
        process = await start(*arguments, **options)
        await asyncio.sleep(0.5)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", slowly)
    await cancelled_with_its_child(tmp_path)


async def test_two_at_once_build_once(tmp_path: Path, tools: Path) -> None:
    fake_go(tools, f'echo built >> "{tmp_path}/count"; sleep 0.3; cp /bin/true "$GOBIN/toy-main"')
    progress: list[str] = []
    paths = await asyncio.gather(*(get(toy(), tmp_path / "cache", progress=progress) for _ in range(2)))
    assert paths[0] == paths[1]
    assert (tmp_path / "count").read_text().split() == ["built"]
    assert any("Another process is getting toy" in line for line in progress)


async def test_what_a_killed_run_left_is_swept(tmp_path: Path, site: dict[str, bytes]) -> None:
    stale = tmp_path / "cache/.toy-1.2.3-abc"
    stale.mkdir(parents=True)
    (stale / "half").write_bytes(b"half")
    site["/toy.tar.gz"] = tarball()
    await get(toy(release(site, "toy.tar.gz")), tmp_path / "cache")
    assert not stale.exists()


async def test_a_cache_that_can_not_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(ServiceError, match=r"could not be stored in .*cache"):
        await get(toy(), tmp_path / "cache")


def test_weaviate_has_a_release_for_the_usual_machines() -> None:
    assert set(WEAVIATE.releases) == {
        (system, machine) for system in ("Linux", "Darwin") for machine in ("amd64", "arm64")
    }
