"""A small corpus with hand-made vectors, for the contracts of index and store."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from crag.ports import Index, Store
from crag.types import EVERYONE, Chunk, DocumentRecord, Glossary, SearchRequest, Shelf, Vector

EMBEDDER = "toy-embedder@1"
DIMENSION = 4
CHUNKER = "toy-chunker@1"
GLOSSARY = Glossary({"pto": "paid time off"}, {"holiday": 2, "expenses": 1})
HIDDEN = Glossary({"ra": "remuneration act"}, {"salaries": 1, "holiday": 1})
BOARD = Shelf("board", frozenset({"board", "audit"}), documents=1)
GLOSSARIES: Mapping[Shelf, Glossary] = {Shelf(documents=2): GLOSSARY, BOARD: HIDDEN}


class Backend(Protocol):
    """One empty database: everything an implementation must offer to the contracts. All that it opens, it closes."""

    async def index(self, *, embedder: str = EMBEDDER, dimension: int = DIMENSION) -> Index: ...

    async def store(self, *, tenant: str = "local") -> Store: ...


def direction(*weights: float) -> Vector:
    """A unit vector of DIMENSION numbers."""
    padded = [*weights, *[0.0] * (DIMENSION - len(weights))]
    length = math.sqrt(sum(weight * weight for weight in padded))
    return tuple(weight / length for weight in padded)


def chunk(
    document: str,
    number: int = 0,
    text: str = "Staff may take 25 days of holiday a year.",
    *,
    corpus: str = "default",
    access: frozenset[str] = frozenset({EVERYONE}),
) -> Chunk:
    title = document.rpartition("/")[2].removesuffix(".md").title()
    return Chunk(
        id=f"{document}#{number}",
        document=document,
        path=document,
        title=title,
        headings=(title, f"Part {number}"),
        text=text,
        span=(number * 100, number * 100 + len(text)),
        hash=f"hash-{document}-{number}",
        url=f"https://handbook.example/{document}",
        anchor=f"part-{number}",
        corpus=corpus,
        access=access,
        updated="2026-11-30",
    )


HOLIDAY = chunk("handbook/holiday.md", 0, "Staff may take 25 days of holiday a year.")
CARRY_OVER = chunk("handbook/holiday.md", 1, "Up to 5 days of holiday carry over to March. Größe: 42 – “quoted”.")
EXPENSES = chunk("handbook/expenses.md", 0, "Expenses above 50 euros need a receipt.")
SALARIES = chunk(
    "board/salaries.md", 0, "The board sets salaries in January.", corpus="board", access=frozenset({"board"})
)
PAIRS: tuple[tuple[Chunk, Vector], ...] = (
    (HOLIDAY, direction(1.0)),
    (CARRY_OVER, direction(0.9, 0.3)),
    (EXPENSES, direction(0.0, 1.0)),
    (SALARIES, direction(0.0, 0.0, 1.0)),
)


def records(chunks: Sequence[Chunk], version: str = "1") -> list[DocumentRecord]:
    """The manifest of these chunks."""
    counts = Counter(chunk.document for chunk in chunks)
    return [DocumentRecord(id_, id_, f"{id_}@{version}", count) for id_, count in counts.items()]


async def fill(
    store: Store,
    pairs: Sequence[tuple[Chunk, Vector]] = PAIRS,
    *,
    glossaries: Mapping[Shelf, Glossary] = GLOSSARIES,
) -> str:
    """Index these pairs as one new generation; returns its name."""
    chunks = [chunk for chunk, _ in pairs]
    async with (
        store.lease(),
        store.draft(embedder=EMBEDDER, dimension=DIMENSION, chunker=CHUNKER) as draft,
    ):
        await draft.add(chunks, [vector for _, vector in pairs])
        return (await draft.publish(records(chunks), glossaries)).name


def request(
    text: str = "How many days of holiday?",
    vector: Vector = PAIRS[0][1],
    *,
    limit: int = 10,
    alpha: float = 0.5,
    tenant: str = "local",
    corpora: frozenset[str] = frozenset(),
    access: frozenset[str] = frozenset({EVERYONE}),
) -> SearchRequest:
    return SearchRequest(text, vector, limit, alpha, tenant, corpora, access)
