"""A desk on fakes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bot.app import App, Library
from bot.desk import FrontDesk, Office, open_desk, open_office
from bot.metrics import Metrics
from config.settings import Settings
from crag.calibration import Calibration
from crag.engine import Engine, EngineOptions
from crag.errors import CandorError
from crag.events import Event, Listener
from crag.extractive import ExtractiveWriter
from crag.grading import Judge
from crag.platform import Incoming
from crag.second import CorpusRetriever
from crag.types import Chunk, DocumentRecord, Question, Reply
from tests.adapters.console.samples import answered
from tests.fakes.journal import FakeJournal
from tests.fakes.memory_index import MemoryDatabase, MemoryIndex, Share
from tests.fakes.models import FakeEmbedder, FakeGrader
from tests.fakes.platform import FakeBot, FakeScreen
from tests.fakes.rewriters import ScriptedRewriter

SERVED: dict[str, Any] = {"channels": {"default": {}}}
WIDE: dict[str, Any] = {"limits": {"person_per_minute": 10_000, "channel_per_minute": 10_000}}


@dataclass
class FakeEngine:
    """Answers after `delay_s`, or when `gate` is set; tells `events` first. `asked` are the questions it saw."""

    delay_s: float = 0.0
    gate: asyncio.Event | None = None
    error: Exception | None = None
    events: Sequence[Event] = ()
    asked: list[Question] = field(default_factory=list)
    kinds: list[dict[str, bool]] = field(default_factory=list)
    most: int = 0
    now: int = 0

    async def answer(self, question: Question, on_event: Listener | None = None) -> Reply:
        self.asked.append(question)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            for event in self.events:
                if on_event:
                    on_event(event)
                await asyncio.sleep(0)
            if self.gate:
                await self.gate.wait()
            await asyncio.sleep(self.delay_s)
            if self.error:
                raise self.error
            reply = answered()
            return Reply(question, reply.body, reply.trace)
        finally:
            self.now -= 1

    def __call__(self, *, second: bool = True, llm: bool = True) -> FakeEngine:
        self.kinds.append({"second": second, "llm": llm})
        return self


@dataclass
class House:
    """An open desk and what it stands on."""

    desk: FrontDesk
    journal: FakeJournal
    office: Office
    bot: FakeBot

    async def ask(self, incoming: Incoming, screen: FakeScreen | None = None) -> FakeScreen:
        screen = screen or FakeScreen()
        await self.desk.ask(incoming, screen)
        return screen

    def metric(self, name: str, **labels: str) -> float:
        return self.office.metrics.registry.get_sample_value(name, labels) or 0.0


def settings(*parts: dict[str, Any]) -> Settings:
    merged: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            merged[key] = {**merged.get(key, {}), **value} if isinstance(value, dict) else value
    return Settings(**merged)


@asynccontextmanager
async def open_house(
    chosen: Settings | None = None,
    *,
    engine: FakeEngine | None = None,
    app: App | None = None,
    journal: FakeJournal | None = None,
) -> AsyncIterator[House]:
    chosen, journal = chosen or settings(SERVED), journal or FakeJournal()
    bot = FakeBot()
    async with AsyncExitStack() as stack:
        office = await stack.enter_async_context(open_office(chosen, journal, Metrics()))
        office.bots["slack"] = bot
        made = app or fake_app(engine or FakeEngine())
        desk = await stack.enter_async_context(open_desk(chosen, made, office))
        yield House(desk, journal, office, bot)


def fake_app(engine: FakeEngine) -> App:
    """An engine that is told what to say, over an empty index."""
    return _app(engine, MemoryDatabase(), FakeEmbedder())


def _app(engines: Any, database: MemoryDatabase, embedder: FakeEmbedder) -> App:
    def nowhere(*_: object) -> Any:
        raise CandorError("There is nothing to write to.")

    index = MemoryIndex(database, embedder=embedder.model, dimension=embedder.dimension)
    judge = Judge(FakeGrader(), Calibration.uncalibrated(0.6, 0.3))
    library = Library(index, embedder, "memory", nowhere, nowhere)
    return App(library, engines(), engines, judge, "")


def real_app(chunks: Sequence[Chunk], *, tenant: str = "local", second_corpora: frozenset[str] = frozenset()) -> App:
    """The real engine over these chunks; a chunk is graded by the words it shares with the question."""
    embedder, database = FakeEmbedder(), MemoryDatabase()
    share = Share(embedder.model, embedder.dimension, "chunker", "2026-01-01T00:00:00Z")
    share.chunks = {c.id: (c, embedder._vector(c.passage)) for c in chunks}
    share.records = {c.document: DocumentRecord(c.document, c.path, c.hash, 1) for c in chunks}
    database.generations, database.alias = {"gen-1": {tenant: share}}, "gen-1"
    index = MemoryIndex(database, embedder=embedder.model, dimension=embedder.dimension)
    judge = Judge(FakeGrader(), Calibration.uncalibrated(0.6, 0.3))

    def engines(*, second: bool = True, llm: bool = True) -> Engine:
        return Engine(
            index=index,
            embedder=embedder,
            judge=judge,
            strip_judge=judge,
            writer=ExtractiveWriter(judge, embedder),
            rewriter=ScriptedRewriter(),
            second=CorpusRetriever(index, second_corpora, "corpus") if second and second_corpora else None,
            options=EngineOptions(max_rewrites=0),
        )

    return _app(engines, database, embedder)
