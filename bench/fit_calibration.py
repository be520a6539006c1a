"""Fit `config/calibration.json`: `python -m bench.fit_calibration [--grader FOLDER] [--write]`.

Every number is by cross-fitting: five folds, three seeds, a question is never scored by what it was fitted on. Models'
scores are remembered in `.cache/`, so that a second run takes seconds.
"""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import datasets
from bench.features import Table, table
from bench.fitting import Array, Linear, Rows, auroc, fit, folds, rejected, scores, threshold
from bench.handbook_pool import handbook
from bench.raw_scores import GRADER, ROOT
from crag.calibration import Calibration, Term, saved

SHIPPED = ("logit", "cosine", "missing_names", "missing_numbers")
FORMULAS: Mapping[str, tuple[str, ...]] = {
    "grader": ("logit",),
    "cosine": ("cosine",),
    "grader, cosine": ("logit", "cosine"),
    "  and names": ("logit", "cosine", "missing_names"),
    "  and numbers": ("logit", "cosine", "missing_numbers"),
    "  and names, numbers": SHIPPED,
    "    and coverage": (*SHIPPED, "coverage_idf"),
    "    and kind of answer": (*SHIPPED, "wanted_kind_missing"),
    "    and question's length": (*SHIPPED, "question_words"),
    "    and the set: cosine gap": (*SHIPPED, "set_cosine_gap"),
    "    and the set: cosine of top 3": (*SHIPPED, "set_cosine_top3"),
    "    and the set: grade of top 3": (*SHIPPED, "set_logit_top3"),
}
L2, FOLDS, SEEDS = 0.02, 5, (0, 1, 2)
KEPT_OF_HANDBOOK = 0.9
WELL_SUPPORTED = 0.05
"""Share of each set's unanswerable questions, on average over the sets, that may pass `upper`."""


@dataclass(frozen=True, slots=True)
class View:
    """One kind of question: where it stands among all, and what is answerable there."""

    name: str
    at: NDArray[np.int64]
    answerable: NDArray[np.bool_]


def views(questions: Sequence[Rows]) -> list[View]:
    """One a dataset; "deleted" is compared with the same questions over the whole handbook."""
    out = []
    for name in dict.fromkeys(one.dataset for one in questions):
        also = {"handbook"} if name == "deleted" else set()
        at = [n for n, q in enumerate(questions) if q.dataset == name or (q.dataset in also and q.answerable)]
        out.append(View(name, np.array(at), np.array([questions[n].answerable for n in at])))
    return out


def cross_fitted(found: Table, names: Sequence[str], seed: int) -> Array:
    """Each question's score by a fit that saw neither it nor its group."""
    columns, fold = found.columns(names), folds(found.questions, FOLDS, seed)
    out = np.zeros(len(found.questions))
    for number in range(FOLDS):
        rest = [one for one, own in zip(found.questions, fold, strict=True) if own != number]
        at = np.flatnonzero(fold == number)
        out[at] = scores(_fitted(rest, columns, names), [found.questions[n] for n in at], columns)
    return out


def transferred(found: Table, names: Sequence[str]) -> Array:
    """Each question's score by a fit that saw no question of its dataset ("deleted" and "handbook" count as one)."""
    columns, out = found.columns(names), np.zeros(len(found.questions))
    kind = np.array([one.dataset.replace("deleted", "handbook") for one in found.questions])
    for left_out in sorted(set(kind)):
        rest = [one for one, own in zip(found.questions, kind, strict=True) if own != left_out]
        at = np.flatnonzero(kind == left_out)
        out[at] = scores(_fitted(rest, columns, names), [found.questions[n] for n in at], columns)
    return out


