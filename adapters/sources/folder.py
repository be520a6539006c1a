"""Folders and single files on disk as a source of documents."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import quote

from adapters.sources import front_matter
from adapters.sources.limits import MIB, Limits
from adapters.sources.outline import outline
from adapters.sources.process import ParsingProcess
from adapters.sources.text import check_nesting, clean, decode, without_comments
from crag.errors import SourceError
from crag.ports import SourceItem
from crag.types import Document

SUFFIXES = (".md", ".markdown", ".txt", ".html", ".htm", ".pdf", ".docx")
_IN_PROCESS = frozenset({".md", ".markdown", ".txt"})
_JUNK_FOLDERS = frozenset({"node_modules", "__pycache__", "__MACOSX", "venv", "$RECYCLE.BIN"})
_NAMELESS = frozenset({"index", "readme", "_index"})
_HEAD = 20_000
"""Characters in which the first heading is sought."""
_VERSION = "1"
"""Part of each hash: counted up when parsing changes, so that every file is parsed anew."""
_PASSING = frozenset({errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.EINTR})


@dataclass(frozen=True, slots=True)
class FileItem:
    """A file before it is parsed."""

    id: str
    path: str
    hash: str


class FolderSource:
    """Reads what lies under `paths`. `url_base` goes before a file's path inside its folder to make its link; `access`
    are the labels of files that name none. Used as a context manager: it keeps one parsing process."""

    def __init__(
        self, paths: Sequence[Path], *, corpus: str, url_base: str, access: frozenset[str], limits: Limits
    ) -> None:
        self._roots = tuple(dict.fromkeys(Path(os.path.abspath(path)) for path in paths))
        self._corpus = corpus
        self._url_base = url_base.rstrip("/")
        self._access = access
        self._limits = limits
        self._parsing = ParsingProcess(limits)
        self._salt = "\0".join((_VERSION, corpus, self._url_base, *sorted(access))).encode()

    async def __aenter__(self) -> FolderSource:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the parsing process."""
        await self._parsing.aclose()

    @property
    def roots(self) -> Sequence[str]:
        return tuple(_id(root) for root in self._roots)

    @property
    def missing(self) -> Sequence[str]:
        return tuple(_id(root) for root in self._roots if not root.exists())

    def list(self) -> Iterator[FileItem]:
        """Sorted within each root. Files that can't be read are listed too, so that `read` can say why."""
        seen: set[Path] = set()
        for root in self._roots:
            for file in _files(root):
                if file not in seen:
                    seen.add(file)
                    yield FileItem(_id(file), _shown(file, root), self._hash_of(file))

    async def read(self, item: SourceItem) -> Document:
        file = Path(item.id.removeprefix("file:"))
        try:
            data = await asyncio.to_thread(self._bytes, file, item)
            return await self._document(file, item, data)
        except OSError as error:
            raise _unreadable(error, item.path) from error
        except SourceError as error:
            error.path = item.path
            raise

    def _bytes(self, file: Path, item: SourceItem) -> bytes:
        if _readably(item.id) != item.id:
            raise SourceError("Its name isn't valid UTF-8.", path=item.path, advice="Rename it.")
        if file.suffix.lower() not in SUFFIXES:
            raise SourceError(f"It isn't a kind that Candor reads ({', '.join(SUFFIXES)}).", path=item.path)
        if not _contained(file, self._root_of(file)):
            raise SourceError("It is a link that leaves its folder, so it was not followed.", path=item.path)
        with _opened(file) as handle:
            size = os.fstat(handle.fileno()).st_size
            data = handle.read(self._limits.max_bytes + 1)
        if len(data) > self._limits.max_bytes:
            raise SourceError(
                f"It has {max(size, len(data)) / MIB:,.1f} MiB; the limit is {self._limits.max_bytes / MIB:,.1f} MiB.",
                path=item.path,
            )
        if not data:
            raise SourceError("The file is empty.", path=item.path)
        return data

    async def _document(self, file: Path, item: SourceItem, data: bytes) -> Document:
        kind = file.suffix.lower()
        matter = front_matter.FrontMatter()
        if kind in _IN_PROCESS:
            matter, text = await asyncio.to_thread(self._markdown, data, item.path)
        else:
            if kind in (".html", ".htm"):
                page = clean(await asyncio.to_thread(decode, data, item.path, html=True))
                matter, page = front_matter.split(page, item.path)
                data_in = page.encode("utf-8", "replace")
            else:
                data_in = data
            text = clean(await self._parsing.parse(kind[1:], data_in, item.path))
        if not text.strip():
            nothing = "The file has nothing but its front matter." if matter.title else "The file has no text."
            raise SourceError(nothing, path=item.path)
        await asyncio.to_thread(check_nesting, text, item.path, self._limits.max_nesting)
        return Document(
            id=item.id,
            path=item.path,
            title=matter.title or await asyncio.to_thread(_first_heading, text) or _readable(file),
            text=text,
            hash=self._hash(data),
            url=matter.url or self._url(file, self._root_of(file)),
            corpus=self._corpus,
            access=self._access if matter.access is None else matter.access,
            updated=matter.updated,
        )

    def _root_of(self, file: Path) -> Path:
        root = next((root for root in self._roots if file.is_relative_to(root)), None)
        if root is None or ".." in file.parts:
            raise SourceError("It isn't in a folder that was given.", path=file.name)
        return root

    def _markdown(self, data: bytes, path: str) -> tuple[front_matter.FrontMatter, str]:
        text = clean(decode(data, path))
        if len(text) > self._limits.max_characters:
            raise SourceError(f"It holds more than {self._limits.max_characters:,} characters of text.", path=path)
        matter, text = front_matter.split(text, path)
        return matter, without_comments(text)

    def _url(self, file: Path, root: Path) -> str:
        inside = file.relative_to(root) if file != root else Path(file.name)
        return f"{self._url_base}/{quote(inside.as_posix())}" if self._url_base else ""

    def _hash_of(self, file: Path) -> str:
        """The hash of the file, of its size and time where it is too large to be read, empty where it can't be."""
        try:
            with _opened(file) as handle:
                status = os.fstat(handle.fileno())
                if status.st_size > self._limits.max_bytes:
                    return self._hash(f"{status.st_size} {status.st_mtime_ns}".encode())
                return self._hash(handle.read())
        except (OSError, SourceError):
            return ""

    def _hash(self, data: bytes) -> str:
        return hashlib.sha256(self._salt + b"\0" + hashlib.sha256(data).digest()).hexdigest()


