"""Pools -> feature rows: the shipped models' scores (remembered) and the product's own signals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.datasets import Pool
from bench.fitting import Rows
from bench.lost_signals import lost
from bench.raw_scores import GRADER, Pair, cosines, grader_logits
from config.sections import Crag
from crag.features import Candidate, features


@dataclass(frozen=True, slots=True)
class Table:
    """One Rows a pool, in order; `names` are the columns; the fingerprints are those of the models."""

    names: tuple[str, ...]
    questions: tuple[Rows, ...]
    grader: str
    embedder: str

    def columns(self, names: Sequence[str]) -> list[int]:
        return [self.names.index(name) for name in names]


def table(pools: Sequence[Pool], grader_folder: Path = GRADER) -> Table:
    """Features of the candidates that the engine would grade, the nearest few of each pool, as it computes them."""
    every = [(pool.question, passage.full) for pool in pools for passage in pool.passages]
    near, embedder = cosines(every)
    pairs, similar, sizes = _nearest(pools, every, near)
    logits, grader = grader_logits(pairs, grader_folder)
    rows: list[list[dict[str, float]]] = []
    start = 0
    for pool, size in zip(pools, sizes, strict=True):
        end = start + size
        candidates = [
            Candidate(passage, 1.0 / (1.0 + math.exp(-raw)), cosine)
            for (_, passage), raw, cosine in zip(pairs[start:end], logits[start:end], similar[start:end], strict=True)
        ]
        own = features(pool.question, candidates)
        more = lost(pool.question, [passage for _, passage in pairs[start:end]], own)
        rows.append([row | other for row, other in zip(own, more, strict=True)])
        start = end
    names = tuple(sorted({name for one in rows for row in one for name in row}))
    questions = tuple(
        Rows(pool.dataset, pool.id, pool.group, pool.answerable, _matrix(one, names))
        for pool, one in zip(pools, rows, strict=True)
    )
    return Table(names, questions, grader, embedder)


def _nearest(
    pools: Sequence[Pool], pairs: Sequence[Pair], near: Sequence[float]
) -> tuple[list[Pair], list[float], list[int]]:
    """(pairs, their cosines, how many each pool has) of what a cascade with the default settings grades."""
    best = Crag().graded
    at, out = 0, []
    for pool in pools:
        of = range(at, at + len(pool.passages))
        out.append(sorted(of, key=lambda n: -near[n])[:best])
        at += len(pool.passages)
    order = [n for one in out for n in one]
    return [pairs[n] for n in order], [near[n] for n in order], [len(one) for one in out]


def _matrix(
    rows: Sequence[dict[str, float]], names: Sequence[str]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([[row.get(name, math.nan) for name in names] for row in rows], dtype=np.float64)