def thresholds(found: Table, each: Sequence[View], of: Sequence[Array]) -> tuple[float, float]:
    """(upper, lower), means over the seeds. `lower` keeps 90 % of the handbook's answerable questions; above `upper`
    stands at most WELL_SUPPORTED of the unanswerable, every set weighing the same."""
    handbook_view = next(view for view in each if view.name == "handbook")
    lower = [threshold(s[handbook_view.at], handbook_view.answerable, KEPT_OF_HANDBOOK) for s in of]
    upper = [
        next(
            cut
            for cut in np.arange(0.5, 1.0, 0.005)
            if np.mean([_passing(s, v, cut)[1] for v in each]) <= WELL_SUPPORTED
        )
        for s in of
    ]
    return round(float(np.mean(upper)), 3), round(float(np.mean(lower)), 3)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="write config/calibration.json")
    options.add_argument("--grader", type=Path, default=GRADER, help="the folder of another grader, to compare")
    asked = options.parse_args()
    pools = [*datasets.nomiracl(), *datasets.clapnq(), *datasets.grader_pairs(), *handbook()]
    found = table(pools, asked.grader)
    each = views(found.questions)
    print("rejected at 90 % / 95 % kept / AUROC | " + " | ".join(f"{v.name} ({len(v.at)})" for v in each))
    for label, names in FORMULAS.items():
        _print(label, each, [cross_fitted(found, names, seed) for seed in SEEDS])
        if names in (FORMULAS["grader, cosine"], SHIPPED):
            _print("  ... fitted on the other sets", each, [transferred(found, names)])
    of = [cross_fitted(found, SHIPPED, seed) for seed in SEEDS]
    upper, lower = thresholds(found, each, of)
    promise: dict[str, float] = {}
    for view in each:
        for name, cut in (("lower", lower), ("upper", upper)):
            kept, passed = np.mean([_passing(s, view, cut) for s in of], axis=0)
            promise[f"{view.name}_answerable_above_{name}"] = round(float(kept), 3)
            promise[f"{view.name}_unanswerable_above_{name}"] = round(float(passed), 3)
        promise[f"{view.name}_auroc"] = round(float(np.mean([auroc(s[view.at], view.answerable) for s in of])), 3)
    for name, value in promise.items():
        print(f"  {name} {value}")
    columns = found.columns(SHIPPED)
    model = _fitted(found.questions, columns, SHIPPED)
    calibration = Calibration(
        upper=upper,
        lower=lower,
        terms={
            name: Term(round(float(weight), 5), round(float(center), 5))
            for name, weight, center in zip(SHIPPED, model.weights, model.center, strict=True)
        },
        bias=round(model.bias, 5),
        measured_on=_measured_on(each),
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        data=datasets.fingerprint(pools),
        promise=promise,
    )
    text = saved(replace(calibration, grader=found.grader, embedder=found.embedder))
    print(text)
    if asked.write:
        (ROOT / "config" / "calibration.json").write_text(text, encoding="utf-8")


def _fitted(questions: Sequence[Rows], columns: Sequence[int], names: Sequence[str]) -> Linear:
    return fit(questions, columns, L2, [float(name in ("logit", "cosine")) for name in names])


def _passing(of: Array, view: View, cut: float) -> tuple[float, float]:
    above = of[view.at] >= cut
    return float(above[view.answerable].mean()), float(above[~view.answerable].mean())


def _print(label: str, each: Sequence[View], of: Sequence[Array]) -> None:
    def mean(view: View) -> str:
        parts = [(s[view.at], view.answerable) for s in of]
        at90, at95 = (np.mean([rejected(*part, kept) for part in parts]) for kept in (0.9, 0.95))
        return f"{at90:.3f} {at95:.3f} {np.mean([auroc(*part) for part in parts]):.3f}"

    print(f"{label:36s} | " + " | ".join(map(mean, each)), flush=True)


def _measured_on(each: Sequence[View]) -> str:
    sizes = {view.name: len(view.at) for view in each}
    return (
        f"{sizes['handbook']} development questions over the fictional handbook of examples/ (and the answerable ones "
        f"again with their documents deleted), {sizes['nomiracl']} of NoMIRACL, {sizes['clapnq']} of ClapNQ (both "
        f"Wikipedia) and {sizes['pairs']} question-passage pairs, by 5-fold cross-fitting. `lower` was chosen on the "
        "handbook's questions, so their rate there flatters; scores on Wikipedia lie higher, and far more near-misses "
        "pass (see promise). Not measured on your documents: expect other rates there."
    )


if __name__ == "__main__":
    main()
