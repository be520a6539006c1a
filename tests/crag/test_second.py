"""A second retriever over another corpus of the same index."""

from __future__ import annotations

import pytest

from crag.errors import IndexMissing
from crag.ports import Retriever
from crag.second import CorpusRetriever
from crag.types import SearchRequest
from tests.crag.scenes import HOLIDAY, Scene, chunk


async def found(scene: Scene, second: Retriever, *access: str) -> list[tuple[str, str]]:
    await scene.fill()
    vector = await scene.embedder.embed_query("holiday")
    request = SearchRequest("holiday", vector, 10, 0.5, "local", frozenset({"default"}), frozenset(access))
    return [(hit.chunk.id, hit.retriever) for hit in await second.search(request)]


def shelves() -> Scene:
    return Scene(chunks=(chunk(HOLIDAY), chunk(HOLIDAY, "wide", corpus="wide"), chunk(HOLIDAY, "far", corpus="far")))


async def test_it_searches_its_own_corpora_and_marks_what_it_finds() -> None:
    scene = shelves()
    second = CorpusRetriever(scene.index, {"wide"}, "the wide shelf")
    assert await found(scene, second, "everyone") == [("wide", "the wide shelf")]


async def test_access_stays_as_it_was() -> None:
    scene = shelves()
    assert await found(scene, CorpusRetriever(scene.index, {"wide"}, "the wide shelf"), "somebody else") == []
    assert await found(scene, CorpusRetriever(scene.index, {"wide"}, "the wide shelf")) == []


async def test_without_corpora_it_finds_nothing_rather_than_everything() -> None:
    scene = shelves()
    assert await found(scene, CorpusRetriever(scene.index, (), "nothing"), "everyone") == []


async def test_a_missing_index_is_heard_of() -> None:
    scene = Scene(chunks=())
    with pytest.raises(IndexMissing):
        await found(scene, CorpusRetriever(scene.index, {"wide"}, "the wide shelf"), "everyone")
