"""Exact (Clopper-Pearson) bounds of a rate: what few questions can say, and what they can't.

Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial" (1934).
"""

from __future__ import annotations

import math
from collections.abc import Callable

_STEPS = 50
"""Halvings of [0, 1]: as much as a float can tell apart."""


def at_most(count: int, total: int, rate: float) -> float:
    """P(X <= count) for X of a binomial distribution with `total` draws at `rate`."""
    if count >= total or rate <= 0.0:
        return 1.0
    if count < 0 or rate >= 1.0:
        return 0.0
    if count <= total * rate:
        return _tail(count, total, rate)
    return 1.0 - _tail(total - count - 1, total, 1.0 - rate)


def _tail(count: int, total: int, rate: float) -> float:
    """P(X <= count) from its largest term down, for a `count` below the mean: each next term is smaller."""
    whole = math.lgamma(total + 1) - math.lgamma(count + 1) - math.lgamma(total - count + 1)
    term = math.exp(whole + count * math.log(rate) + (total - count) * math.log1p(-rate))
    found = term
    for k in range(count, 0, -1):
        term *= k / (total - k + 1) * (1.0 - rate) / rate
        found += term
        if term < found * 1e-17:
            break
    return min(1.0, found)


def upper_bound(count: int, total: int, confidence: float = 0.95) -> float:
    """The rate is no higher than this, at one-sided `confidence`. Without draws nothing is known: 1."""
    if count >= total:
        return 1.0
    return _crossing(lambda rate: at_most(count, total, rate) > 1.0 - confidence)


def lower_bound(count: int, total: int, confidence: float = 0.95) -> float:
    """The rate is no lower than this, at one-sided `confidence`."""
    return 1.0 - upper_bound(total - count, total, confidence) if total else 0.0


def clopper_pearson(count: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """The two-sided interval of `count` in `total`."""
    side = (1.0 + confidence) / 2
    return lower_bound(count, total, side), upper_bound(count, total, side)


def _crossing(below: Callable[[float], bool]) -> float:
    """Where a condition that holds at 0 and ends somewhere before 1 ends."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2
