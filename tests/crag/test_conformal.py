import random

import pytest

from crag.conformal import affordable, gate, needed
from crag.evaluation.intervals import upper_bound


@pytest.mark.parametrize(("allowed", "count"), [(0.05, 45), (0.10, 22), (0.01, 230)])
def test_a_promise_takes_so_many_questions_without_a_mistake(allowed: float, count: int) -> None:
    """0.95 ** 45 is the first power of 0.95 below 0.1."""
    assert needed(allowed) == count
    assert (1 - allowed) ** count <= 0.1 < (1 - allowed) ** (count - 1)


def test_too_few_questions_promise_nothing_however_good_the_scores_are() -> None:
    assert gate([(0.9, False)] * 44, 0.05) is None
    assert gate([(0.9, False)] * 45, 0.05) is not None


def test_without_mistakes_nothing_is_kept_back() -> None:
    found = gate([(n / 100, False) for n in range(50)], 0.05)
    assert found
    assert (found.threshold, found.wrong, found.total) == (0.0, 0, 50)
    assert found.bound == pytest.approx(upper_bound(0, 50, 0.9))


def test_the_threshold_is_the_lowest_that_keeps_the_bound() -> None:
    right, wrong = [(0.5 + n / 200, False) for n in range(80)], [(n / 100, True) for n in range(20)]
    found = gate([*right, *wrong], 0.05)
    assert found
    assert upper_bound(found.wrong, 100, 0.9) <= 0.05 < upper_bound(found.wrong + 1, 100, 0.9)
    assert sum(score >= found.threshold for score, _ in wrong) == found.wrong == 1
    assert found.threshold == pytest.approx(0.185)


def test_equal_scores_pass_or_fail_together() -> None:
    found = gate([(0.9, False)] * 50 + [(0.4, True)] * 20, 0.05)
    assert found
    assert found.threshold == pytest.approx(0.65)
    assert found.wrong == 0


def test_the_promise_holds_as_often_as_it_says() -> None:
    """Scores that say little about being wrong, 400 files of 100 questions: the true rate at the chosen threshold is
    over the limit in no more than a tenth of them (and a little, for the draw)."""
    draw, broken = random.Random(7), 0
    for _ in range(400):
        scored = [(draw.random(), False) for _ in range(100)]
        scored = [(score, draw.random() > 0.5 + score / 2) for score, _ in scored]
        found = gate(scored, 0.1)
        assert found
        gap = 1 - found.threshold
        broken += gap * gap / 4 > 0.1  # the integral of (1 - s) / 2 from the threshold to 1
    assert 0 < broken <= 52


def test_more_questions_afford_more_mistakes() -> None:
    assert [affordable(total, 0.05) for total in (44, 45, 100)] == [-1, 0, 1]
    assert affordable(needed(0.05, mistakes=3), 0.05) == 3
    assert affordable(needed(0.05, mistakes=3) - 1, 0.05) == 2
