"""A program out of a published archive: size, checksum and names are checked before anything of it is kept."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import hashlib
import shutil
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp

MEGABYTE = 1_000_000
UNUSABLE = (ValueError, KeyError, EOFError, tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error)
"""What a broken, cut or wrong archive raises."""


@dataclass(frozen=True, slots=True)
class Release:
    """A published archive for one system. `checksum_url` serves its SHA-256, alone or in a list with the archives'
    names; where that is missing, or names others only, the archive is taken on the word of TLS. `beside` are patterns
    of other members that the program wants to find in its directory. `opened` reads a compression that tarfile doesn't
    know; it raises ValueError where it can't."""

    url: str
    member: str
    checksum_url: str = ""
    beside: Sequence[str] = ()
    opened: Callable[[Path], AbstractContextManager[IO[bytes]]] | None = None

    @property
    def archive(self) -> str:
        return self.url.rpartition("/")[2]


async def fetch(
    session: aiohttp.ClientSession, release: Release, folder: Path, *, limit: int, on_progress: Callable[[str], None]
) -> Path:
    """The archive in the folder. Raises ValueError where it is longer than `limit` bytes or its checksum is another."""
    archive = folder / release.archive
    digest, size, told = hashlib.sha256(), 0, 0.0
    async with session.get(release.url) as reply:
        reply.raise_for_status()
        whole = reply.content_length or 0
        with archive.open("wb") as stream:
            async for piece in reply.content.iter_chunked(1 << 18):
                size += len(piece)
                if size > limit:
                    raise ValueError(f"longer than {limit // MEGABYTE} MB")
                await asyncio.to_thread(stream.write, piece)
                digest.update(piece)
                if time.monotonic() - told > 1:
                    told = time.monotonic()
                    of = f" of {whole // MEGABYTE}" if whole else ""
                    on_progress(f"{size // MEGABYTE}{of} MB")
    if release.checksum_url:
        async with session.get(release.checksum_url) as reply:
            if reply.status != 404:
                reply.raise_for_status()
                if _published(await reply.text(), release.archive) not in ("", digest.hexdigest()):
                    raise ValueError("its checksum is not the published one")
    return archive


def _published(text: str, archive: str) -> str:
    """The checksum in a file of one line, or before the archive's name in a list."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        lines = [line for line in lines if line[-1].lstrip("*").removeprefix("./") == archive]
    return lines[0][0] if lines else ""


def extract(archive: Path, release: Release, folder: Path, *, limit: int) -> Path:
    """The program, in a new directory with what it wants beside it. Everything gets a name without a folder: nothing in
    an archive can choose where it goes. Raises one of UNUSABLE, ValueError where it unpacks to more than four times
    `limit` bytes."""
    target = Path(tempfile.mkdtemp(dir=folder)) / "program"
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as zipped:
            _within(4 * limit, zipped.getinfo(release.member).file_size)
            with zipped.open(release.member) as source:
                _write(source, target)
        return target
    with contextlib.ExitStack() as stack:
        if release.opened:
            stream = stack.enter_context(release.opened(archive))
            tar = stack.enter_context(tarfile.open(fileobj=stream, mode="r|"))
        else:
            tar = stack.enter_context(tarfile.open(archive))
        _take(tar, release, target, limit=4 * limit)
    return target


def _take(tar: tarfile.TarFile, release: Release, target: Path, *, limit: int) -> None:
    """A link becomes a copy of what it points at, if that is taken too."""
    size = 0
    links: dict[str, str] = {}
    for info in tar:
        size += info.size
        _within(limit, size)
        name = info.name.removeprefix("./")
        plain = PurePosixPath(name).name
        beside = any(fnmatchcase(name, pattern) for pattern in release.beside)
        if info.issym() and beside:
            links[plain] = info.linkname
        elif (name == release.member or beside) and info.isfile() and (source := tar.extractfile(info)):
            _write(source, target if name == release.member else target.with_name(plain))
            if name == release.member and not release.beside:
                return
    if not target.exists():
        raise KeyError(f"no {release.member} in the archive")
    for name in links:
        to = name
        for _ in links:
            to = links.get(to, to)
        if (real := target.with_name(PurePosixPath(to).name)).is_file():
            shutil.copy(real, target.with_name(name))


def _within(limit: int, size: int) -> None:
    if size > limit:
        raise ValueError(f"it unpacks to something longer than {limit // MEGABYTE} MB")


def _write(source: IO[bytes], target: Path) -> None:
    with target.open("wb") as stream:
        shutil.copyfileobj(source, stream)
