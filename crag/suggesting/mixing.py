"""The order of the proposals: over all documents, an answerable question and a near miss in turn, each of them checked
when its turn comes."""

from __future__ import annotations

import random
from collections import Counter, defaultdict, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from itertools import zip_longest

from crag.suggesting.checking import Search, checked
from crag.suggesting.proposals import Kind, Proposal
from crag.types import Chunk

Propose = Callable[[Chunk], Awaitable[Sequence[Proposal]]]
"""What can be asked about one passage."""


def mixed(chunks: Sequence[Chunk], rng: random.Random) -> list[Chunk]:
    """One passage of each document, then a second of each, and so on; all of it in a random order."""
    documents: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in sorted(chunks, key=lambda chunk: chunk.id):
        documents[chunk.document].append(chunk)
    shelves = list(documents.values())
    rng.shuffle(shelves)
    for shelf in shelves:
        rng.shuffle(shelf)
    return [chunk for row in zip_longest(*shelves) for chunk in row if chunk is not None]


async def suggested(
    chunks: Sequence[Chunk], propose: Propose, search: Search, known: Collection[str], *, rng: random.Random, ahead: int
) -> AsyncGenerator[Proposal, None]:
    """Proposals that hold, none whose key is `known`, until there are no more. For each, `ahead` more passages are
    read; where that is 0, since reading is slow, one whenever the side whose turn it is has none, and then the other
    side may do. Raises SearchError."""
    waiting = _Waiting(rng)
    seen = set(known)
    unread = deque(mixed(chunks, rng))
    while unread or waiting:
        for _ in range(min(ahead, len(unread))):
            waiting.add(await propose(unread.popleft()))
        proposal = waiting.next(alone=bool(unread))
        if proposal is None and unread and not ahead:
            waiting.add(await propose(unread.popleft()))
            proposal = waiting.next(alone=False)
        if proposal is None or proposal.key in seen:
            continue
        held = await checked(proposal, search)
        if held and held.key not in seen:
            seen |= {proposal.key, held.key}
            waiting.given(held)
            yield held


class _Waiting:
    """Proposals whose turn hasn't come, answerable ones and near misses apart."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._sides: dict[bool, list[Proposal]] = {True: [], False: []}
        self._given: Counter[bool] = Counter()
        self._documents: Counter[str] = Counter()
        self._kinds: Counter[Kind] = Counter()

    def __bool__(self) -> bool:
        return any(self._sides.values())

    def add(self, proposals: Sequence[Proposal]) -> None:
        for proposal in proposals:
            self._sides[proposal.kind.answerable].append(proposal)

    def given(self, proposal: Proposal) -> None:
        self._given[proposal.kind.answerable] += 1
        self._documents[proposal.chunk.document] += 1
        self._kinds[proposal.kind] += 1

    def next(self, *, alone: bool) -> Proposal | None:
        """One of the side that was given less, and of the other where that is empty and not `alone`: of a document that
        was given least, of the rarest kind among these."""
        wanted = self._given[True] <= self._given[False]
        side = self._sides[wanted] if alone else self._sides[wanted] or self._sides[not wanted]
        if not side:
            return None
        marks = [(self._documents[p.chunk.document], self._kinds[p.kind], self._rng.random()) for p in side]
        return side.pop(marks.index(min(marks)))
