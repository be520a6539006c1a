"""The only wiring: settings -> models, index, writer, engine. A vendor's room is imported where it is used."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import platformdirs

from bot.models import language_model, require_extra, revealed
from config import sections
from config.settings import Settings
from crag.calibration import Calibration, load_calibration
from crag.corpus_rewriter import CorpusRewriter
from crag.engine import Engine, EngineOptions
from crag.extractive import ExtractiveWriter
from crag.grading import Judge
from crag.ports import Embedder, Grader, Index, LanguageModel, Retriever, Rewriter, Store, Writer
from crag.second import CorpusRetriever

if TYPE_CHECKING:
    from adapters.sources.limits import Limits
    from adapters.weaviate.address import Address
    from crag.indexing import Indexer

T = TypeVar("T")
Notice = Callable[[str], None]
"""Told what is being waited for."""


@dataclass(frozen=True, slots=True)
class Library:
    """What is indexed: the searching side, and `indexer`, which opens the writing side for some paths."""

    index: Index
    embedder: Embedder
    server: str
    indexer: Callable[[Sequence[Path]], AbstractAsyncContextManager[Indexer]]


@dataclass(frozen=True, slots=True)
class App:
    """All that answers questions. `warning` is a sentence where the thresholds belong to other models, else ""."""

    library: Library
    engine: Engine
    calibration: Calibration
    warning: str


class Wiring:
    """Opens parts as the settings say. Each method gives an async context manager that closes what it opened."""

    def __init__(self, settings: Settings, notice: Notice) -> None:
        self.settings = settings
        self.notice = notice

    @asynccontextmanager
    async def app(self) -> AsyncIterator[App]:
        """All of it; models and server start side by side. Raises CandorError."""
        calibration = load_calibration(self.settings.crag.calibration)
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            async with _side_by_side() as group:
                opening_library = group.create_task(_opened(stack, self.library))
                opening_grader = group.create_task(_opened(stack, self.grader))
            library, grader = opening_library.result(), opening_grader.result()
            writer_model = await enter(self.writer_model()) if self.settings.writer.kind != "extractive" else None
            grader_model = await enter(self.grader_model()) if self.settings.grader.kind == "llm" else None
            strip_judge = Judge(grader, calibration)
            judge = self._llm_judge(grader_model) if grader_model else strip_judge
            engine = Engine(
                index=library.index,
                embedder=library.embedder,
                judge=judge,
                strip_judge=strip_judge,
                writer=self._writer(writer_model, grader),
                rewriter=self._rewriter(writer_model),
                second=self._second(library.index),
                options=self._options(),
            )
            warning = calibration.mismatch(grader.model, library.embedder.model)
            yield App(library, engine, calibration, warning)

    @asynccontextmanager
    async def library(self) -> AsyncIterator[Library]:
        """The index and the embedder, without what answers. Raises CandorError."""
        async with AsyncExitStack() as stack:
            async with _side_by_side() as group:
                opening_address = group.create_task(_opened(stack, self.address))
                opening_embedder = group.create_task(_opened(stack, self.embedder))
                group.create_task(asyncio.to_thread(importlib.import_module, "adapters.weaviate.index"))
            address, embedder = opening_address.result(), opening_embedder.result()
            index = await stack.enter_async_context(self.index(address, embedder))
            yield Library(index, embedder, str(address), lambda paths: self.indexer(address, embedder, paths))

    @asynccontextmanager
    async def address(self) -> AsyncIterator[Address]:
        """Where Weaviate is; in embedded mode it runs until the end of the context."""
        chosen = self.settings.weaviate
        if chosen.mode == "server":
            yield _address(chosen)
            return
        from adapters.weaviate.server import embedded_server

        async with embedded_server(
            chosen.data_directory,
            binary=chosen.binary,
            cache=self.cache,
            on_progress=self.notice,
            start_timeout_s=chosen.start_timeout_s,
        ) as address:
            yield address

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

    def store(self, address: Address) -> AbstractAsyncContextManager[Store]:
        from adapters.weaviate.store import WeaviateStore

        chosen = self.settings.weaviate
        return WeaviateStore(
            address,
            collection=chosen.collection,
            tenant=self.settings.tenant,
            deadline_s=chosen.deadline_s,
            insert_deadline_s=chosen.insert_deadline_s,
        )

    @asynccontextmanager
    async def indexer(self, address: Address, embedder: Embedder, paths: Sequence[Path]) -> AsyncIterator[Indexer]:
        """The writing side, for some folders and files. Raises CandorError."""
        from adapters.sources.chunker import MarkdownChunker
        from adapters.sources.folder import FolderSource
        from crag.indexing import Indexer

        chosen = self.settings.ingest
        chunker = MarkdownChunker(self._tokenizer(), max_tokens=chosen.max_tokens, min_tokens=chosen.min_tokens)
        folder = FolderSource(
            paths,
            corpus=self.settings.corpus,
            url_base=chosen.url_base or "",
            access=chosen.access,
            limits=_limits(chosen),
        )
        async with folder as source, self.store(address) as store:
            yield Indexer(source, chunker, embedder, store)

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

    def _llm_judge(self, model: LanguageModel) -> Judge:
        from crag.llm.grader import LLMGrader

        chosen = self.settings.grader.llm
        grader = LLMGrader(
            model, concurrency=chosen.concurrency, method=chosen.method, max_characters=chosen.max_characters
        )
        return Judge(grader, Calibration.uncalibrated(chosen.upper, chosen.lower))

    def _writer(self, model: LanguageModel | None, grader: Grader) -> Writer:
        if model is None:
            return ExtractiveWriter(grader)
        from crag.llm.writer import LLMWriter

        return LLMWriter(model, max_tokens=self.settings.writer.max_tokens)

    def _rewriter(self, model: LanguageModel | None) -> Rewriter:
        if model is None:
            return CorpusRewriter()
        from crag.llm.rewriter import LLMRewriter

        return LLMRewriter(model)

    def _second(self, index: Index) -> Retriever | None:
        chosen = self.settings.crag
        if chosen.second_retriever == "web":
            from adapters.searxng import SearxngRetriever

            return SearxngRetriever(chosen.web_url or "", deadline_s=chosen.web_deadline_s)
        if chosen.second_retriever == "corpus":
            return CorpusRetriever(index, chosen.second_corpora, "corpus")
        return None

    def _options(self) -> EngineOptions:
        chosen = self.settings.crag
        return EngineOptions(
            enabled=chosen.enabled,
            candidates=chosen.candidates,
            alpha=chosen.alpha,
            max_rewrites=chosen.max_rewrites,
            refine=chosen.refine,
            widen=chosen.widen,
            max_question_characters=chosen.max_question_characters,
            deadline_s=chosen.deadline_s,
        )


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


async def _opened(stack: AsyncExitStack, opening: Callable[[], AbstractAsyncContextManager[T]]) -> T:
    """Importing a vendor's library takes a moment: in a thread, so that the others go on."""
    return await stack.enter_async_context(await asyncio.to_thread(opening))


@asynccontextmanager
async def _side_by_side() -> AsyncIterator[asyncio.TaskGroup]:
    """Tasks at once; if one fails the others are stopped, and its failure is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
