"""A program out of a published archive: size, checksum and names are checked before anything of it is kept."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import shutil
import tarfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import aiohttp

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Release:
    """A published archive for one system. `checksum_url` serves its SHA-256 as the first word; where that is missing
    the archive is taken on the word of TLS."""

    url: str
    member: str
    checksum_url: str = ""


async def fetch(
    session: aiohttp.ClientSession, release: Release, folder: Path, *, limit: int, on_progress: Callable[[str], None]
) -> Path:
    """The archive in the folder. Raises ValueError where it is longer than `limit` bytes or its checksum is another."""
    archive = folder / release.url.rpartition("/")[2]
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
                if (await reply.text()).split()[:1] != [digest.hexdigest()]:
                    raise ValueError("its checksum is not the published one")
    return archive


def extract(archive: Path, member: str, folder: Path, *, limit: int) -> Path:
    """The one file that is wanted, under a name of ours: nothing in an archive can choose where it goes."""
    target = folder / "program"
    with contextlib.ExitStack() as stack:
        if archive.suffix == ".zip":
            opened = stack.enter_context(zipfile.ZipFile(archive))
            size, source = opened.getinfo(member).file_size, stack.enter_context(opened.open(member))
        else:
            tar = stack.enter_context(tarfile.open(archive))
            info = next((i for i in tar if i.isfile() and i.name.removeprefix("./") == member), None)
            extracted = tar.extractfile(info) if info else None
            if info is None or extracted is None:
                raise KeyError(f"no {member} in the archive")
            size, source = info.size, stack.enter_context(extracted)
        if size > 4 * limit:
            raise ValueError(f"{member} is longer than {4 * limit // MEGABYTE} MB")
        with target.open("wb") as stream:
            shutil.copyfileobj(source, stream)
    return target
