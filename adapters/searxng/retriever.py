"""Web search through a SearXNG server, as a second source. Its snippets become chunks of the corpus "web"; pages are
never fetched, so that no address from outside is called but the server's own."""

from __future__ import annotations

import asyncio
import hashlib
import html
import json
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from crag.errors import SearchError
from crag.llm.failures import place
from crag.text import clean, has_words
from crag.types import Chunk, Hit, SearchRequest

CORPUS = "web"
MAX_BYTES = 2_000_000
MAX_SNIPPET = 2_000
MAX_TITLE = 200
MAX_URL = 2_000

_TAG = re.compile(r"<[^<>]{1,200}>")


class SearxngRetriever:
    """Satisfies crag.ports.Retriever. `base_url` is the server's address; `deadline_s` limits a whole search;
    `results` caps what one brings. The web has no tenants and corpora, so that of the request's filters only an empty
    access set counts; vectors aren't used."""

    name = "web"

    def __init__(self, base_url: str, *, deadline_s: float = 10.0, results: int = 10) -> None:
        self._url = URL(base_url) / "search"
        self._at = place(base_url)
        self._deadline_s = deadline_s
        self._results = results

    async def search(self, request: SearchRequest) -> Sequence[Hit]:
        """Best first, by the server's own ranking. Raises SearchError."""
        if not request.access or not has_words(request.text):
            return []
        found = await self._ask(clean(request.text))
        chunks = {chunk.document: chunk for result in found if (chunk := _chunk(result))}
        kept = list(chunks.values())[: min(self._results, request.limit)]
        return [Hit(chunk, fused=1 - at / len(kept), retriever=self.name) for at, chunk in enumerate(kept)]

    async def _ask(self, query: str) -> Sequence[object]:
        try:
            async with asyncio.timeout(self._deadline_s):
                body = await self._fetch(query)
        except TimeoutError:
            raise self._error(f"didn't answer within {self._deadline_s:g} s", "Try again in a moment.") from None
        except aiohttp.ClientConnectorError:
            raise self._error("can't be reached", "Is it running, and is the address right?") from None
        except aiohttp.ClientError:
            raise self._error("broke off in mid-answer", "Try again in a moment.") from None
        try:
            results = json.loads(body)["results"]
        except (ValueError, KeyError, TypeError, RecursionError):
            results = None
        if not isinstance(results, list):
            raise self._error("answered something that isn't a list of results", "Is it a SearXNG server?")
        return results

    async def _fetch(self, query: str) -> bytes:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self._deadline_s)) as session,
            session.get(self._url, params={"q": query, "format": "json"}, allow_redirects=False) as reply,
        ):
            if reply.status != 200:
                raise self._refused(reply.status)
            body = bytearray()
            async for block in reply.content.iter_chunked(1 << 16):
                body += block
                if len(body) > MAX_BYTES:
                    raise self._error(f"answered more than {MAX_BYTES // 1_000_000} MB", "Is it a SearXNG server?")
            return bytes(body)

    def _refused(self, status: int) -> SearchError:
        if status == 403:
            return self._error("refuses JSON (HTTP 403)", "Add `json` to `search.formats` in its settings.yml.")
        if status == 429:
            return self._error("turns requests away (HTTP 429)", "Let this address pass its limiter, or wait.")
        if 300 <= status < 400:
            return self._error(f"wants to redirect (HTTP {status})", "Use the address that it redirects to.")
        return self._error(f"failed (HTTP {status})", "Its log says why.")

    def _error(self, what: str, advice: str) -> SearchError:
        return SearchError(f"The web search at {self._at} {what}.", service="the web search", advice=advice)


def _chunk(result: object) -> Chunk | None:
    """None for what has no snippet or no address that a reader may open."""
    if not isinstance(result, dict):
        return None
    url, text = _address(result.get("url")), _plain(result.get("content"), MAX_SNIPPET)
    if not url or not has_words(text):
        return None
    title = _plain(result.get("title"), MAX_TITLE) or urlsplit(url).hostname or url
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Chunk(
        id="web-" + hashlib.sha256(url.encode()).hexdigest()[:32],
        document=url,
        path=url,
        title=title,
        headings=(title,),
        text=text,
        span=(0, len(text)),
        hash=digest,
        url=url,
        corpus=CORPUS,
        updated=_plain(result.get("publishedDate"), 40),
    )


def _address(value: object) -> str:
    """An http(s) address of a host, without credentials; "" for everything else."""
    if not isinstance(value, str) or len(value) > MAX_URL or not value.isprintable() or " " in value:
        return ""
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        return ""
    fine = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    return clean(value) if fine else ""


def _plain(value: object, limit: int) -> str:
    if not isinstance(value, str):
        return ""
    return " ".join(clean(_TAG.sub(" ", html.unescape(value[: 4 * limit]))).split())[:limit]
