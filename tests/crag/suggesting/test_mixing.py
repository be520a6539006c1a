"""The order of proposals: over all documents, answerable ones and near misses in turn, nothing twice."""

import random
from collections.abc import Collection, Sequence

from crag.suggesting.mixing import suggested
from crag.suggesting.patterns import Patterns
from crag.suggesting.proposals import Kind, Proposal
from crag.types import Chunk
from tests.crag.suggesting.samples import passage, proposal, searching

THINGS = ("badge", "laptop", "chair", "phone", "locker", "bicycle", "monitor", "parking", "visa", "lunch")
CHUNKS = [
    passage(f"The {thing} number {n} is ordered from Dot.", thing.capitalize(), document=f"{thing}.md")
    for thing in THINGS
    for n in range(3)
]


async def propose(chunk: Chunk) -> Sequence[Proposal]:
    number = chunk.text.split()[3]
    return [
        proposal(f"Who orders {chunk.title} {number}?", chunk),
        proposal(f"Who paints {chunk.title} {number}?", chunk, Kind.OTHER_NAME, "paint"),
    ]


async def drawn(known: Collection[str] = (), seed: int = 1, ahead: int = 1) -> list[Proposal]:
    rng = random.Random(seed)
    found = suggested(CHUNKS, propose, searching(*CHUNKS), known, rng=rng, ahead=ahead)
    return [proposal async for proposal in found]


async def test_answerable_ones_and_near_misses_take_turns() -> None:
    kinds = [proposal.kind.answerable for proposal in await drawn()]
    assert kinds == [True, False] * (len(kinds) // 2)
    assert len(kinds) == 60


async def test_the_first_proposals_are_of_all_documents() -> None:
    for ahead in (1, 20):
        assert {proposal.chunk.document for proposal in (await drawn(ahead=ahead))[:10]} == {f"{t}.md" for t in THINGS}


async def test_a_source_that_is_slow_is_asked_only_where_nothing_waits() -> None:
    asked: list[Chunk] = []

    async def slow(chunk: Chunk) -> Sequence[Proposal]:
        asked.append(chunk)
        return await propose(chunk)

    found = suggested(CHUNKS, slow, searching(*CHUNKS), set(), rng=random.Random(1), ahead=0)
    first = [await anext(found) for _ in range(8)]
    assert [proposal.kind.answerable for proposal in first] == [True, False] * 4
    assert len(asked) == 4
    assert len([proposal async for proposal in found]) == 52


async def test_a_slow_source_is_not_read_through_for_a_near_miss() -> None:
    asked: list[Chunk] = []

    async def slow(chunk: Chunk) -> Sequence[Proposal]:
        asked.append(chunk)
        return (await propose(chunk))[: 2 if len(asked) == 4 else 1]

    found = suggested(CHUNKS, slow, searching(*CHUNKS), set(), rng=random.Random(1), ahead=0)
    first = [await anext(found) for _ in range(5)]
    assert [proposal.answerable for proposal in first] == [True, True, True, False, True]
    assert len(asked) == 5


async def test_what_was_decided_before_is_not_proposed_again() -> None:
    everything = await drawn()
    known = {proposal.key for proposal in everything[:25]}
    rest = await drawn(known, seed=2)
    assert len(rest) == 35
    assert not known & {proposal.key for proposal in rest}


async def test_the_same_seed_gives_the_same_order() -> None:
    assert await drawn(seed=3) == await drawn(seed=3)
    assert await drawn(seed=3) != await drawn(seed=4)


async def test_where_one_kind_runs_out_the_other_goes_on() -> None:
    chunk = passage("You can request up to 5 badges at once. You can order 3 keys at once.", document="b.md")
    patterns = Patterns([chunk])
    found = suggested([chunk], patterns.propose, searching(chunk), set(), rng=random.Random(1), ahead=20)
    kinds = [proposal.kind.answerable async for proposal in found]
    assert kinds.count(True) == 2
    assert kinds.count(False) > 2
