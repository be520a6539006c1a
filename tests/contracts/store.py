"""What every `Store` and its `Draft` must do. A subclass gives the fixture `backend`."""

from __future__ import annotations

import pytest

from crag.errors import IndexBusy, IndexMismatch, SearchError
from crag.ports import Index
from crag.types import EVERYONE, Chunk, DocumentRecord
from tests.contracts.index_data import (
    CARRY_OVER,
    CHUNKER,
    DIMENSION,
    EMBEDDER,
    EXPENSES,
    GLOSSARIES,
    GLOSSARY,
    HOLIDAY,
    PAIRS,
    SALARIES,
    Backend,
    chunk,
    direction,
    fill,
    records,
    request,
)

ALL = frozenset({"everyone", "board"})


async def found(index: Index, tenant: str = "local") -> set[str]:
    """The ids of every chunk that a search with all access finds."""
    return {hit.chunk.id for hit in await index.search(request(limit=50, tenant=tenant, access=ALL))}


def ids(*chunks: Chunk) -> set[str]:
    return {chunk.id for chunk in chunks}


class StoreContract:
    async def test_an_empty_store_has_no_manifest_and_nothing_live(self, backend: Backend) -> None:
        store = await backend.store()
        assert await store.manifest() == {}
        assert await store.live() is None

    async def test_a_published_generation_is_live_with_its_manifest(self, backend: Backend) -> None:
        store = await backend.store()
        name = await fill(store)
        live = await store.live()
        assert live is not None
        assert live.name == name
        assert dict(await store.manifest()) == {record.id: record for record in records([c for c, _ in PAIRS])}

    async def test_a_document_without_chunks_is_remembered(self, backend: Backend) -> None:
        store = await backend.store()
        empty = DocumentRecord("empty.md", "empty.md", "hash", 0)
        async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
            await draft.publish([empty], GLOSSARIES)
        assert dict(await store.manifest()) == {"empty.md": empty}

    async def test_a_draft_is_invisible_until_it_is_published(self, backend: Backend) -> None:
        store, index = await backend.store(), await backend.index()
        await fill(store)
        more = chunk("new.md")
        async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
            await draft.add([more], [direction(1.0)])
            assert more.id not in await found(index)
            await draft.publish(records([more]), GLOSSARIES)
        assert await found(index) == {more.id}

    async def test_a_draft_that_is_not_published_leaves_the_old_generation(self, backend: Backend) -> None:
        store, index = await backend.store(), await backend.index()
        name = await fill(store)
        with pytest.raises(ValueError, match="embedder died"):  # noqa: PT012
            async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
                await draft.add([chunk("new.md")], [direction(1.0)])
                raise ValueError("embedder died")
        live = await store.live()
        assert live is not None
        assert live.name == name
        assert await found(index) == ids(HOLIDAY, CARRY_OVER, EXPENSES, SALARIES)

    async def test_kept_documents_move_along_with_their_vectors(self, backend: Backend) -> None:
        store, index = await backend.store(), await backend.index()
        await fill(store)
        changed = chunk("handbook/expenses.md", 0, "Expenses above 80 euros need a receipt.")
        async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
            kept = await draft.keep(["handbook/holiday.md", "never-seen.md"])
            assert {c.id: c for c in kept} == {c.id: c for c in (HOLIDAY, CARRY_OVER)}
            await draft.add([changed], [direction(0.0, 1.0)])
            await draft.publish(records([*kept, changed]), GLOSSARIES)
        hits = await index.search(request(access=ALL))
        assert {hit.chunk.id: hit.chunk for hit in hits} == {c.id: c for c in (HOLIDAY, CARRY_OVER, changed)}
        assert {hit.chunk.id: hit.cosine for hit in hits}[HOLIDAY.id] == pytest.approx(1.0, abs=1e-5)

    async def test_vectors_of_another_embedder_are_not_kept(self, backend: Backend) -> None:
        store = await backend.store()
        await fill(store)
        async with store.lease(), store.draft(embedder="other@2", dimension=DIMENSION, chunker=CHUNKER) as draft:
            with pytest.raises(IndexMismatch, match="--full"):
                await draft.keep(["handbook/holiday.md"])

    async def test_adding_a_chunk_twice_leaves_one(self, backend: Backend) -> None:
        store, index = await backend.store(), await backend.index()
        async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
            await draft.add([HOLIDAY], [direction(1.0)])
            await draft.add([HOLIDAY], [direction(1.0)])
            await draft.publish(records([HOLIDAY]), GLOSSARIES)
        assert len(await index.search(request())) == 1

    @pytest.mark.parametrize("claimed", [1, 3])
    async def test_a_generation_with_missing_chunks_is_not_published(self, backend: Backend, claimed: int) -> None:
        store = await backend.store()
        name = await fill(store)
        wrong = DocumentRecord("handbook/holiday.md", "handbook/holiday.md", "h", claimed)
        async with store.lease():
            async with store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
                await draft.add([HOLIDAY, CARRY_OVER], [direction(1.0), direction(1.0)])
                with pytest.raises(SearchError, match=r"handbook/holiday\.md"):
                    await draft.publish([wrong], GLOSSARIES)
        live = await store.live()
        assert live is not None
        assert live.name == name

    async def test_a_chunk_of_an_unlisted_document_is_not_published(self, backend: Backend) -> None:
        store = await backend.store()
        async with store.lease():
            async with store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
                await draft.add([HOLIDAY, chunk("stray.md")], [direction(1.0), direction(1.0)])
                with pytest.raises(SearchError, match="stray"):
                    await draft.publish(records([HOLIDAY]), GLOSSARIES)
        assert await store.live() is None

    async def test_a_vector_of_another_length_is_refused(self, backend: Backend) -> None:
        store = await backend.store()
        async with store.lease(), store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft:
            with pytest.raises(SearchError, match=r"holiday\.md"):
                await draft.add([HOLIDAY], [(1.0, 0.0)])

    async def test_a_removed_document_leaves_no_chunk(self, backend: Backend) -> None:
        store, index = await backend.store(), await backend.index()
        name = await fill(store)
        async with store.lease():
            await store.remove(["handbook/holiday.md", "never-seen.md"])
        assert await found(index) == ids(EXPENSES, SALARIES)
        assert set(await store.manifest()) == {"handbook/expenses.md", "board/salaries.md"}
        live = await store.live()
        assert live is not None
        assert (live.name, live.documents, live.chunks) == (name, 2, 2)

    async def test_removing_from_nothing_does_nothing(self, backend: Backend) -> None:
        store = await backend.store()
        async with store.lease():
            await store.remove(["handbook/holiday.md"])
        assert await store.live() is None

    async def test_a_document_that_begins_like_a_removed_one_stays(self, backend: Backend) -> None:
        store, index = await backend.store(), await backend.index()
        pairs = [(chunk("a b.md"), direction(1.0)), (chunk("a.md"), direction(1.0)), (chunk("A.md"), direction(1.0))]
        await fill(store, pairs)
        async with store.lease():
            await store.remove(["a.md"])
        assert await found(index) == {"a b.md#0", "A.md#0"}

    async def test_other_tenants_move_along_unchanged(self, backend: Backend) -> None:
        ours, theirs, index = await backend.store(), await backend.store(tenant="other"), await backend.index()
        await fill(theirs, PAIRS[:2])
        await fill(ours, PAIRS[2:])
        assert await found(index, "other") == ids(HOLIDAY, CARRY_OVER)
        assert await found(index) == ids(EXPENSES, SALARIES)
        assert set(await theirs.manifest()) == {"handbook/holiday.md"}
        assert await index.glossary("other", frozenset(), frozenset({EVERYONE})) == GLOSSARY
        first, second = await theirs.live(), await ours.live()
        assert first is not None
        assert second is not None
        assert (first.name, first.documents, first.chunks) == (second.name, 1, 2)

    async def test_a_tenant_keeps_its_embedder_when_another_changes_its_own(self, backend: Backend) -> None:
        ours, theirs, index = await backend.store(), await backend.store(tenant="other"), await backend.index()
        await fill(theirs)
        async with ours.lease(), ours.draft(embedder="wide@1", dimension=6, chunker=CHUNKER) as draft:
            await draft.add([HOLIDAY], [(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
            await draft.publish(records([HOLIDAY]), GLOSSARIES)
        assert len(await found(index, "other")) == 4
        wide = await backend.index(embedder="wide@1", dimension=6)
        vector = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        assert [hit.chunk for hit in await wide.search(request(vector=vector))] == [HOLIDAY]

    async def test_a_second_run_is_told_who_is_indexing(self, backend: Backend) -> None:
        first, second = await backend.store(), await backend.store(tenant="other")
        async with first.lease():
            with pytest.raises(IndexBusy, match="is indexing"):
                async with second.lease():
                    pass
        async with second.lease():
            pass

    async def test_the_lease_is_given_back_after_a_failure(self, backend: Backend) -> None:
        store = await backend.store()
        with pytest.raises(ValueError, match="broken"):
            async with store.lease():
                raise ValueError("broken")
        async with store.lease():
            pass

    async def test_writing_without_the_lease_is_a_mistake(self, backend: Backend) -> None:
        store = await backend.store()
        with pytest.raises(RuntimeError, match="lease"):
            await store.remove(["a.md"])
        with pytest.raises(RuntimeError, match="lease"):
            async with store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER):
                pass
