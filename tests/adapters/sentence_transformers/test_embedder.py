"""Any sentence-transformers embedder."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from adapters.sentence_transformers import SentenceTransformersEmbedder
from crag.errors import ModelError
from crag.ports import Embedder
from tests.adapters.sentence_transformers import tiny
from tests.contracts.embedder import PASSAGES, EmbedderContract, cosine

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny.embedder(tmp_path_factory.mktemp("models") / "tiny")


def open_embedder(folder: str, query_prefix: str = "", passage_prefix: str = "") -> SentenceTransformersEmbedder:
    return SentenceTransformersEmbedder(folder, device="cpu", query_prefix=query_prefix, passage_prefix=passage_prefix)


class TestSentenceTransformersEmbedder(EmbedderContract):
    folder: str

    @pytest.fixture(autouse=True)
    def _tiny(self, folder: str) -> None:
        self.folder = folder

    def open(self) -> AbstractAsyncContextManager[Embedder]:
        return open_embedder(self.folder)


async def test_prefixes_go_before_queries_and_passages(folder: str) -> None:
    async with open_embedder(folder) as plain, open_embedder(folder, "office ", "leave ") as prefixed:
        assert cosine(await prefixed.embed_query("days"), await plain.embed_query("office days")) > 0.9999
        (one,), (other,) = await prefixed.embed_passages(["days"]), await plain.embed_passages(["leave days"])
        assert cosine(one, other) > 0.9999


async def test_a_model_s_own_prompts_apply_where_no_prefix_is_set(tmp_path: Path, folder: str) -> None:
    prompted = tiny.embedder(tmp_path / "prompted", {"query": "office ", "document": "leave "})
    async with open_embedder(folder) as plain, open_embedder(prompted) as own:
        assert cosine(await own.embed_query("days"), await plain.embed_query("office days")) > 0.9999


async def test_the_fingerprint_changes_with_what_changes_the_vectors(folder: str) -> None:
    async with open_embedder(folder) as plain, open_embedder(folder, "query: ") as prefixed:
        assert plain.model != prefixed.model
        assert plain.model.startswith("saved-")


async def test_a_model_that_cannot_be_loaded_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nowhere") as caught:
        async with open_embedder(str(tmp_path / "nowhere")):
            pass
    assert "give the path" in caught.value.advice


async def test_a_vector_that_is_no_number_fails_the_call_only(folder: str) -> None:
    async with open_embedder(folder) as embedder:
        weights = embedder._open_model.network[0].auto_model.embeddings.word_embeddings.weight
        before = weights.data.clone()
        weights.data.fill_(float("nan"))
        with pytest.raises(ModelError, match="embedding model failed"):
            await embedder.embed_query("days")
        weights.data.copy_(before)
        assert len(await embedder.embed_passages(PASSAGES)) == 3
