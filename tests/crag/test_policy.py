"""The whole truth table of next_action, written out from the issue's words rather than from the code."""

from __future__ import annotations

from itertools import product

import pytest

from crag.policy import Situation, next_action
from crag.types import Action, Band

FLAGS = (True, False)
TABLE = [
    Situation(band, passing, rewrites, widen, refine, second)
    for band, passing, rewrites, widen, refine, second in product(Band, (0, 2, 3), (0, 1, 2), FLAGS, FLAGS, FLAGS)
]


@pytest.mark.parametrize("now", [s for s in TABLE if s.band is Band.CORRECT])
def test_good_evidence_is_answered_from_at_once(now: Situation) -> None:
    assert next_action(now) is Action.GENERATE


@pytest.mark.parametrize("now", [s for s in TABLE if s.band is Band.AMBIGUOUS])
def test_ambiguous_evidence_is_widened_where_thin_then_sought_elsewhere_then_refined(now: Situation) -> None:
    steps = [
        (Action.WIDEN, now.can_widen and now.passing < 3),
        (Action.SECOND_SOURCE, now.can_ask_second),
        (Action.REFINE, now.can_refine),
        (Action.GENERATE, True),
    ]
    assert next_action(now) is next(action for action, possible in steps if possible)


@pytest.mark.parametrize("now", [s for s in TABLE if s.band is Band.INCORRECT])
def test_bad_evidence_is_rewritten_for_then_sought_elsewhere_then_given_up(now: Situation) -> None:
    steps = [
        (Action.REWRITE, now.rewrites_left > 0),
        (Action.SECOND_SOURCE, now.can_ask_second),
        (Action.ABSTAIN, True),
    ]
    assert next_action(now) is next(action for action, possible in steps if possible)
