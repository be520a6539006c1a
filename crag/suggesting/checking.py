"""Whether a proposal holds in the index as it is: an answerable question must lead to its own document and to no other,
and nothing that a search finds may answer a near miss."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from crag.suggesting.passages import plain
from crag.suggesting.proposals import Proposal, labelled
from crag.text import content_words, sentences
from crag.types import Chunk, Hit

Search = Callable[[str], Awaitable[Sequence[Hit]]]
"""The best hits of one question, best first. Raises SearchError."""

FOUND = 5
"""Its own document must be among the first so many hits."""
SPOKEN_OF = 0.6
"""A passage with this share of a near miss' words speaks of what it asks."""


async def checked(proposal: Proposal, search: Search) -> Proposal | None:
    """The proposal as it can be shown - with its page's title in front where it is ambiguous without - or None.
    Raises SearchError."""
    hits = await search(proposal.question)
    if not proposal.kind.answerable:
        return None if _answered(proposal, hits) else proposal
    if _clear(proposal, hits):
        return proposal
    if not (question := labelled(proposal)):
        return None
    placed = replace(proposal, question=question)
    return placed if _clear(placed, await search(question)) else None


def _clear(proposal: Proposal, hits: Sequence[Hit]) -> bool:
    """Its document is found, and no sentence of another has all of the question's words. (One word alone, as in "What
    does PTO mean?", stands in other documents without being explained there.)"""
    own = proposal.chunk.document
    asked = set(content_words(proposal.question))
    others = [hit.chunk for hit in hits if hit.chunk.document != own]
    found = any(hit.chunk.document == own for hit in hits[:FOUND])
    if len(asked) == 1:
        return found
    return found and not any(asked <= set(content_words(line)) for chunk in others for line in _lines(chunk))


def _lines(chunk: Chunk) -> list[str]:
    return [" ".join(chunk.headings or (chunk.title,)), *(strip.text for strip in sentences(chunk.text))]


def _answered(proposal: Proposal, hits: Sequence[Hit]) -> bool:
    """Whether a passage speaks of what is asked - the words that the near miss has from its own passage - and has what
    would tell."""
    tells = re.compile(proposal.telltale, re.IGNORECASE)
    asked = set(content_words(proposal.question)) & set(content_words(plain(proposal.chunk.passage)))
    for hit in hits:
        text = plain(hit.chunk.passage)
        if tells.search(text) and len(asked & set(content_words(text))) >= SPOKEN_OF * len(asked):
            return True
    return False
