"""What a threshold would buy: how many questions are answered, and how many of those answers are wrong.

El-Yaniv and Wiener, "On the foundations of noise-free selective classification" (2010); AURC as in Geifman, Uziel and
El-Yaniv (2019).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from crag.evaluation.metrics import Rate
from crag.evaluation.outcomes import Outcome

KEPT = (0.90, 0.95)
"""The shares of answerable questions at which gates are compared."""


@dataclass(frozen=True, slots=True)
class Point:
    """Answering what scores at least `threshold`: the share of questions answered, and the share of those that is
    wrong."""

    threshold: float
    coverage: float
    risk: float


@dataclass(frozen=True, slots=True)
class Operating:
    """The highest threshold that keeps a share of the answerable questions. `unanswerable` is the rate of unanswerable
    questions that pass it, `false_answers` that of false answers among all questions."""

    kept: Rate
    threshold: float
    unanswerable: Rate
    false_answers: Rate


@dataclass(frozen=True, slots=True)
class Curve:
    """`aurc` is the mean risk over all coverages (0 is perfect); `auroc` the chance that an answerable question scores
    above an unanswerable one (1 is perfect, 0.5 is chance), None where the file has one of the two only."""

    points: tuple[Point, ...]
    aurc: float | None
    auroc: float | None
    operating: dict[float, Operating]


def curve(outcomes: Sequence[Outcome]) -> Curve:
    """Of any group of questions."""
    scored = [(o.score, o.wrong_if_answered) for o in outcomes]
    yes = [o.score for o in outcomes if o.asked.answerable]
    no = [o.score for o in outcomes if not o.asked.answerable]
    operating = {kept: _operating(outcomes, threshold(yes, kept)) for kept in KEPT} if yes else {}
    return Curve(points(scored), aurc(scored), auroc(yes, no), operating)


def points(scored: Sequence[tuple[float, bool]]) -> tuple[Point, ...]:
    """One point a distinct score, from (score, wrong), the highest threshold first."""
    found, wrong, answered = [], 0, 0
    for score, group in groupby(sorted(scored, key=lambda pair: -pair[0]), key=lambda pair: pair[0]):
        errors = [bad for _, bad in group]
        wrong, answered = wrong + sum(errors), answered + len(errors)
        found.append(Point(score, answered / len(scored), wrong / answered))
    return tuple(found)


def aurc(scored: Sequence[tuple[float, bool]]) -> float | None:
    """The mean risk when the 1, 2, … n surest are answered; equal scores come in any order, so in the mean order."""
    risks, wrong, answered = [], 0.0, 0
    for _, group in groupby(sorted(scored, key=lambda pair: -pair[0]), key=lambda pair: pair[0]):
        errors = [bad for _, bad in group]
        for _ in errors:
            wrong, answered = wrong + sum(errors) / len(errors), answered + 1
            risks.append(wrong / answered)
    return math.fsum(risks) / len(risks) if risks else None


def auroc(yes: Sequence[float], no: Sequence[float]) -> float | None:
    """Ties count half (Mann-Whitney)."""
    if not yes or not no:
        return None
    below = sorted(no)
    wins = math.fsum((bisect_left(below, score) + bisect_right(below, score)) / 2 for score in yes)
    return wins / (len(yes) * len(no))


def threshold(yes: Sequence[float], kept: float) -> float:
    """The highest score that at least `kept` of these reach."""
    ordered = sorted(yes, reverse=True)
    return ordered[max(0, math.ceil(kept * len(ordered) - 1e-9) - 1)]


def _operating(outcomes: Sequence[Outcome], gate: float) -> Operating:
    passing = [o.score >= gate for o in outcomes]
    return Operating(
        kept=Rate.of(p for p, o in zip(passing, outcomes, strict=True) if o.asked.answerable),
        threshold=gate,
        unanswerable=Rate.of(p for p, o in zip(passing, outcomes, strict=True) if not o.asked.answerable),
        false_answers=Rate.of(p and o.wrong_if_answered for p, o in zip(passing, outcomes, strict=True)),
    )
