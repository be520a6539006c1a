"""The only wiring: parts -> library -> engine."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from bot.parts import Parts
from crag.adjudication import Adjudicator
from crag.calibration import Calibration, load_calibration
from crag.corpus_rewriter import CorpusRewriter
from crag.engine import Engine, EngineOptions
from crag.extractive import ExtractiveWriter
from crag.grading import Judge
from crag.ports import Embedder, Index, LanguageModel, Retriever, Rewriter, Writer
from crag.second import CorpusRetriever

if TYPE_CHECKING:
    from adapters.weaviate.address import Address
    from bot.desk.ports import Journal
    from crag.indexing import Indexer
    from crag.platform import Desk, PlatformBot, Remembered

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Library:
    """What is indexed: the searching side, and what opens the writing side: `indexer` for some paths, `sources_indexer`
    for some configured sources and a tenant."""

    index: Index
    embedder: Embedder
    server: str
    indexer: Callable[[Sequence[Path]], AbstractAsyncContextManager[Indexer]]
    sources_indexer: Callable[[Sequence[str], str], AbstractAsyncContextManager[Indexer]]


class Engines(Protocol):
    """Makes an engine over the parts that are open: without the second retriever, without a language model, or with a
    calibration that isn't in force."""

    def __call__(self, *, second: bool = True, llm: bool = True, trial: Calibration | None = None) -> Engine: ...


Meter = Callable[[LanguageModel], LanguageModel]
"""Put around every language model, to count its calls."""


@dataclass(frozen=True, slots=True)
class App:
    """All that answers questions. `engine` uses everything, `engines` makes one that uses less; `warning` is a sentence
    where the thresholds belong to other models, else ""."""

    library: Library
    engine: Engine
    engines: Engines
    judge: Judge
    warning: str


class Wiring(Parts):
    """Puts the parts together."""

    @asynccontextmanager
    async def app(self, meter: Meter = lambda model: model) -> AsyncIterator[App]:
        """All of it; while the server starts, vendors' libraries are imported and models loaded. Raises CandorError."""
        calibration = load_calibration(self.settings.crag.calibration)
        self.require_extras()
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            server = await enter(self.server())
            async with _side_by_side() as group:
                opening_library = group.create_task(enter(self._library(server)))
                opening_grader = group.create_task(_opened(stack, self.grader))
            library, grader = opening_library.result(), opening_grader.result()
            warning = calibration.mismatch(grader.model, library.embedder.model)
            calibration = calibration.without_record() if warning else calibration
            uses_writer = self.settings.writer.kind != "extractive"
            writer_model = meter(await enter(self.writer_model())) if uses_writer else None
            grader_model = meter(await enter(self.grader_model())) if self.settings.asks_grader_model else None

            def judges(calibration: Calibration) -> tuple[Judge, Judge]:
                of_strips = Judge(grader, calibration)
                return self._judge(of_strips, grader_model or writer_model), of_strips

            in_force = judges(calibration)

            def engines(*, second: bool = True, llm: bool = True, trial: Calibration | None = None) -> Engine:
                judge, strip_judge = judges(trial) if trial else in_force
                return Engine(
                    index=library.index,
                    embedder=library.embedder,
                    judge=judge if llm else strip_judge,
                    strip_judge=strip_judge,
                    writer=self._writer(writer_model if llm else None, strip_judge, library.embedder),
                    rewriter=self._rewriter(writer_model if llm else None),
                    second=self._second(library.index) if second else None,
                    options=self._options(),
                )

            yield App(library, engines(), engines, in_force[0], warning)

    @asynccontextmanager
    async def library(self) -> AsyncIterator[Library]:
        """The index and the embedder, without what answers. Raises CandorError."""
        self.require_extras()
        async with self.server() as server, self._library(server) as library:
            yield library

    @asynccontextmanager
    async def _library(self, server: Awaitable[Address]) -> AsyncIterator[Library]:
        async with AsyncExitStack() as stack:
            async with _side_by_side() as group:
                opening_embedder = group.create_task(_opened(stack, self.embedder))
                group.create_task(asyncio.to_thread(importlib.import_module, "adapters.weaviate.index"))
                address = await server
            embedder = opening_embedder.result()
            index = await stack.enter_async_context(self.index(address, embedder))
            yield Library(
                index,
                embedder,
                str(address),
                lambda paths: self.indexer(address, embedder, paths),
                lambda names, tenant: self.sources_indexer(address, embedder, names, tenant),
            )

    def journal(self) -> AbstractAsyncContextManager[Journal]:
        """Raises SettingsError where its address can't be one."""
        from bot.journal import open_journal

        chosen = self.settings.journal
        return open_journal(chosen.url, retention_days=chosen.retention_days)

    def platform(self, name: str, desk: Desk, remembered: Remembered) -> AbstractAsyncContextManager[PlatformBot]:
        """Entering it raises SettingsError where the platform refuses a token, a scope or an intent."""
        from bot.platforms import open_platform

        return open_platform(name, self.settings, desk, remembered)

    def _judge(self, reranking: Judge, model: LanguageModel | None) -> Judge:
        """What grades chunks: the cross-encoder, alone or with a second opinion of the model, or the model itself."""
        chosen, llm = self.settings.grader, self.settings.grader.llm
        if model is None or not (chosen.adjudicate or chosen.kind == "llm"):
            return reranking
        from crag.llm.grader import LLMGrader

        grader = LLMGrader(model, concurrency=llm.concurrency, method=llm.method, max_characters=llm.max_characters)
        cutoffs = Calibration.uncalibrated(llm.upper, llm.lower)
        if chosen.kind == "llm":
            return Judge(grader, cutoffs, portion=1)
        return Judge(reranking.grader, reranking.calibration, adjudicator=Adjudicator(grader, cutoffs))

    def _writer(self, model: LanguageModel | None, judge: Judge, embedder: Embedder) -> Writer:
        if model is None:
            return ExtractiveWriter(judge, embedder)
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
            graded=chosen.graded,
            grading_share=chosen.grading_share,
            alpha=chosen.alpha,
            max_rewrites=chosen.max_rewrites,
            refine=chosen.refine,
            widen=chosen.widen,
            max_question_characters=chosen.max_question_characters,
            deadline_s=chosen.deadline_s,
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
