"""The indexer on a source, a store and an embedder in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from crag.errors import CandorError, IndexBusy, ModelError, SearchError, SourceError
from crag.indexing import Indexer, IndexReport, Progress
from crag.types import EVERYONE, Chunk, Document, SearchRequest
from tests.fakes.memory_index import MemoryDatabase, MemoryIndex, MemoryStore
from tests.fakes.models import FakeEmbedder
from tests.fakes.source import FakeSource


class ParagraphChunker:
    """One chunk a paragraph."""

    def __init__(self, fingerprint: str = "paragraphs-1") -> None:
        self.fingerprint = fingerprint

    def chunk(self, document: Document) -> Sequence[Chunk]:
        if "UNCUTTABLE" in document.text:
            raise IndexError(document.path)
        chunks = []
        at = 0
        for part in document.text.split("\n\n"):
            key, span = f"{document.id}#{part}", (at, at + len(part))
            chunks.append(Chunk(key, document.id, document.path, document.title, (), part, span, key))
            at += len(part) + 2
        return chunks


class House:
    """Everything a run needs, kept between runs."""

    def __init__(self) -> None:
        self.source = FakeSource(
            {
                "handbook/leave.md": "Everyone has thirty days of holiday.\n\nFive days carry over.",
                "handbook/travel.md": "Trains are booked in second class.",
                "handbook/pay.md": "Paid Time Off (PTO) is paid in full.",
            }
        )
        self.embedder = FakeEmbedder()
        self.chunker = ParagraphChunker()
        self.database = MemoryDatabase()
        self.store = MemoryStore(self.database, tenant="local")
        self.progress: list[Progress] = []

    @property
    def files(self) -> dict[str, str | Exception]:
        return self.source.files

    async def index(self, *, full: bool = False, dry_run: bool = False) -> IndexReport:
        indexer = Indexer(self.source, self.chunker, self.embedder, self.store)
        return await indexer.run(full=full, dry_run=dry_run, on_progress=self.progress.append)

    async def texts(self, query: str = "days trains paid") -> set[str]:
        """The text of every chunk that queries can find."""
        index = MemoryIndex(self.database, embedder=self.embedder.model, dimension=self.embedder.dimension)
        vector = await FakeEmbedder().embed_query(query)
        request = SearchRequest(query, vector, 100, 0.5, "local", frozenset(), frozenset({"everyone"}))
        return {hit.chunk.text for hit in await index.search(request)}


@pytest.fixture
def house() -> House:
    return House()


async def test_the_first_run_indexes_everything(house: House) -> None:
    report = await house.index()
    assert report.added == ("handbook/leave.md", "handbook/pay.md", "handbook/travel.md")
    assert (report.changed, report.removed, report.unchanged, report.failed) == ((), (), (), ())
    assert report.chunks == 4
    assert report.generation == house.database.alias
    assert "Five days carry over." in await house.texts()


async def test_unchanged_files_cost_nothing(house: House) -> None:
    first = await house.index()
    house.embedder.texts.clear()
    house.source.read_paths.clear()
    second = await house.index()
    assert (second.added, second.changed, len(second.unchanged), second.chunks) == ((), (), 3, 0)
    assert second.generation == first.generation
    assert house.embedder.texts == []
    assert house.source.read_paths == []


async def test_a_changed_file_alone_is_parsed_and_embedded(house: House) -> None:
    await house.index()
    house.embedder.texts.clear()
    house.source.read_paths.clear()
    house.files["handbook/travel.md"] = "Trains are booked in first class."
    report = await house.index()
    assert (report.changed, len(report.unchanged)) == (("handbook/travel.md",), 2)
    assert house.source.read_paths == ["handbook/travel.md"]
    assert len(house.embedder.texts) == 1
    texts = await house.texts()
    assert "Trains are booked in first class." in texts
    assert "Trains are booked in second class." not in texts
    assert "Everyone has thirty days of holiday." in texts


async def test_a_shortened_file_leaves_no_stale_chunk(house: House) -> None:
    await house.index()
    house.files["handbook/leave.md"] = "Everyone has thirty days of holiday."
    await house.index()
    assert "Five days carry over." not in await house.texts()


async def test_a_renamed_file_leaves_no_stale_chunk(house: House) -> None:
    await house.index()
    house.files["handbook/trains.md"] = house.files.pop("handbook/travel.md")
    report = await house.index()
    assert (report.added, report.removed) == (("handbook/trains.md",), ("handbook/travel.md",))
    assert set(await house.store.manifest()) == {
        "file:/srv/handbook/leave.md",
        "file:/srv/handbook/pay.md",
        "file:/srv/handbook/trains.md",
    }


async def test_a_deleted_file_leaves_no_chunk_and_costs_no_embedding(house: House) -> None:
    first = await house.index()
    house.embedder.texts.clear()
    del house.files["handbook/travel.md"]
    report = await house.index()
    assert report.removed == ("handbook/travel.md",)
    assert report.generation == first.generation
    assert house.embedder.texts == []
    assert not any("Trains" in text for text in await house.texts())


async def test_a_file_given_alone_and_deleted_leaves_the_others(house: House) -> None:
    await house.index()
    del house.files["handbook/travel.md"]
    house.source.roots = house.source.missing = ("file:/srv/handbook/travel.md",)
    house.files.clear()
    report = await house.index()
    assert report.removed == ("handbook/travel.md",)
    assert len(await house.store.manifest()) == 2


async def test_a_file_whose_name_begins_like_a_root_is_not_deleted(house: House) -> None:
    house.files["handbook/travel.md.old.md"] = "Trains were booked late."
    await house.index()
    house.files.clear()
    house.source.roots = house.source.missing = ("file:/srv/handbook/travel.md",)
    await house.index()
    assert "file:/srv/handbook/travel.md.old.md" in await house.store.manifest()


async def test_a_root_that_is_unknown_and_missing_is_named(house: House) -> None:
    house.source.roots = house.source.missing = ("file:/srv/nowhere",)
    house.files.clear()
    with pytest.raises(SourceError, match="/srv/nowhere doesn't exist") as error:
        await house.index()
    assert error.value.path == "/srv/nowhere"


@pytest.mark.parametrize("missing", [(), ("file:/srv/handbook",)])
async def test_an_empty_or_missing_folder_does_not_wipe_the_index(house: House, missing: tuple[str, ...]) -> None:
    await house.index()
    house.files.clear()
    house.source.missing = missing
    with pytest.raises(SourceError, match=r"/srv/handbook is .* knows 3 documents") as error:
        await house.index()
    assert "--full" in str(error.value)
    assert len(await house.store.manifest()) == 3


async def test_a_full_run_believes_that_a_folder_is_empty(house: House) -> None:
    await house.index()
    house.files.clear()
    report = await house.index(full=True)
    assert len(report.removed) == 3
    assert await house.texts() == set()


async def test_an_empty_folder_on_the_first_run_gives_an_empty_report(house: House) -> None:
    house.files.clear()
    report = await house.index()
    assert (report.added, report.generation) == ((), "")


async def test_a_file_that_fails_is_named_and_the_others_go_on(house: House) -> None:
    house.files["handbook/scan.pdf"] = SourceError("The PDF has no text: it is a scan.", path="handbook/scan.pdf")
    report = await house.index()
    assert report.failed == (("handbook/scan.pdf", "The PDF has no text: it is a scan."),)
    assert len(report.added) == 3
    assert "handbook/scan.pdf" not in report.added


async def test_a_file_that_cannot_be_cut_is_named_and_the_others_go_on(house: House) -> None:
    house.files["handbook/odd.md"] = "UNCUTTABLE"
    report = await house.index()
    assert [failure.path for failure in report.failed] == ["handbook/odd.md"]
    assert len(report.added) == 3


async def test_a_changed_file_that_fails_leaves_the_index(house: House) -> None:
    await house.index()
    house.files["handbook/travel.md"] = SourceError("The file isn't text.", path="handbook/travel.md")
    report = await house.index()
    assert report.failed[0].path == "handbook/travel.md"
    assert "taken out of the index" in report.failed[0].reason
    assert not any("Trains" in text for text in await house.texts())
    assert len(await house.store.manifest()) == 2


async def test_a_changed_file_that_fails_beside_one_that_does_not_leaves_the_index(house: House) -> None:
    await house.index()
    house.files["handbook/travel.md"] = SourceError("The file isn't text.", path="handbook/travel.md")
    house.files["handbook/leave.md"] = "Everyone has thirty-one days."
    await house.index()
    assert await house.texts() == {"Everyone has thirty-one days.", "Paid Time Off (PTO) is paid in full."}


@pytest.mark.parametrize("another_changes", [False, True])
async def test_a_file_that_fails_in_passing_keeps_its_last_version(house: House, another_changes: bool) -> None:
    await house.index()
    house.files["handbook/travel.md"] = SourceError("The disk didn't answer.", path="", transient=True)
    if another_changes:
        house.files["handbook/leave.md"] = "Everyone has thirty-one days."
    report = await house.index()
    assert "stays in the index" in report.failed[0].reason
    assert "Trains are booked in second class." in await house.texts()


async def test_an_embedder_that_dies_at_document_7_of_10_leaves_the_old_index(house: House) -> None:
    await house.index()
    before = await house.texts()
    live = house.database.alias
    for number in range(10):
        house.files[f"handbook/page{number}.md"] = "\n\n".join(f"Page {number} line {line}" for line in range(64))
    house.embedder = FakeEmbedder(fail_after=6 * 64, error=ModelError("The embedder crashed."))
    with pytest.raises(ModelError, match=r"crashed\. Nothing was changed: the old index answers on"):
        await house.index()
    assert house.progress[-1].done >= 6
    assert await house.texts() == before
    assert house.database.alias == live
    assert house.database.holder == ""


async def test_the_run_after_a_failed_one_indexes_what_is_left(house: House) -> None:
    house.embedder = FakeEmbedder(fail_after=0, error=ModelError("The embedder crashed."))
    with pytest.raises(ModelError, match="Nothing was indexed"):
        await house.index()
    house.embedder = FakeEmbedder()
    assert len((await house.index()).added) == 3


async def test_a_failure_after_a_deletion_says_that_the_deletion_stands(house: House) -> None:
    await house.index()
    del house.files["handbook/travel.md"]
    house.files["handbook/leave.md"] = "New."
    house.embedder = FakeEmbedder(fail_after=0, error=ModelError("The embedder crashed."))
    with pytest.raises(ModelError, match="Deleted files were taken out; nothing else was changed"):
        await house.index()
    assert not any("Trains" in text for text in await house.texts())


async def test_a_store_that_refuses_to_publish_leaves_the_old_index(house: House) -> None:
    await house.index()
    house.files["handbook/leave.md"] = "New."

    def refuse(operation: str) -> None:
        if operation == "publish":
            raise SearchError("The disk is full.")

    house.database.on_call = refuse
    with pytest.raises(SearchError, match=r"disk is full\. Nothing was changed"):
        await house.index()
    house.database.on_call = None
    assert "New." not in await house.texts()


@pytest.mark.parametrize("part", ["embedder", "chunker"])
async def test_another_embedder_or_chunker_indexes_everything_anew(house: House, part: str) -> None:
    await house.index()
    if part == "embedder":
        house.embedder = FakeEmbedder(model="another")
    else:
        house.embedder.texts.clear()
        house.chunker = ParagraphChunker("paragraphs-2")
    report = await house.index()
    assert report.anew
    assert (report.changed, len(report.unchanged), report.chunks) == ((), 3, 4)
    assert len(house.embedder.texts) == 4
    live = await house.store.live()
    assert live is not None
    assert (live.embedder, live.chunker) == (house.embedder.model, house.chunker.fingerprint)


@pytest.mark.parametrize("full", [False, True])
async def test_another_embedder_needs_every_folder_and_names_those_that_miss(house: House, full: bool) -> None:
    await house.index()
    house.source = FakeSource({"wiki/a.md": "Alpha."}, roots=("file:/srv/wiki",))
    house.embedder = FakeEmbedder(model="another")
    with pytest.raises(CandorError, match="/srv/handbook"):
        await house.index(full=full)
    assert len(await house.store.manifest()) == 3


async def test_documents_of_other_folders_stay(house: House) -> None:
    await house.index()
    house.source = FakeSource({"wiki/a.md": "Alpha days."}, roots=("file:/srv/wiki",))
    await house.index()
    await house.index(full=True)
    assert len(await house.store.manifest()) == 4
    assert "Everyone has thirty days of holiday." in await house.texts()


async def test_a_full_run_embeds_everything_again(house: House) -> None:
    first = await house.index()
    house.embedder.texts.clear()
    report = await house.index(full=True)
    assert (len(report.unchanged), report.chunks, len(house.embedder.texts)) == (3, 4, 4)
    assert report.generation != first.generation


async def test_a_dry_run_writes_nothing_and_needs_no_lease(house: House) -> None:
    await house.index()
    house.embedder.texts.clear()
    house.files["handbook/new.md"] = "Something new."
    house.files["handbook/bad.md"] = SourceError("The file is empty.", path="handbook/bad.md")
    del house.files["handbook/travel.md"]
    before = dict(await house.store.manifest())
    async with MemoryStore(house.database, tenant="other").lease():
        report = await house.index(dry_run=True)
    assert (report.added, report.removed, report.chunks) == (("handbook/new.md",), ("handbook/travel.md",), 1)
    assert [failure.path for failure in report.failed] == ["handbook/bad.md"]
    assert house.embedder.texts == []
    assert dict(await house.store.manifest()) == before


async def test_a_second_run_at_the_same_time_is_refused(house: House) -> None:
    async with house.store.lease():
        with pytest.raises(IndexBusy):
            await house.index()


async def test_progress_goes_from_the_first_document_to_the_last(house: House) -> None:
    await house.index()
    assert [step.done for step in house.progress] == [1, 2, 3]
    assert {step.total for step in house.progress} == {3}
    assert house.progress[-1] == replace(house.progress[-1], path="handbook/travel.md", chunks=4)


async def test_the_glossary_covers_kept_and_new_documents(house: House) -> None:
    await house.index()
    house.files["handbook/travel.md"] = "The Travel Expense Form (TEF) is online."
    await house.index()
    index = MemoryIndex(house.database, embedder=house.embedder.model, dimension=house.embedder.dimension)
    glossary = await index.glossary("local", frozenset(), frozenset({EVERYONE}))
    assert dict(glossary.abbreviations) == {"pto": "Paid Time Off", "tef": "Travel Expense Form"}
    assert glossary.words["days"] == 2
    assert "second" not in glossary.words
