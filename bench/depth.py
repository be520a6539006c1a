"""How many candidates a search should bring, and how many of them are worth an exact grade: `python -m bench.depth`.

On the development half of the handbook's questions, and on 30 questions about a handbook of 4,000 passages (data
folder) that nobody labelled: there, the others are held against what grading 50 candidates would decide. Scores come
from the shipped models and `config/calibration.json`, and are remembered in `.cache/`.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.datasets import Passage, Pool
from bench.handbook_pool import chunks_of, embedded, found, handbook
from bench.raw_scores import CACHE, ROOT, cosines, grader_logits
from bench.run import LARGE, LARGE_QUESTIONS
from crag.calibration import Calibration, load_calibration
from crag.features import Candidate, features

CANDIDATES, GRADED = (10, 20, 30, 40, 50), (4, 6, 8, 10, 12, 16, 20)
DEEPEST = max(CANDIDATES)


@dataclass(frozen=True, slots=True)
class Searched:
    """One question's candidates in the order of the search. `right` says which come from an expected source."""

    pool: Pool
    cosine: NDArray[np.float64]
    score: NDArray[np.float64]
    right: NDArray[np.bool_]

    def chosen(self, candidates: int, graded: int, order: Order) -> Places:
        """Which are graded."""
        return order(self, min(candidates, len(self.score)))[:graded]


Places = NDArray[np.int64]
Order = Callable[[Searched, int], Places]


def by_cosine(one: Searched, candidates: int) -> Places:
    return np.argsort(-one.cosine[:candidates], kind="stable")


def by_search(one: Searched, candidates: int) -> Places:
    """As the hybrid search ranked them."""
    return np.arange(candidates)


def by_both(one: Searched, candidates: int) -> Places:
    """The better of the two ranks."""
    rank = np.argsort(by_cosine(one, candidates), kind="stable")
    return np.argsort(np.minimum(rank, by_search(one, candidates)), kind="stable")


ORDERS: dict[str, Order] = {"cosine": by_cosine, "search": by_search, "better of both": by_both}


def searched(pools: Sequence[Pool], calibration: Calibration) -> list[Searched]:
    """Each pool with its scores as the product computes them."""
    pairs = [(pool.question, passage.full) for pool in pools for passage in pool.passages]
    logits, near = iter(grader_logits(pairs)[0]), iter(cosines(pairs)[0])
    sources = _sources()
    out = []
    for pool in pools:
        candidates = [
            Candidate(passage.full, 1.0 / (1.0 + math.exp(-next(logits))), next(near)) for passage in pool.passages
        ]
        right = [pool.answerable and passage.id in sources.get(pool.id, ()) for passage in pool.passages]
        rows = features(pool.question, candidates)
        cosine = np.array([candidate.cosine for candidate in candidates])
        out.append(Searched(pool, cosine, np.array([calibration.score(row) for row in rows]), np.array(right)))
    return out


def unlabelled() -> list[Pool]:
    """The questions about the large handbook."""
    chunks = asyncio.run(chunks_of(LARGE))
    kept = CACHE / f"vectors-{len(chunks)}.npy"
    vectors, asked = asyncio.run(embedded([] if kept.exists() else [c.passage for c in chunks], LARGE_QUESTIONS))
    if kept.exists():
        vectors = np.load(kept)
    else:
        np.save(kept, vectors)
    pools = []
    for question, vector in zip(LARGE_QUESTIONS, asked, strict=True):
        hits = found(chunks, vectors @ vector, question, frozenset(), DEEPEST)
        passages = tuple(
            Passage(chunk.id, " > ".join(chunk.headings or (chunk.title,)), chunk.text) for chunk, _ in hits
        )
        pools.append(Pool("large", question, question, passages, True, question))
    return pools


def recall(asked: Sequence[Searched]) -> Iterator[str]:
    """hit@N of the search, and of what is graded."""
    yield "| candidates | found | " + " | ".join(f"best {k} by {name}" for k in (4, 8, 12) for name in ORDERS) + " |"
    yield "|---|---|" + "---|" * 3 * len(ORDERS)
    answerable = [one for one in asked if one.pool.answerable]
    for n in CANDIDATES:
        cells = [_share(bool(one.right[:n].any()) for one in answerable)]
        for k in (4, 8, 12):
            cells += [_share(bool(one.right[one.chosen(n, k, o)].any()) for one in answerable) for o in ORDERS.values()]
        yield f"| {n} | {' | '.join(cells)} |"


def gate(asked: Sequence[Searched], lower: float, upper: float) -> Iterator[str]:
    """What would be answered: the best score of those that are graded, against the threshold."""
    yield "| candidates | graded | answerable kept | from a right passage | unanswerable passing | band as with all |"
    yield "|---|---|---|---|---|---|"
    yes, no = [s for s in asked if s.pool.answerable], [s for s in asked if not s.pool.answerable]
    for n in CANDIDATES:
        for k in (*(k for k in GRADED if k < n), n):
            best = {id(s): s.chosen(n, k, by_cosine)[np.argmax(s.score[s.chosen(n, k, by_cosine)])] for s in asked}
            kept, passing = ([s.score[best[id(s)]] >= lower for s in some] for some in (yes, no))
            right = [bool(s.right[best[id(s)]]) and s.score[best[id(s)]] >= lower for s in yes]
            same = [_band(s.score[best[id(s)]], lower, upper) == _band(s.score.max(), lower, upper) for s in asked]
            yield f"| {n} | {k} | {_share(kept)} | {_share(right)} | {_share(passing)} | {_share(same)} |"


def agreement(asked: Sequence[Searched], lower: float, upper: float) -> Iterator[str]:
    """Without labels: whether the best passage, and the band, are those that grading all 50 would give."""
    yield f"| candidates | graded | band as with {DEEPEST} | best passage as with {DEEPEST} |"
    yield "|---|---|---|---|"
    for n in CANDIDATES:
        for k in (*(k for k in GRADED if k < n), n):
            tops = [float(s.score[s.chosen(n, k, by_cosine)].max()) for s in asked]
            best = [float(s.score.max()) for s in asked]
            same = _share(_band(t, lower, upper) == _band(b, lower, upper) for t, b in zip(tops, best, strict=True))
            yield f"| {n} | {k} | {same} | {_share(t == b for t, b in zip(tops, best, strict=True))} |"


def main() -> None:
    calibration = load_calibration(ROOT / "config" / "calibration.json")
    asked = searched(handbook(limit=DEEPEST), calibration)
    print(f"\n## Handbook, development half: {len(asked)} questions\n", *recall(asked), sep="\n")
    print("", *gate(asked, calibration.lower, calibration.upper), sep="\n")
    if LARGE.exists():
        large = searched(unlabelled(), calibration)
        print(f"\n## {len(large)} questions about 4,000 passages, without labels\n", sep="\n")
        print(*agreement(large, calibration.lower, calibration.upper), sep="\n")


def _sources() -> dict[str, list[str]]:
    lines = (ROOT / "examples" / "questions.jsonl").read_text("utf-8").splitlines()
    return {row["id"]: row["sources"] for row in map(json.loads, filter(None, lines))}


def _band(score: float, lower: float, upper: float) -> int:
    return int(score >= lower) + int(score >= upper)


def _share(values: Iterator[bool] | Sequence[bool]) -> str:
    listed = list(values)
    return f"{sum(listed)} of {len(listed)}"


if __name__ == "__main__":
    main()
