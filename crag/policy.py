"""Which corrective action comes next: one pure function, so that each transition can be read and tested.

    CORRECT    -> generate
    AMBIGUOUS  -> widen (where the first search was thin) -> second source -> refine -> generate
    INCORRECT  -> rewrite (at most `max_rewrites` times) -> second source -> abstain

Each corrective step happens once; after each search the band is judged anew.
"""

from __future__ import annotations

from dataclasses import dataclass

from crag.types import Action, Band


@dataclass(frozen=True, slots=True)
class Situation:
    """What the policy may know. `passing` counts the chunks at or above the lower threshold."""

    band: Band
    passing: int
    rewrites_left: int
    can_widen: bool
    can_refine: bool
    can_ask_second: bool
    thin: int = 3


def next_action(now: Situation) -> Action:
    """The one step that follows from a band."""
    if now.band is Band.CORRECT:
        return Action.GENERATE
    if now.band is Band.AMBIGUOUS:
        if now.can_widen and now.passing < now.thin:
            return Action.WIDEN
        if now.can_ask_second:
            return Action.SECOND_SOURCE
        return Action.REFINE if now.can_refine else Action.GENERATE
    if now.rewrites_left > 0:
        return Action.REWRITE
    return Action.SECOND_SOURCE if now.can_ask_second else Action.ABSTAIN
