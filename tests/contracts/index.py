"""What every `Index` must do. A subclass gives the fixture `backend`."""

from __future__ import annotations

import pytest

from crag.errors import IndexMismatch, IndexMissing
from crag.types import EVERYONE, Glossary, Shelf
from tests.contracts.index_data import (
    CARRY_OVER,
    CHUNKER,
    DIMENSION,
    EMBEDDER,
    EXPENSES,
    GLOSSARY,
    HOLIDAY,
    PAIRS,
    SALARIES,
    Backend,
    chunk,
    direction,
    fill,
    request,
)

ALL = frozenset({EVERYONE})


class IndexContract:
    async def test_nothing_indexed_is_said_and_not_an_empty_result(self, backend: Backend) -> None:
        index = await backend.index()
        assert await index.live("local") is None
        assert await index.glossary("local", frozenset(), ALL) == Glossary()
        with pytest.raises(IndexMissing, match="candor index"):
            await index.search(request())

    async def test_a_tenant_without_an_index_sees_none_of_another(self, backend: Backend) -> None:
        await fill(await backend.store(tenant="acme"))
        index = await backend.index()
        assert await index.live("other") is None
        with pytest.raises(IndexMissing):
            await index.search(request(tenant="other"))

    async def test_two_tenants_see_only_their_own(self, backend: Backend) -> None:
        theirs = chunk("theirs.md", text="Staff may take 30 days of holiday a year.")
        await fill(await backend.store(tenant="acme"))
        await fill(await backend.store(tenant="other"), [(theirs, direction(1.0))])
        index = await backend.index()
        assert [hit.chunk for hit in await index.search(request(tenant="other"))] == [theirs]
        assert theirs not in [hit.chunk for hit in await index.search(request(tenant="acme"))]

    async def test_a_chunk_comes_back_as_it_went_in(self, backend: Backend) -> None:
        await fill(await backend.store())
        hits = await (await backend.index()).search(request())
        assert {hit.chunk.id: hit.chunk for hit in hits} == {c.id: c for c in (HOLIDAY, CARRY_OVER, EXPENSES)}

    async def test_hits_are_best_first_and_limited(self, backend: Backend) -> None:
        await fill(await backend.store())
        index = await backend.index()
        hits = await index.search(request())
        assert [hit.fused for hit in hits] == sorted((hit.fused for hit in hits), reverse=True)
        assert hits[0].chunk == HOLIDAY
        assert [hit.chunk for hit in await index.search(request(limit=1))] == [HOLIDAY]
        assert await index.search(request(limit=0)) == []

    async def test_the_cosine_is_that_of_the_two_vectors(self, backend: Backend) -> None:
        await fill(await backend.store())
        hits = await (await backend.index()).search(request(vector=direction(1.0)))
        cosines = {hit.chunk.id: hit.cosine for hit in hits}
        for found, vector in PAIRS[:3]:
            assert cosines[found.id] == pytest.approx(vector[0], abs=1e-5)

    async def test_alpha_weighs_vector_against_words(self, backend: Backend) -> None:
        await fill(await backend.store())
        index = await backend.index()
        by_vector = await index.search(request("receipt for expenses", direction(1.0), alpha=1.0))
        by_words = await index.search(request("receipt for expenses", direction(1.0), alpha=0.0))
        assert by_vector[0].chunk == HOLIDAY
        assert by_words[0].chunk == EXPENSES

    async def test_a_title_is_searched_like_a_text(self, backend: Backend) -> None:
        named = chunk("handbook/sabbatical.md", text="Ask your lead three months ahead.")
        await fill(await backend.store(), [*PAIRS, (named, direction(0.0, 0.0, 0.0, 1.0))])
        hits = await (await backend.index()).search(request("sabbatical", direction(1.0), alpha=0.0))
        assert hits[0].chunk == named

    async def test_only_what_the_asker_may_see_is_found(self, backend: Backend) -> None:
        await fill(await backend.store())
        index = await backend.index()
        ask = request("Who sets salaries?", direction(0.0, 0.0, 1.0))
        assert SALARIES not in [hit.chunk for hit in await index.search(ask)]
        board = request("Who sets salaries?", direction(0.0, 0.0, 1.0), access=frozenset({"board", "nobody"}))
        assert [hit.chunk for hit in await index.search(board)] == [SALARIES]

    async def test_an_access_label_matches_whole_and_exactly(self, backend: Backend) -> None:
        secret = chunk("hr/plan.md", text="Holiday plan.", access=frozenset({"team-HR lead"}))
        await fill(await backend.store(), [(secret, direction(1.0))])
        index = await backend.index()
        for label in ("team", "team-hr lead", "lead", "team-HR"):
            assert await index.search(request(access=frozenset({label}))) == []
        assert len(await index.search(request(access=frozenset({"team-HR lead"})))) == 1

    async def test_no_access_label_finds_nothing(self, backend: Backend) -> None:
        await fill(await backend.store())
        assert await (await backend.index()).search(request(access=frozenset())) == []

    async def test_corpora_narrow_the_search(self, backend: Backend) -> None:
        await fill(await backend.store())
        index = await backend.index()
        both = frozenset({"everyone", "board"})
        narrowed = await index.search(request(access=both, corpora=frozenset({"board"})))
        assert [hit.chunk for hit in narrowed] == [SALARIES]
        assert len(await index.search(request(access=both, corpora=frozenset({"board", "default"})))) == 4
        assert await index.search(request(access=both, corpora=frozenset({"unknown"}))) == []

    @pytest.mark.parametrize(
        "text", ["", "   ", "?!…", "the of and", "🎉🎉", "a" * 10_000, 'say "x" \\ {"y": null}\n\x00']
    )
    async def test_a_query_without_a_keyword_still_finds_by_vector(self, backend: Backend, text: str) -> None:
        await fill(await backend.store())
        hits = await (await backend.index()).search(request(text, direction(0.0, 1.0)))
        assert hits[0].chunk == EXPENSES

    async def test_an_index_of_another_embedder_is_named_and_not_searched(self, backend: Backend) -> None:
        await fill(await backend.store())
        for index in (await backend.index(embedder="other@2"), await backend.index(dimension=DIMENSION + 1)):
            with pytest.raises(IndexMismatch, match=f"{EMBEDDER}.*{DIMENSION}.*--full"):
                await index.search(request())

    async def test_an_index_without_documents_finds_nothing(self, backend: Backend) -> None:
        await fill(await backend.store(), [])
        index = await backend.index()
        assert await index.search(request()) == []

    async def test_the_live_generation_tells_what_it_holds(self, backend: Backend) -> None:
        name = await fill(await backend.store())
        live = await (await backend.index()).live("local")
        assert live is not None
        assert (live.name, live.embedder, live.dimension, live.chunker) == (name, EMBEDDER, DIMENSION, CHUNKER)
        assert (live.documents, live.chunks) == (3, 4)

    async def test_the_glossary_is_that_of_the_live_generation(self, backend: Backend) -> None:
        store = await backend.store()
        await fill(store)
        index = await backend.index()
        assert await index.glossary("local", frozenset(), ALL) == GLOSSARY
        newer = Glossary({"hr": "human resources"}, {"größe": 1})
        await fill(store, glossaries={Shelf(): newer})
        assert await index.glossary("local", frozenset(), ALL) == newer

    @pytest.mark.parametrize(
        ("corpora", "access", "words"),
        [
            ((), ("everyone",), {"holiday": 2, "expenses": 1}),
            ((), ("everyone", "audit"), {"holiday": 3, "expenses": 1, "salaries": 1}),
            (("default",), ("everyone", "board"), {"holiday": 2, "expenses": 1}),
            (("board",), ("everyone", "board"), {"holiday": 1, "salaries": 1}),
            (("board",), ("everyone",), {}),
            ((), (), {}),
        ],
    )
    async def test_the_glossary_has_the_words_of_visible_documents_only(
        self, backend: Backend, corpora: tuple[str, ...], access: tuple[str, ...], words: dict[str, int]
    ) -> None:
        await fill(await backend.store())
        index = await backend.index()
        glossary = await index.glossary("local", frozenset(corpora), frozenset(access))
        assert dict(glossary.words) == words
        assert set(glossary.abbreviations) == {s for s, w in (("pto", "expenses"), ("ra", "salaries")) if w in words}

    async def test_only_documents_that_the_asker_may_see_are_counted(self, backend: Backend) -> None:
        await fill(await backend.store())
        live = await (await backend.index()).live("local")
        assert live is not None
        assert live.searched(frozenset(), frozenset({EVERYONE, "board"})) == live.documents
        assert live.searched(frozenset(), ALL) == live.searched(frozenset({"default"}), ALL | {"board"}) == 2

    async def test_all_that_the_asker_may_see_can_be_read_through(self, backend: Backend) -> None:
        await fill(await backend.store())
        index = await backend.index()
        seen = await index.passages("local", frozenset(), ALL, limit=10)
        assert {chunk.id: chunk for chunk in seen} == {c.id: c for c in (HOLIDAY, CARRY_OVER, EXPENSES)}
        assert [c.id for c in await index.passages("local", frozenset({"board"}), ALL | {"board"}, limit=10)] == [
            SALARIES.id
        ]
        assert len(await index.passages("local", frozenset(), ALL, limit=2)) == 2
        assert await index.passages("local", frozenset(), frozenset(), limit=10) == []

    async def test_there_is_nothing_to_read_through_where_nothing_is_indexed(self, backend: Backend) -> None:
        with pytest.raises(IndexMissing, match="candor index"):
            await (await backend.index()).passages("local", frozenset(), ALL, limit=10)