def _id(file: Path) -> str:
    return f"file:{file.as_posix()}"


def kinds(folder: Path) -> tuple[int, int]:
    """How many files of kinds that Candor reads lie in a folder, and how many of others. Raises SourceError."""
    known = [_known(file) for file in _visible(folder)]
    return sum(known), len(known) - sum(known)


def _files(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
        return
    for file in _visible(root):
        if _known(file) and (not file.is_symlink() or not _listed_anyway(file, root)):
            yield file


def _known(file: Path) -> bool:
    return file.name.lower().endswith(SUFFIXES)


def _visible(root: Path) -> Iterator[Path]:
    """Files of whatever kind, without hidden ones and junk."""

    def refuse(error: OSError) -> None:
        raise SourceError(
            f"The folder {error.filename} can't be read: {error.strerror}.", path=str(error.filename)
        ) from error

    for folder, folders, names in os.walk(root, onerror=None if not root.exists() else refuse):
        folders[:] = sorted(name for name in folders if name not in _JUNK_FOLDERS and not name.startswith("."))
        for name in sorted(names):
            if not name.startswith((".", "~$")):
                yield Path(folder, name)


def _contained(file: Path, root: Path) -> bool:
    inside = os.path.realpath(root if root.is_dir() else root.parent)
    return file == root or Path(os.path.realpath(file)).is_relative_to(inside)


def _listed_anyway(link: Path, root: Path) -> bool:
    """A link to a file of the same folder would only double it."""
    return link.exists() and _contained(link, root)


def _shown(file: Path, root: Path) -> str:
    return _readably(file.relative_to(root.parent if file != root else root.parent.parent).as_posix())


def _readably(name: str) -> str:
    """A file's name may hold bytes that are no text."""
    return name.encode("utf-8", "replace").decode()


def _opened(file: Path) -> BinaryIO:
    """Open a plain file; a pipe or a device would hang."""
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise SourceError("It isn't a plain file.")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def _unreadable(error: OSError, path: str) -> SourceError:
    if isinstance(error, FileNotFoundError):
        return SourceError("It disappeared while it was being read.", path=path)
    return SourceError(
        f"It can't be opened: {(error.strerror or 'unknown reason').lower()}.",
        path=path,
        transient=error.errno in _PASSING,
    )


def _first_heading(text: str) -> str:
    return next((heading.text for heading in outline(text[:_HEAD]).headings if heading.level == 1), "")


def _readable(file: Path) -> str:
    name = PurePosixPath(file.parent.name if file.stem.lower() in _NAMELESS else file.stem).name
    words = " ".join(name.replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:] or file.name
