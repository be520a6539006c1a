"""Proposals without a language model."""

from __future__ import annotations

import random
from collections.abc import Sequence

from crag.suggesting.clauses import Draft
from crag.suggesting.corpus import Corpus
from crag.suggesting.near_misses import near_misses
from crag.suggesting.proposals import Proposal, answerables
from crag.types import Chunk


class Patterns:
    """Makes proposals of a passage from its headings and sentences. `chunks` are all passages that can be had: they say
    what is a name."""

    ahead = 20
    """Passages to read for one proposal: many have nothing to ask for, and reading one costs under a millisecond."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._corpus = Corpus.of(chunks)

    async def propose(self, chunk: Chunk) -> Sequence[Proposal]:
        """Its questions, and the near misses of them: the same in every run, so that what was dropped
        doesn't come back in another guise."""
        found: list[Proposal] = []
        for proposal, draft in answerables(chunk, self._corpus.names):
            found += [proposal, *self._near(proposal, draft)]
        return found

    def missed(self, proposal: Proposal) -> Sequence[Proposal]:
        """Near misses of a question that somebody else wrote."""
        return self._near(proposal, Draft(proposal.question))

    def _near(self, proposal: Proposal, draft: Draft) -> Sequence[Proposal]:
        chance = random.Random(proposal.question)  # noqa: S311 - a choice, no secret
        return near_misses(proposal, draft, self._corpus, chance)
