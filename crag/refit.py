"""The shipped weights, moved a little towards a team's own questions: logistic regression with the shipped fit as its
prior, so that few questions change little."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from crag.calibration import Calibration, Term

Features = Mapping[str, float]
PRIOR = 20.0
"""How many questions the shipped weights count for."""
_STEPS = 25


@dataclass(frozen=True, slots=True)
class Example:
    """A passage as `crag.features` sees it, and whether it answers its question."""

    features: Features
    answers: bool


def refitted(calibration: Calibration, examples: Sequence[Example]) -> Calibration:
    """New bias and weights; without terms, or with one label only, nothing changes."""
    names = list(calibration.terms)
    if not names or len({example.answers for example in examples}) < 2:
        return calibration
    terms = calibration.terms
    rows = [[1.0, *(_centred(example.features, name, terms[name]) for name in names)] for example in examples]
    scales = [1.0, *(_spread([row[at] for row in rows]) for at in range(1, len(names) + 1))]
    rows = [[value / scale for value, scale in zip(row, scales, strict=True)] for row in rows]
    prior = [
        value * scale
        for value, scale in zip([calibration.bias, *(t.weight for t in terms.values())], scales, strict=True)
    ]
    found = _newton(rows, [float(example.answers) for example in examples], prior)
    weights = [value / scale for value, scale in zip(found, scales, strict=True)]
    fitted = {name: Term(weight, terms[name].center) for name, weight in zip(names, weights[1:], strict=True)}
    return replace(calibration, bias=weights[0], terms=fitted)


def _centred(features: Features, name: str, term: Term) -> float:
    value = features.get(name, math.nan)
    return 0.0 if math.isnan(value) else value - term.center


def _spread(values: Sequence[float]) -> float:
    """The standard deviation, 1 where there is none."""
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values)) or 1.0


def _newton(rows: Sequence[Sequence[float]], labels: Sequence[float], prior: Sequence[float]) -> list[float]:
    """The maximum of log-likelihood - pull / 2 * |beta - prior|^2, where a unit of `pull` is a quarter of PRIOR: as
    much as PRIOR undecided examples curve the likelihood."""
    pull, size, beta = PRIOR / 4, len(prior), list(prior)
    for _ in range(_STEPS):
        chances = [_sigmoid(math.fsum(b * x for b, x in zip(beta, row, strict=True))) for row in rows]
        slope = [
            math.fsum((y - p) * row[i] for y, p, row in zip(labels, chances, rows, strict=True))
            - pull * (beta[i] - prior[i])
            for i in range(size)
        ]
        sure = [p * (1 - p) for p in chances]
        bend = [
            [math.fsum(s * row[i] * row[j] for s, row in zip(sure, rows, strict=True)) for j in range(size)]
            for i in range(size)
        ]
        for i in range(size):
            bend[i][i] += pull
        step = _solved(bend, slope)
        beta = [b + s for b, s in zip(beta, step, strict=True)]
        if max(map(abs, step)) < 1e-9:
            break
    return beta


def _solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Gauss-Jordan; the matrix is positive definite, so no pivot is zero."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at, pivot in enumerate(rows):
        rows[at] = pivot = [value / pivot[at] for value in pivot]
        for other in range(len(rows)):
            if other != at:
                factor = rows[other][at]
                rows[other] = [a - factor * b for a, b in zip(rows[other], pivot, strict=True)]
    return [row[-1] for row in rows]


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))
