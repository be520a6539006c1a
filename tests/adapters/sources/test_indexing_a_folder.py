"""A real folder, cut by the real chunker, through the indexer into an index in memory."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from adapters.sources.chunker import MarkdownChunker
from adapters.sources.folder import FolderSource
from crag.errors import SourceError
from crag.indexing import Indexer, IndexReport
from tests.adapters.sources.conftest import Shelf
from tests.adapters.sources.test_chunker import TOKENIZER
from tests.adapters.sources.test_formats import PAGE, pdf, word
from tests.fakes.memory_index import MemoryDatabase, MemoryStore
from tests.fakes.models import FakeEmbedder


class House:
    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.embedder = FakeEmbedder()
        self.database = MemoryDatabase()
        self.store = MemoryStore(self.database, tenant="local")

    async def index(self, *paths: Path, full: bool = False) -> IndexReport:
        source: FolderSource = self.shelf.source(*paths)
        chunker = MarkdownChunker(TOKENIZER, max_tokens=160, min_tokens=64)
        indexer = Indexer(source, chunker, self.embedder, self.store)
        return await indexer.run(full=full, dry_run=False, on_progress=lambda _: None)

    def texts(self) -> str:
        share = self.database.share("local")
        return "\n".join(chunk.text for chunk, _ in share.chunks.values()) if share else ""


@pytest.fixture
def house(shelf: Shelf) -> House:
    shelf.write("leave/holiday.md", "# Holiday\n\nThirty days.\n\n## Carry over\n\nFive days.\n")
    shelf.write("expenses.html", PAGE)
    shelf.write("policy.docx", word())
    shelf.write("rules.pdf", pdf("Page one.", "Page two."))
    shelf.write("notes.txt", "The office opens at eight.")
    shelf.write("broken.pdf", "not a pdf")
    return House(shelf)


async def test_every_format_is_indexed_and_the_broken_file_is_named(house: House) -> None:
    report = await house.index()
    assert set(report.added) == {
        "handbook/expenses.html",
        "handbook/leave/holiday.md",
        "handbook/notes.txt",
        "handbook/policy.docx",
        "handbook/rules.pdf",
    }
    assert report.failed == (("handbook/broken.pdf", "The file isn't a PDF, whatever its name says."),)
    for text in ("Thirty days.", "receipts", "Everyone has thirty days.", "Page two.", "opens at eight"):
        assert text in house.texts()


async def test_touching_renaming_and_indexing_a_part_cost_what_they_must(house: House, shelf: Shelf) -> None:
    await house.index()
    house.embedder.texts.clear()
    (shelf.folder / "leave" / "holiday.md").touch()
    assert (await house.index()).chunks == 0
    assert (await house.index(shelf.folder / "leave")).chunks == 0
    assert (await house.index(shelf.folder / "leave" / "holiday.md")).chunks == 0
    assert house.embedder.texts == []
    (shelf.folder / "notes.txt").rename(shelf.folder / "hours.txt")
    report = await house.index()
    assert (report.added, report.removed) == (("handbook/hours.txt",), ("handbook/notes.txt",))
    assert len(house.embedder.texts) == 1


async def test_a_file_that_was_given_alone_and_is_gone_leaves_the_index(house: House, shelf: Shelf) -> None:
    await house.index()
    (shelf.folder / "notes.txt").unlink()
    report = await house.index(shelf.folder / "notes.txt")
    assert report.removed == ("handbook/notes.txt",)
    assert "opens at eight" not in house.texts()
    assert "Thirty days." in house.texts()


async def test_a_folder_that_is_gone_wipes_nothing_before_it_is_confirmed(house: House, shelf: Shelf) -> None:
    await house.index()
    shutil.rmtree(shelf.folder)
    with pytest.raises(SourceError, match="is missing, but the index knows 5 documents"):
        await house.index()
    assert "Thirty days." in house.texts()
    assert len((await house.index(full=True)).removed) == 5
    assert house.texts() == ""


async def test_a_path_that_never_was_is_named(house: House, shelf: Shelf) -> None:
    with pytest.raises(SourceError, match="nowhere doesn't exist"):
        await house.index(shelf.folder / "nowhere")


async def test_access_that_becomes_unreadable_takes_the_file_out(house: House, shelf: Shelf) -> None:
    await house.index()
    shelf.write("leave/holiday.md", "---\naccess: [\n---\n# Holiday\n\nThirty days.\n")
    report = await house.index()
    assert "handbook/leave/holiday.md" in [failure.path for failure in report.failed]
    assert "Thirty days." not in house.texts()
