"""The web search against a peer that answers as SearXNG does."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.searxng import SearxngRetriever
from crag.errors import SearchError
from crag.ports import Retriever
from crag.types import EVERYONE, SearchRequest
from tests.peers.searxng import SearxngPeer


def request(
    text: str = "porto office", *, limit: int = 10, access: frozenset[str] = frozenset({EVERYONE})
) -> SearchRequest:
    return SearchRequest(text, (), limit, 0.5, "local", frozenset(), access)


def result(number: int, **changed: Any) -> dict[str, Any]:
    fields = {"url": f"https://example.org/{number}", "title": f"Page {number}", "content": f"Snippet number {number}."}
    return fields | changed


async def test_results_become_hits_in_the_servers_order() -> None:
    async with SearxngPeer(result(1), result(2), result(3)) as peer:
        web: Retriever = SearxngRetriever(peer.address)
        hits = await web.search(request())
    assert [h.chunk.url for h in hits] == [f"https://example.org/{n}" for n in (1, 2, 3)]
    first = hits[0].chunk
    assert (first.document, first.title, first.text, first.corpus) == (first.url, "Page 1", "Snippet number 1.", "web")
    assert first.text[slice(*first.span)] == first.text
    assert {h.retriever for h in hits} == {web.name} == {"web"}
    assert [h.cosine for h in hits] == [None] * 3
    assert 1 == hits[0].fused > hits[1].fused > hits[2].fused > 0
    assert peer.queries == [{"q": "porto office", "format": "json"}]


async def test_ids_are_stable_and_no_address_comes_twice() -> None:
    async with SearxngPeer(result(1), result(2), result(1)) as peer:
        first, second = [await SearxngRetriever(peer.address).search(request()) for _ in range(2)]
    assert [h.chunk.id for h in first] == [h.chunk.id for h in second]
    assert len({h.chunk.id for h in first}) == len(first) == 2


async def test_no_more_come_than_asked_for_or_allowed() -> None:
    async with SearxngPeer(*(result(n) for n in range(30))) as peer:
        assert len(await SearxngRetriever(peer.address, results=4).search(request())) == 4
        assert len(await SearxngRetriever(peer.address).search(request(limit=3))) == 3


@pytest.mark.parametrize(
    "bad",
    [
        result(9, url="javascript:alert(1)"),
        result(9, url="file:///etc/passwd"),
        result(9, url="ftp://example.org/"),
        result(9, url="https://user:pass@example.org/"),
        result(9, url="https://"),
        result(9, url="https://example.org:notaport/"),
        result(9, url="https://[broken/"),
        result(9, url="https://example.org/\nX: y"),
        result(9, url="https://example.org/" + "a" * 5000),
        result(9, url=None),
        result(9, content=""),
        result(9, content=None),
        result(9, content={"a": 1}),
        {},
        "text",
        None,
    ],
)
async def test_a_result_without_a_snippet_or_a_safe_address_is_left_out(bad: Any) -> None:
    async with SearxngPeer(bad, result(1)) as peer:
        hits = await SearxngRetriever(peer.address).search(request())
    assert [h.chunk.url for h in hits] == ["https://example.org/1"]


async def test_texts_are_cleaned_and_capped() -> None:
    dirty = result(
        1,
        title="A &amp; <b>B</b>\u202e",
        content="hid\u200bden \U000e0041<script>x</script>\n\x1b[31m" + "long " * 5000,
    )
    async with SearxngPeer(dirty, result(2, title="")) as peer:
        first, second = await SearxngRetriever(peer.address).search(request())
    assert first.chunk.title == "A & B"
    assert first.chunk.text.startswith("hidden x [31mlong long")
    assert len(first.chunk.text) <= 2000
    assert second.chunk.title == "example.org"


@pytest.mark.parametrize("text", ["", " ", "?!", "\u200b"])
async def test_a_query_without_words_is_not_sent(text: str) -> None:
    async with SearxngPeer(result(1)) as peer:
        assert await SearxngRetriever(peer.address).search(request(text)) == []
    assert not peer.queries


async def test_an_empty_access_set_finds_nothing() -> None:
    async with SearxngPeer(result(1)) as peer:
        assert await SearxngRetriever(peer.address).search(request(access=frozenset())) == []
    assert not peer.queries


async def test_nothing_found_is_an_empty_list() -> None:
    async with SearxngPeer() as peer:
        assert await SearxngRetriever(peer.address).search(request()) == []


@pytest.mark.parametrize(
    ("status", "words"),
    [(403, "Add `json`"), (429, "turns requests away"), (500, r"failed \(HTTP 500\)"), (302, "wants to redirect")],
)
async def test_a_refusal_is_told_in_plain_words(status: int, words: str) -> None:
    async with SearxngPeer(result(1)) as peer:
        peer.status = status
        with pytest.raises(SearchError, match=words):
            await SearxngRetriever(peer.address).search(request())
    assert peer.followed == 0


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"{", b"[]", b"null", b'{"results": 3}', b'{"other": []}', b"\xff\xfe", b"[" * 100_000],
    ids=["empty", "html", "half", "list", "null", "number", "other", "bytes", "deep"],
)
async def test_what_is_no_list_of_results_is_an_error(body: bytes) -> None:
    async with SearxngPeer() as peer:
        peer.body = body
        with pytest.raises(SearchError, match="isn't a list of results"):
            await SearxngRetriever(peer.address).search(request())


async def test_too_long_an_answer_is_not_read_to_its_end() -> None:
    async with SearxngPeer() as peer:
        peer.body = b" " * 3_000_000
        with pytest.raises(SearchError, match="more than 2 MB"):
            await SearxngRetriever(peer.address).search(request())


async def test_a_server_that_never_answers_is_left_at_the_deadline() -> None:
    async with SearxngPeer() as peer:
        peer.hang = True
        with pytest.raises(SearchError, match=r"didn't answer within 0\.2 s"):
            await SearxngRetriever(peer.address, deadline_s=0.2).search(request())


async def test_a_broken_answer_is_an_error() -> None:
    async with SearxngPeer() as peer:
        peer.hang_up = True
        with pytest.raises(SearchError, match="broke off"):
            await SearxngRetriever(peer.address).search(request())


async def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(SearchError, match=r"http://127\.0\.0\.1:9 can't be reached") as caught:
        await SearxngRetriever("http://me:hunter2@127.0.0.1:9").search(request())
    assert "hunter2" not in str(caught.value)
    assert caught.value.service == "the web search"
