"""What changed between two evaluations: figures, and each question whose reply is worth something else now."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crag.errors import CandorError
from crag.evaluation.results import Data

_ADVICE = "--compare takes what `candor evaluate QUESTIONS.jsonl --json > OLD.json` wrote."
_UP = ("hit_at_1", "hit_at_5", "mrr", "band_accuracy", "citation_precision", "citation_recall", "support")
_DOWN = ("false_answers", "false_among_answered", "unanswerable_answered", "needless_abstentions", "failed")


@dataclass(frozen=True, slots=True)
class Change:
    """A figure that isn't what it was. `clear` where the two 95 % intervals don't even touch; else it may be chance."""

    name: str
    before: float
    after: float
    better: bool
    clear: bool


@dataclass(frozen=True, slots=True)
class Turned:
    """A question whose result changed; the results are those of `Result`."""

    id: str
    question: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Changes:
    """`common` counts the questions that stand in both; `new` and `gone` those that don't."""

    figures: tuple[Change, ...]
    turned: tuple[Turned, ...]
    common: int
    new: int
    gone: int


def load_old(path: Path) -> Data:
    """Read an earlier evaluation. Raises CandorError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CandorError(f"{path} can't be read: {error.strerror or error}.", advice=_ADVICE) from error
    except ValueError as error:
        raise CandorError(f"{path} is no JSON: {error}.", advice=_ADVICE) from error
    if not isinstance(found, dict) or found.get("kind") != "evaluation" or found.get("schema") != 1:
        raise CandorError(f"{path} is no evaluation of this version.", advice=_ADVICE)
    try:
        changes(found, found)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CandorError(f"{path} is not complete: {error!r}.", advice=_ADVICE) from error
    return found


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Changes:
    """Compare two `evaluation_data`. Figures are compared over all questions of each."""
    before, after = old["metrics"], new["metrics"]
    figures = [_change(name, before[name], after[name], up=True) for name in _UP]
    figures += [_change(name, before[name], after[name], up=False) for name in _DOWN]
    for name, up in (("auroc", True), ("aurc", False)):
        figures.append(_change(name, old["curve"][name], new["curve"][name], up=up))
    figures.append(_change("latency_p50_ms", before["latency_ms"]["p50"], after["latency_ms"]["p50"], up=False))
    known = {(row["id"], row["question"]): row for row in old["rows"]}
    pairs = [(known[row["id"], row["question"]], row) for row in new["rows"] if (row["id"], row["question"]) in known]
    return Changes(
        figures=tuple(change for change in figures if change),
        turned=tuple(
            Turned(row["id"], row["question"], was["result"], str(row["result"]))
            for was, row in pairs
            if was["result"] != row["result"]
        ),
        common=len(pairs),
        new=len(new["rows"]) - len(pairs),
        gone=len(old["rows"]) - len(pairs),
    )


def _change(name: str, before: Any, after: Any, *, up: bool) -> Change | None:
    """None where the figure is the same, or one of the two doesn't have it."""
    was, now = _value(before), _value(after)
    if was is None or now is None or math.isclose(was, now, abs_tol=1e-9):
        return None
    apart = isinstance(before, dict) and isinstance(after, dict)
    clear = apart and (before["high"] < after["low"] or after["high"] < before["low"])
    return Change(name, was, now, (now > was) is up, clear)


def _value(figure: Any) -> float | None:
    value = figure["share"] if isinstance(figure, dict) else figure
    return None if value is None else float(value)
