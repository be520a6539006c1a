"""A folder to fill and a source that reads it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adapters.sources.folder import FolderSource
from adapters.sources.limits import Limits
from crag.errors import SourceError
from crag.types import EVERYONE, Document


@dataclass
class Shelf:
    """A folder `handbook` and what reading it gives."""

    folder: Path
    limits: Limits = field(default_factory=Limits)
    url_base: str = ""
    access: frozenset[str] = frozenset({EVERYONE})
    opened: list[FolderSource] = field(default_factory=list)

    def write(self, name: str, content: str | bytes) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def source(self, *paths: Path) -> FolderSource:
        source = FolderSource(
            paths or (self.folder,), corpus="hr", url_base=self.url_base, access=self.access, limits=self.limits
        )
        self.opened.append(source)
        return source

    async def read(self, name: str) -> Document:
        source = self.source()
        [item] = [item for item in source.list() if item.path == f"handbook/{name}"]
        return await source.read(item)

    async def reason(self, name: str) -> str:
        """Why a file can't be read; the error names the file."""
        with pytest.raises(SourceError) as error:
            await self.read(name)
        assert error.value.path == f"handbook/{name}"
        return str(error.value)


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    folder = tmp_path / "handbook"
    folder.mkdir()
    shelf = Shelf(folder)
    yield shelf
    for source in shelf.opened:
        await source.aclose()
