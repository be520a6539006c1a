"""The single parts of Candor, each opened as the settings say. A vendor's room is imported where it is used."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import platformdirs

from bot.models import language_model, require_extra, revealed
from config import sections
from config.settings import Settings
from config.sources import environment
from crag.ports import Embedder, Grader, Index, LanguageModel, Source, Store

if TYPE_CHECKING:
    from adapters.sources.folder import FolderSource
    from adapters.sources.limits import Limits
    from adapters.weaviate.address import Address
    from crag.indexing import Indexer

Notice = Callable[[str], None]
"""Told what is being waited for."""


class Parts:
    """Each method gives an async context manager that closes what it opened."""

    def __init__(self, settings: Settings, notice: Notice) -> None:
        self.settings = settings
        self.notice = notice

    def require_extras(self) -> None:
        """Raises SettingsError where a model's library isn't installed, before anything is started."""
        if self.settings.embedder.kind != "onnx":
            require_extra("CANDOR_EMBEDDER__KIND")
        if self.settings.grader.backend != "onnx":
            require_extra("CANDOR_GRADER__BACKEND")

    @asynccontextmanager
    async def server(self) -> AsyncIterator[Awaitable[Address]]:
        """Weaviate, on its way; awaiting it waits until it answers, and tells where it is. In embedded mode it has been
        started when this is entered, and runs until the end of the context."""
        chosen = self.settings.weaviate
        if chosen.mode == "server":
            there: asyncio.Future[Address] = asyncio.get_running_loop().create_future()
            there.set_result(_address(chosen))
            yield there
            return
        from adapters.weaviate.server import embedded_server

        async with embedded_server(
            chosen.data_directory,
            binary=chosen.binary,
            cache=self.cache,
            environment=environment(),
            on_progress=self.notice,
            start_timeout_s=chosen.start_timeout_s,
        ) as server:
            yield server

    @asynccontextmanager
    async def address(self) -> AsyncIterator[Address]:
        """Where Weaviate is, once it answers; the context is that of `server`."""
        async with self.server() as server:
            yield await server

    @property
    def cache(self) -> Path:
        return self.settings.cache_directory or platformdirs.user_cache_path("candor")

    def index(self, address: Address, embedder: Embedder) -> AbstractAsyncContextManager[Index]:
        from adapters.weaviate.index import WeaviateIndex

        chosen = self.settings.weaviate
        return WeaviateIndex(
            address,
            collection=chosen.collection,
            embedder=embedder.model,
            dimension=embedder.dimension,
            deadline_s=chosen.deadline_s,
        )

    def store(self, address: Address, tenant: str) -> AbstractAsyncContextManager[Store]:
        from adapters.weaviate.store import WeaviateStore

        chosen = self.settings.weaviate
        return WeaviateStore(
            address,
            collection=chosen.collection,
            tenant=tenant,
            deadline_s=chosen.deadline_s,
            insert_deadline_s=chosen.insert_deadline_s,
        )

    @asynccontextmanager
    async def indexer(self, address: Address, embedder: Embedder, paths: Sequence[Path]) -> AsyncIterator[Indexer]:
        """The writing side, for some folders and files. Raises CandorError."""
        chosen, settings = self.settings.ingest, self.settings
        folder = self._folder(paths, settings.corpus, chosen.url_base or "", chosen.access)
        async with folder as source, self.store(address, settings.tenant) as store:
            yield self._indexer(source, embedder, store)

    @asynccontextmanager
    async def sources_indexer(
        self, address: Address, embedder: Embedder, names: Sequence[str], tenant: str
    ) -> AsyncIterator[Indexer]:
        """The writing side, for some of the configured sources, as one. Raises CandorError."""
        from bot.jobs.together import Together

        async with AsyncExitStack() as stack:
            folders: list[Source] = []
            for chosen in (self.settings.sources[name] for name in names):
                folder = self._folder([chosen.path], chosen.corpus, chosen.url_base or "", chosen.access)
                folders.append(await stack.enter_async_context(folder))
            store = await stack.enter_async_context(self.store(address, tenant))
            yield self._indexer(Together(folders), embedder, store)

    def _folder(self, paths: Sequence[Path], corpus: str, url_base: str, access: frozenset[str]) -> FolderSource:
        from adapters.sources.folder import FolderSource

        limits = _limits(self.settings.ingest)
        return FolderSource(paths, corpus=corpus, url_base=url_base, access=access, limits=limits)

    def _indexer(self, source: Source, embedder: Embedder, store: Store) -> Indexer:
        from adapters.sources.chunker import MarkdownChunker
        from crag.indexing import Indexer

        chosen = self.settings.ingest
        chunker = MarkdownChunker(self._tokenizer(), max_tokens=chosen.max_tokens, min_tokens=chosen.min_tokens)
        return Indexer(source, chunker, embedder, store)

    def _tokenizer(self) -> Path:
        """What counts a passage's tokens: the embedder's own tokenizer where it is at hand, else the shipped one's."""
        own = Path(self.settings.embedder.model) / "tokenizer.json"
        return own if own.is_file() else sections.CHECKOUT / "models" / "embedder" / "tokenizer.json"

    def embedder(self) -> AbstractAsyncContextManager[Embedder]:
        chosen = self.settings.embedder
        if chosen.kind == "onnx":
            from adapters.onnx import OnnxEmbedder

            return OnnxEmbedder(Path(chosen.model), threads=chosen.threads)
        require_extra("CANDOR_EMBEDDER__KIND")
        from adapters.sentence_transformers import SentenceTransformersEmbedder

        return SentenceTransformersEmbedder(
            chosen.model,
            device=chosen.device or None,
            query_prefix=chosen.query_prefix,
            passage_prefix=chosen.passage_prefix,
        )

    def grader(self) -> AbstractAsyncContextManager[Grader]:
        """The cross-encoder. It grades chunks, unless an LLM does, and always strips and sentences: there are many."""
        chosen = self.settings.grader
        if chosen.backend == "onnx":
            from adapters.onnx import OnnxGrader

            return OnnxGrader(Path(chosen.model), threads=chosen.threads, batch_tokens=chosen.batch_tokens)
        require_extra("CANDOR_GRADER__BACKEND")
        from adapters.sentence_transformers import CrossEncoderGrader

        return CrossEncoderGrader(chosen.model, device=chosen.device or None)

    def writer_model(self) -> AbstractAsyncContextManager[LanguageModel]:
        return language_model(self.settings.writer.kind, self.settings.writer, "CANDOR_WRITER")

    def grader_model(self) -> AbstractAsyncContextManager[LanguageModel]:
        return language_model(self.settings.grader.llm.server, self.settings.grader.llm, "CANDOR_GRADER__LLM")


def _address(chosen: sections.Weaviate) -> Address:
    from adapters.weaviate.address import Address

    url = urlsplit(chosen.url)
    secure = url.scheme == "https"
    return Address(
        host=url.hostname or "",
        http_port=url.port or (443 if secure else 80),
        grpc_port=chosen.grpc_port,
        secure=secure,
        api_key=revealed(chosen.api_key),
    )


def _limits(chosen: sections.Ingest) -> Limits:
    from adapters.sources.limits import Limits

    return Limits(
        max_bytes=int(chosen.max_file_mb * 1_000_000),
        max_pages=chosen.max_pages,
        max_nesting=chosen.max_nesting,
        seconds=chosen.timeout_s,
    )
