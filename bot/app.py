"""The only wiring: parts -> library -> engine."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bot.parts import Parts
from crag.calibration import Calibration, load_calibration
from crag.corpus_rewriter import CorpusRewriter
from crag.engine import Engine, EngineOptions
from crag.extractive import ExtractiveWriter
from crag.grading import Judge
from crag.ports import Embedder, Grader, Index, LanguageModel, Retriever, Rewriter, Writer
from crag.second import CorpusRetriever

if TYPE_CHECKING:
    from crag.indexing import Indexer

T = TypeVar("T")


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
    judge: Judge
    warning: str


class Wiring(Parts):
    """Puts the parts together."""

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
            yield App(library, engine, judge, warning)

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
