"""A threshold with a promise: a threshold that looks good on few questions may be luck; the bound accounts for that.

Risk-controlling prediction sets (Bates et al., "Distribution-free, risk-controlling prediction sets", 2021): the share
of all questions that get a false answer only falls as the threshold rises, so the lowest threshold at which its exact
upper bound (Clopper-Pearson, one-sided) is still within the limit keeps the limit with the given confidence, whatever
the scores are like - for questions drawn as those of the file were, that had no part in fitting the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crag.evaluation.intervals import upper_bound

CONFIDENCE = 0.9


@dataclass(frozen=True, slots=True)
class Gate:
    """`wrong` of `total` questions score at least `threshold` and would be answered falsely; the true share is at most
    `bound`, at the confidence that was asked for."""

    threshold: float
    wrong: int
    total: int
    bound: float


def gate(scored: Sequence[tuple[float, bool]], allowed: float, confidence: float = CONFIDENCE) -> Gate | None:
    """The lowest threshold that keeps false answers to `allowed` (a share of all questions), from (score, whether an
    answer would be false); None where the questions are too few for that, however good the scores are."""
    total = len(scored)
    if upper_bound(0, total, confidence) > allowed:
        return None
    wrong = sorted((score for score, bad in scored if bad), reverse=True)
    count = next((n for n in range(len(wrong)) if upper_bound(n + 1, total, confidence) > allowed), len(wrong))
    threshold = _above(wrong[count], [score for score, _ in scored]) if count < len(wrong) else 0.0
    passing = sum(score >= threshold for score in wrong)
    return Gate(threshold, passing, total, upper_bound(passing, total, confidence))


def needed(allowed: float, confidence: float = CONFIDENCE, *, mistakes: int = 0) -> int:
    """How many questions the promise takes at least, with so many false answers among them."""
    count = mistakes + 1
    while upper_bound(mistakes, count, confidence) > allowed:
        count += 1
    return count


def affordable(total: int, allowed: float, confidence: float = CONFIDENCE) -> int:
    """How many false answers among `total` questions still keep the promise; -1 where not even none does."""
    return next(n - 1 for n in range(total + 1) if upper_bound(n, total, confidence) > allowed)


def _above(score: float, scores: Sequence[float]) -> float:
    """Halfway to the next higher score: above this one, and not on the edge of the other."""
    higher = min((other for other in scores if other > score), default=1.0)
    return (score + higher) / 2
