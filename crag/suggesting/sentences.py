"""A sentence that tells a fact, turned into the question that it answers.

Each pattern is narrow on purpose: a person reads every proposal, and a clumsy one costs more than a missing one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from crag.suggesting.clauses import Draft, points_elsewhere, sounds
from crag.suggesting.passages import Names
from crag.suggesting.quantities import allowances, amounts, deadlines, leading, times, validities
from crag.suggesting.statements import cases, doers, existences, meanings, possibilities, rules, ways

_PATTERNS: tuple[Callable[[str, Names], Iterator[Draft]], ...] = (
    allowances,
    leading,
    validities,
    amounts,
    deadlines,
    times,
    ways,
    cases,
    doers,
    meanings,
    existences,
    possibilities,
    rules,
)


def draft_of(told: str, names: Names) -> Draft | None:
    """The question that a plain sentence answers, by the most telling pattern; None where none fits."""
    if points_elsewhere(told):
        return None
    text = told.rstrip(".").replace("’", "'")
    found = (draft for pattern in _PATTERNS for draft in pattern(text, names))
    return next((draft for draft in found if sounds(draft.question)), None)
