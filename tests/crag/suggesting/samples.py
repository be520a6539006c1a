"""A small handbook, cut into passages."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence

from crag.suggesting.corpus import Corpus
from crag.suggesting.near_misses import near_misses
from crag.suggesting.passages import Names
from crag.suggesting.proposals import Kind, Proposal, answerables
from crag.text import content_words
from crag.types import Chunk, Hit

NOBODY = Names(frozenset(), frozenset())


def passage(text: str, *headings: str, document: str = "leave.md") -> Chunk:
    headings = headings or ("Leave",)
    identity = f"{document}#{len(text)}-{'-'.join(headings)}"
    return Chunk(identity, document, document, headings[0], headings, text, (0, len(text)), "h")


def questions(*chunks: Chunk) -> list[str]:
    """All that is proposed as answerable, as it is worded."""
    names = Names.of(chunks)
    return [proposal.question for chunk in chunks for proposal, _ in answerables(chunk, names)]


def missed(*chunks: Chunk, seeds: int = 30) -> list[Proposal]:
    """All near misses that any of some seeds make of these passages, each once."""
    corpus = Corpus.of(chunks)
    made: dict[str, Proposal] = {}
    for seed in range(seeds):
        for chunk in chunks:
            for proposal, draft in answerables(chunk, corpus.names):
                made |= {p.question: p for p in near_misses(proposal, draft, corpus, random.Random(seed))}
    return list(made.values())


def searching(*chunks: Chunk) -> Callable[[str], Awaitable[Sequence[Hit]]]:
    """A search that finds all of them, those with most of the question's words first."""

    async def search(text: str) -> Sequence[Hit]:
        asked = set(content_words(text))
        shared = {chunk.id: float(len(asked & set(content_words(chunk.passage)))) for chunk in chunks}
        return [Hit(chunk, shared[chunk.id]) for chunk in sorted(chunks, key=lambda chunk: -shared[chunk.id])]

    return search


def proposal(question: str, chunk: Chunk, kind: Kind = Kind.SENTENCE, telltale: str = "") -> Proposal:
    return Proposal(question, kind, chunk, chunk.text, note="" if kind.answerable else "Why not.", telltale=telltale)
