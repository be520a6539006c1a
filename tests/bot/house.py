"""Candor with fakes for models and store, through its real command line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.app import Wiring
from bot.desk.ports import Journal
from config.settings import Settings
from crag.platform import Desk, PlatformBot, Remembered
from crag.ports import Embedder, Grader, Index, LanguageModel, Store
from crag.types import Chunk
from tests.fakes.journal import FakeJournal
from tests.fakes.memory_index import MemoryDatabase, MemoryIndex, MemoryStore, Share
from tests.fakes.models import FakeEmbedder, FakeGrader
from tests.fakes.platform import FakeBot

if TYPE_CHECKING:
    from adapters.weaviate.address import Address

PASSAGES = {
    "leave": ("Leave", "Five vacation days carry over into the next year. They lapse at the end of March."),
    "travel": ("Travel", "Hotels cost at most 140 euros a night. Trains are booked in second class."),
    "visitors": ("Visitors", "Visitors sign in at the reception and wear a badge at all times."),
}
GENERATION = "Candor_1"


def chunk(name: str) -> Chunk:
    title, text = PASSAGES[name]
    path = f"{name}.md"
    return Chunk(f"{name}-1", path, path, title, (title,), text, (0, len(text)), "h")


def filled(embedder: FakeEmbedder) -> MemoryDatabase:
    """A database with PASSAGES in it."""
    database = MemoryDatabase()
    chunks = {name: chunk(name) for name in PASSAGES}
    share = Share(embedder.model, embedder.dimension, "chunker-1", "2026-11-30T12:00:00+00:00")
    share.chunks = {c.id: (c, embedder._vector(c.passage)) for c in chunks.values()}
    share.records = {}
    database.generations[GENERATION] = {"local": share}
    database.alias = GENERATION
    return database


@dataclass
class Parts:
    """What the command line is to find. `events` says what was opened and closed; a platform that isn't in `bots`, and
    the journal where `records` is None, are the real ones."""

    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    grader: FakeGrader = field(default_factory=FakeGrader)
    database: MemoryDatabase = field(default_factory=MemoryDatabase)
    model: LanguageModel | None = None
    unreachable: Exception | None = None
    bots: dict[str, FakeBot] = field(default_factory=dict)
    records: FakeJournal | None = None
    events: list[str] = field(default_factory=list)

    @classmethod
    def filled(cls) -> Parts:
        parts = cls()
        parts.database = filled(parts.embedder)
        return parts

    def wiring(self, settings: Settings, notice: Callable[[str], None]) -> Wiring:
        return FakeWiring(settings, notice, self)


class FakeWiring(Wiring):
    """The real composition over fake parts."""

    def __init__(self, settings: Settings, notice: Callable[[str], None], parts: Parts) -> None:
        super().__init__(settings, notice)
        self._parts = parts

    def embedder(self) -> AbstractAsyncContextManager[Embedder]:
        return nullcontext(self._parts.embedder)

    def grader(self) -> AbstractAsyncContextManager[Grader]:
        return nullcontext(self._parts.grader)

    def writer_model(self) -> AbstractAsyncContextManager[LanguageModel]:
        assert self._parts.model
        return nullcontext(self._parts.model)

    grader_model = writer_model

    def journal(self) -> AbstractAsyncContextManager[Journal]:
        return nullcontext(self._parts.records) if self._parts.records else super().journal()

    def platform(self, name: str, desk: Desk, remembered: Remembered) -> AbstractAsyncContextManager[PlatformBot]:
        if name in self._parts.bots:
            return self._parts.bots[name].opened(desk)
        return super().platform(name, desk, remembered)

    @asynccontextmanager
    async def server(self) -> AsyncIterator[Awaitable[Address]]:
        from adapters.weaviate.address import Address

        if self._parts.unreachable:
            raise self._parts.unreachable
        self.notice("Starting Weaviate")
        self._parts.events.append("server started")
        there: asyncio.Future[Address] = asyncio.get_running_loop().create_future()
        there.set_result(Address("127.0.0.1", 8080, 50051))
        try:
            yield there
        finally:
            self._parts.events.append("server stopped")

    def index(self, address: Address, embedder: Embedder) -> AbstractAsyncContextManager[Index]:
        return nullcontext(MemoryIndex(self._parts.database, embedder=embedder.model, dimension=embedder.dimension))

    def store(self, address: Address, tenant: str) -> AbstractAsyncContextManager[Store]:
        return nullcontext(MemoryStore(self._parts.database, tenant=tenant))
