"""Regularised logistic regression over questions labelled as a whole, and how to judge a gate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rows:
    """The candidates of one question: `x` is [candidates, features], NaN where a signal is missing."""

    dataset: str
    id: str
    group: str
    answerable: bool
    x: Array


@dataclass(frozen=True, slots=True)
class Linear:
    """score = sigmoid(bias + sum(weights * (x - center))); a missing value counts as its center."""

    weights: Array
    center: Array
    bias: float

    def total(self, x: Array) -> Array:
        out: Array = self.bias + np.nan_to_num(x - self.center, nan=0.0) @ self.weights
        return out


@dataclass(frozen=True, slots=True)
class Stack:
    """All candidates of many questions under each other; `owner` is each one's question."""

    x: Array
    owner: NDArray[np.int64]

    @classmethod
    def of(cls, questions: Sequence[Rows], columns: Sequence[int]) -> Stack:
        owner = np.repeat(np.arange(len(questions)), [len(one.x) for one in questions])
        return cls(np.concatenate([one.x[:, columns] for one in questions]), owner)

    def best(self, total: Array) -> NDArray[np.int64]:
        """The position of each question's best candidate, in the questions' order."""
        order = np.lexsort((-total, self.owner))
        first = np.concatenate([[True], np.diff(self.owner[order]) > 0])
        out: NDArray[np.int64] = order[first]
        return out


def fit(
    questions: Sequence[Rows], columns: Sequence[int], l2: float, start: Sequence[float], rounds: int = 8
) -> Linear:
    """Multiple-instance logistic regression: a question counts with its best candidate under the weights so far
    (`start` for the first round, in standard deviations). Every dataset weighs the same in all, and within it the
    answerable the same as the others. `l2` is the penalty on standardised weights, relative to one dataset."""
    stack = Stack.of(questions, columns)
    center, scale = np.nanmean(stack.x, axis=0), np.nanstd(stack.x, axis=0) + 1e-9
    y = np.array([one.answerable for one in questions], dtype=np.float64)
    weight = _balance(questions)
    model = Linear(np.array(start) / scale, center, 0.0)
    for _ in range(rounds):
        best = stack.best(model.total(stack.x))
        z = np.nan_to_num((stack.x[best] - center) / scale, nan=0.0)
        beta = _irls(np.column_stack([np.ones(len(z)), z]), y, weight, l2)
        fitted = Linear(beta[1:] / scale, center, float(beta[0]))
        done = np.allclose(fitted.weights, model.weights, atol=1e-6)
        model = fitted
        if done:
            break
    return model


def scores(model: Linear, questions: Sequence[Rows], columns: Sequence[int]) -> Array:
    """Each question's best probability."""
    stack = Stack.of(questions, columns)
    total = model.total(stack.x)
    out: Array = 1.0 / (1.0 + np.exp(-total[stack.best(total)]))
    return out


def rejected(scores: Array, answerable: NDArray[np.bool_], kept: float) -> float:
    """Share of the unanswerable below the highest threshold that keeps at least `kept` of the answerable."""
    return float((scores[~answerable] < threshold(scores, answerable, kept)).mean())


def threshold(scores: Array, answerable: NDArray[np.bool_], kept: float) -> float:
    """The highest score that at least `kept` of the answerable reach."""
    good = np.sort(scores[answerable])[::-1]
    return float(good[max(0, math.ceil(kept * len(good)) - 1)])


def auroc(scores: Array, answerable: NDArray[np.bool_]) -> float:
    """The chance that an answerable question scores above an unanswerable one, ties half."""
    good, bad = scores[answerable], scores[~answerable]
    difference = good[:, None] - bad[None, :]
    return float(((difference > 0) + 0.5 * (difference == 0)).mean())


def folds(questions: Sequence[Rows], count: int, seed: int) -> NDArray[np.int64]:
    """A fold for each question, at random; questions of one group share theirs, and every dataset is spread evenly."""
    random = np.random.default_rng(seed)
    place: dict[str, int] = {}
    for dataset in sorted({one.dataset for one in questions}):
        groups = sorted({one.group for one in questions if one.dataset == dataset} - set(place))
        place |= {groups[at]: n % count for n, at in enumerate(random.permutation(len(groups)))}
    return np.array([place[one.group] for one in questions], dtype=np.int64)


def _balance(questions: Sequence[Rows]) -> Array:
    count: dict[tuple[str, bool], int] = {}
    for one in questions:
        count[one.dataset, one.answerable] = count.get((one.dataset, one.answerable), 0) + 1
    sets = len({one.dataset for one in questions})
    weight = np.array([1.0 / count[one.dataset, one.answerable] for one in questions])
    out: Array = weight / weight.sum() * sets
    return out


def _irls(x: Array, y: Array, weight: Array, l2: float, steps: int = 30) -> Array:
    """Newton's method on the weighted, penalised log-likelihood; the first column (the bias) is not penalised."""
    penalty = l2 * np.eye(x.shape[1])
    penalty[0, 0] = 1e-9
    beta: Array = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ beta, -30, 30)))
        gradient = x.T @ (weight * (y - p)) - penalty @ beta
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + penalty
        step = np.linalg.solve(hessian, gradient).astype(np.float64)
        beta = np.asarray(beta + step, dtype=np.float64)
        if float(np.abs(step).max()) < 1e-8:
            break
    return beta
