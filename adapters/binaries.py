"""One place that gets a server's program: an explicit path, PATH, the user's cache, the official release, or - where
that can't be reached and Go is there - built from its Go module.

What is got is kept in the cache under `NAME-VERSION`, in one step, so that a half one is never seen; two processes at
once get it once.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import platform
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from adapters.builds import go_install
from adapters.downloads import MEGABYTE, UNUSABLE, Release, extract, fetch
from crag.errors import ServiceError

__all__ = ["WEAVIATE", "Program", "Release", "obtain"]

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Program:
    """What to get. `commands` are its names on PATH; `releases` maps (system, machine) to archives, tried in order;
    `module` is the Go package of its main. `prepared` is asked, off the event loop, before a build for what that needs
    beside the user's own environment; it raises ServiceError where that can't be had."""

    name: str
    version: str
    commands: tuple[str, ...]
    module: str
    releases: Mapping[tuple[str, str], tuple[Release, ...]] = field(default_factory=dict)
    prepared: Callable[[], Mapping[str, str]] = dict
    limit_bytes: int = 500 * MEGABYTE
    download_timeout_s: float = 900.0
    build_timeout_s: float = 3600.0


def _weaviate(version: str) -> Program:
    base = f"https://github.com/weaviate/weaviate/releases/download/v{version}/weaviate-v{version}"

    def linux(machine: str) -> tuple[Release, ...]:
        url = f"{base}-linux-{machine}.tar.gz"
        return (
            Release(url, "weaviate", f"{url}.sha256"),
            Release(f"{base}-Linux-{machine}.tar.gz", "weaviate"),
        )

    mac = (Release(f"{base}-Darwin-all.zip", "weaviate"),)
    releases = {
        ("Linux", "amd64"): linux("amd64"),
        ("Linux", "arm64"): linux("arm64"),
        ("Darwin", "amd64"): mac,
        ("Darwin", "arm64"): mac,
    }
    module = "github.com/weaviate/weaviate/cmd/weaviate-server"
    return Program("weaviate", version, ("weaviate", "weaviate-server"), module, releases)


WEAVIATE = _weaviate("1.35.2")


async def obtain(
    program: Program, *, explicit: Path | None, cache: Path, environment: Mapping[str, str], on_progress: Progress
) -> Path:
    """The path of the program, got at the first call (a download takes a minute, a build several). `cache` is a
    directory outside the checkout; `environment` is the user's: its PATH is searched, and a build runs in it.
    Cancelling ends a running build with all its processes.

    Raises ServiceError: the explicit path isn't a program, or no way led to one; it says what was tried.
    """
    if explicit is not None:
        if await asyncio.to_thread(_runnable, explicit):
            return explicit
        raise ServiceError(
            f"{explicit} is not a program that can be run.",
            service=program.name,
            advice=f"Correct the path, or leave it out: {program.name} {program.version} is then got by itself.",
        )
    for command in program.commands:
        if found := await asyncio.to_thread(_on_path, command, environment):
            return Path(found)
    kept = cache / f"{program.name}-{program.version}" / program.name
    if await asyncio.to_thread(_runnable, kept):
        return kept
    try:
        return await _get(program, kept, environment, on_progress)
    except OSError as error:
        raise ServiceError(
            f"{program.name} {program.version} could not be stored in {cache}: {error.strerror or error}.",
            service=program.name,
            advice="Free some space there, or choose another cache directory.",
        ) from error


def _on_path(command: str, environment: Mapping[str, str]) -> str | None:
    return shutil.which(command, path=environment.get("PATH", os.defpath))


async def _get(program: Program, kept: Path, environment: Mapping[str, str], on_progress: Progress) -> Path:
    home = kept.parent.parent
    await asyncio.to_thread(home.mkdir, parents=True, exist_ok=True)
    async with _alone(home / f"{program.name}-{program.version}.lock", program, on_progress):
        if await asyncio.to_thread(_runnable, kept):
            return kept
        tried: list[str] = []
        with _workshop(home, program) as workshop:
            made = await _download(program, workshop, on_progress, tried) or await _build(
                program, workshop, environment, on_progress, tried
            )
            if made is None:
                raise _nothing_helped(program, kept, tried)
            await asyncio.to_thread(_keep, made, kept)
    on_progress(f"{program.name} {program.version} is ready in {kept.parent}")
    return kept


def _nothing_helped(program: Program, kept: Path, tried: list[str]) -> ServiceError:
    return ServiceError(
        f"{program.name} {program.version} could not be had. Not on PATH; not in {kept.parent}; {'; '.join(tried)}.",
        service=program.name,
        advice=f"Connect to the internet once, install Go, or put the program at {kept}.",
    )


def _runnable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _keep(made: Path, kept: Path) -> None:
    """Into the cache, within one file system; what the program wants beside it first, so that it is there whole."""
    made.chmod(0o755)
    kept.parent.mkdir(exist_ok=True)
    for beside in made.parent.iterdir():
        if beside != made:
            beside.replace(kept.with_name(beside.name))
    made.replace(kept)


@contextlib.contextmanager
def _workshop(home: Path, program: Program) -> Iterator[Path]:
    """A directory for half-done work; those of runs that were killed are swept, since only one works at a time."""
    prefix = f".{program.name}-{program.version}-"
    for stale in home.glob(f"{prefix}*"):
        shutil.rmtree(stale, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=home, ignore_cleanup_errors=True) as workshop:
        yield Path(workshop)


@asynccontextmanager
async def _alone(lock: Path, program: Program, on_progress: Progress) -> AsyncIterator[None]:
    """Only one process at a time gets a program; the lock falls with the process that holds it."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        told = False
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not told:
                    on_progress(f"Another process is getting {program.name}; waiting for it")
                told = True
            await asyncio.sleep(0.2)
        yield
    finally:
        os.close(descriptor)


async def _download(program: Program, workshop: Path, on_progress: Progress, tried: list[str]) -> Path | None:
    import aiohttp  # here, because it takes a moment that a start without a download needn't wait

    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    releases = program.releases.get((platform.system(), machine), ())
    if not releases:
        tried.append(f"no release for {platform.system()} on {machine}")

    def tell(amount: str) -> None:
        on_progress(f"Downloading {program.name} {program.version}: {amount}")

    timeout = aiohttp.ClientTimeout(total=program.download_timeout_s, sock_connect=10, sock_read=30)
    for release in releases:
        try:
            async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
                archive = await fetch(session, release, workshop, limit=program.limit_bytes, on_progress=tell)
            return await asyncio.to_thread(extract, archive, release, workshop, limit=program.limit_bytes)
        except (aiohttp.ClientError, TimeoutError, *UNUSABLE) as error:
            tried.append(f"{release.url}: {str(error) or type(error).__name__}")
            if isinstance(error, aiohttp.ClientConnectorError):
                break
    return None


async def _build(
    program: Program, workshop: Path, environment: Mapping[str, str], on_progress: Progress, tried: list[str]
) -> Path | None:
    go = await asyncio.to_thread(_on_path, "go", environment)
    if go is None:
        tried.append("Go is not installed")
        return None
    on_progress(f"Building {program.name} {program.version} with Go; this takes some minutes, once")

    def tell(doing: str) -> None:
        on_progress(f"Building {program.name} {program.version}: {doing}")

    try:
        more = await asyncio.to_thread(program.prepared)
        package = f"{program.module}@v{program.version}"
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, dir=workshop))
        limit = program.build_timeout_s
        return await go_install(go, package, folder, {**environment, **more}, timeout_s=limit, on_progress=tell)
    except ServiceError as error:
        tried.append(error.message)
        return None
