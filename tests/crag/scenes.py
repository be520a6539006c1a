"""An engine on fakes, for the scenarios: a small corpus whose grades are written down, and what may go wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crag.calibration import Calibration
from crag.engine import Engine, EngineOptions
from crag.events import Event
from crag.extractive import ExtractiveWriter
from crag.grading import Judge
from crag.ports import Grader, Retriever, Rewriter, Writer
from crag.types import Chunk, DocumentRecord, Glossary, Question, Reply, Shelf
from tests.fakes.memory_index import MemoryDatabase, MemoryIndex, Share
from tests.fakes.models import FakeEmbedder, FakeGrader
from tests.fakes.rewriters import ScriptedRewriter

UPPER, LOWER = 0.7, 0.3
HOLIDAY = "Everybody gets 27 days of paid holiday in a calendar year."
QUESTION = "How many days of holiday do I get?"

Script = Mapping[str, float | None]
"""Grades by a string that stands in the passage."""


def chunk(text: str, name: str = "holiday", *, title: str = "", headings: tuple[str, ...] = (), **more: str) -> Chunk:
    """A chunk of its own document; the name gives id, path and title."""
    title = title or name.title()
    return Chunk(
        id=name,
        document=name,
        path=more.get("path", f"{name}.md"),
        title=title,
        headings=(title, *headings),
        text=text,
        span=(0, len(text)),
        hash=name,
        corpus=more.get("corpus", "default"),
    )


@dataclass
class Scene:
    """One engine with everything at hand. `graded` scripts the chunks' grades; what it doesn't know, and every strip
    and sentence, is scored by shared words. Change a part before the first question."""

    chunks: Sequence[Chunk] = (chunk(HOLIDAY),)
    graded: Script = field(default_factory=dict)
    options: EngineOptions = field(default_factory=EngineOptions)
    writer: Writer | None = None
    rewriter: Rewriter = field(default_factory=ScriptedRewriter)
    second: Retriever | None = None
    grader: Grader | None = None
    strip_grader: Grader = field(default_factory=FakeGrader)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    database: MemoryDatabase = field(default_factory=MemoryDatabase)
    glossary: Glossary = field(default_factory=Glossary)
    hidden: Glossary = field(default_factory=Glossary)
    indexed_with: str = ""
    events: list[Event] = field(default_factory=list)
    calibration: Calibration = field(default_factory=lambda: Calibration.uncalibrated(UPPER, LOWER))

    async def ask(self, text: str = QUESTION, **more: object) -> Reply:
        """Ask one question; `more` are fields of Question."""
        await self.fill()
        return await self.engine().answer(Question(text, **more), self.events.append)  # type: ignore[arg-type]

    async def fill(self) -> None:
        """Put the chunks into the index, once."""
        if self.database.alias or not self.chunks:
            return
        vectors = await self.embedder.embed_passages([c.passage for c in self.chunks])
        share = Share(
            self.indexed_with or self.embedder.model, self.embedder.dimension, "chunker", "2026-01-01T00:00:00Z"
        )
        share.chunks = {c.id: (c, v) for c, v in zip(self.chunks, vectors, strict=True)}
        share.records = {c.document: DocumentRecord(c.document, c.path, c.hash, 1) for c in self.chunks}
        share.glossaries = {Shelf(): self.glossary, Shelf("hr", frozenset({"hr"})): self.hidden}
        self.database.generations, self.database.alias = {"gen-1": {"local": share}}, "gen-1"

    @property
    def index(self) -> MemoryIndex:
        return MemoryIndex(self.database, embedder=self.embedder.model, dimension=self.embedder.dimension)

    def engine(self) -> Engine:
        calibration = self.calibration
        return Engine(
            index=self.index,
            embedder=self.embedder,
            judge=Judge(self.grader or FakeGrader(self.graded), calibration),
            strip_judge=Judge(self.strip_grader, calibration),
            writer=self.writer or ExtractiveWriter(Judge(self.strip_grader, calibration), self.embedder),
            rewriter=self.rewriter,
            second=self.second,
            options=self.options,
        )
