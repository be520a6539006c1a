"""A source in memory: documents by path, each of which may fail."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crag.errors import SourceError
from crag.ports import SourceItem
from crag.types import EVERYONE, Document


@dataclass(frozen=True, slots=True)
class FakeItem:
    id: str
    path: str
    hash: str


class FakeSource:
    """`files` maps a path ("handbook/leave.md") to its text, or to the error that reading it raises; tests change it
    between runs. `read_paths` records what was parsed."""

    def __init__(
        self,
        files: dict[str, str | Exception],
        *,
        roots: Sequence[str] = ("file:/srv/handbook",),
        corpus: str = "default",
        access: frozenset[str] = frozenset({EVERYONE}),
    ) -> None:
        self.files = files
        self.roots = roots
        self.missing: Sequence[str] = ()
        self.read_paths: list[str] = []
        self._corpus = corpus
        self._access = access

    def list(self) -> Iterator[FakeItem]:
        for path in sorted(self.files):
            yield FakeItem(f"file:/srv/{path}", path, self._hash(path))

    async def read(self, item: SourceItem) -> Document:
        self.read_paths.append(item.path)
        text = self.files.get(item.path, SourceError("It disappeared while it was being read.", path=item.path))
        if isinstance(text, Exception):
            raise text
        return Document(
            id=item.id,
            path=item.path,
            title=item.path.rpartition("/")[2],
            text=text,
            hash=self._hash(item.path),
            corpus=self._corpus,
            access=self._access,
        )

    def _hash(self, path: str) -> str:
        return hashlib.sha256(repr(self.files[path]).encode()).hexdigest()
