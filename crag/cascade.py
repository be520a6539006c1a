"""Cheap first, exact for those that matter: a cross-encoder reads question and passage together, which tells most and
takes longest, while the embedder's cosine came with the hit. So the best few by cosine are graded, for as long as there
is time. Nothing here decides what an ungraded passage is worth.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass

from crag.errors import CandorError
from crag.ports import Grader
from crag.types import Hit, Judgement


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a search is graded: the `best` few by similarity, until `ends` on the event loop's clock, in seconds.
    None is no limit."""

    best: int | None = None
    ends: float | None = None


UNLIMITED = Limits()


def by_similarity(hits: Sequence[Hit]) -> list[Hit]:
    """The nearest first. Where a hit has no cosine they can't be compared, and stay in the order they were found in."""
    if any(hit.cosine is None or not math.isfinite(hit.cosine) for hit in hits):
        return list(hits)
    return sorted(hits, key=lambda hit: -(hit.cosine or 0.0))


async def judged(
    grader: Grader, question: str, passages: Sequence[str], *, portion: int, ends: float | None
) -> list[Judgement | None]:
    """One judgement a passage, in order, and None for those that time ran out for: the last ones first.

    `portion` passages make one call; the calls run side by side, as far as the grader lets them. Where a call fails,
    its passages have no score, and the error as the reason. Raises that CandorError where none succeeds."""
    loop = asyncio.get_running_loop()
    left = None if ends is None else ends - loop.time()
    if not passages or (left is not None and left <= 0):
        return [None] * len(passages)
    portions = [passages[at : at + portion] for at in range(0, len(passages), portion)]
    calls = [asyncio.create_task(_attempt(grader, question, some)) for some in portions]
    try:
        done, _ = await asyncio.wait(calls, timeout=left)
    finally:
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    found = [call.result() if call in done else None for call in calls]
    errors = [one for one in found if isinstance(one, CandorError)]
    if errors and len(errors) == len(done):
        raise errors[0]
    return [one for some, answer in zip(portions, found, strict=True) for one in _spread(answer, len(some))]


async def _attempt(grader: Grader, question: str, passages: Sequence[str]) -> Sequence[Judgement] | CandorError:
    try:
        return await grader.grade(question, passages)
    except CandorError as error:
        return error


def _spread(answer: Sequence[Judgement] | CandorError | None, count: int) -> Sequence[Judgement | None]:
    if answer is None:
        return [None] * count
    return [Judgement(None, str(answer))] * count if isinstance(answer, CandorError) else answer
