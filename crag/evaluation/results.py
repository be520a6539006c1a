"""One evaluation as a whole, and as plain data: what `--json` prints and `--compare` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crag.evaluation.curve import Curve, Operating, curve
from crag.evaluation.metrics import Figures, Latency, Rate, figures, groups, reasons, unseen
from crag.evaluation.outcomes import Outcome
from crag.evaluation.questions import fingerprint
from crag.text import clean
from crag.types import Abstention, Trace

Data = dict[str, object]
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All that was asked, and what came of it. `trace` is one of the run's, for models, thresholds and generation."""

    file: str
    split: str
    date: str
    outcomes: tuple[Outcome, ...]
    all: Figures
    kinds: Mapping[str, Figures]
    curve: Curve
    unseen: tuple[str, ...]
    trace: Trace = field(default_factory=lambda: Trace(""))


def evaluated(outcomes: Sequence[Outcome], file: str, split: str, date: str) -> Evaluation:
    """Count it all. `date` is ISO 8601."""
    return Evaluation(
        file=file,
        split=split,
        date=date,
        outcomes=tuple(outcomes),
        all=figures(outcomes),
        kinds={kind: figures(group) for kind, group in groups(outcomes).items()},
        curve=curve(outcomes),
        unseen=tuple(unseen(outcomes)),
        trace=next((o.reply.trace for o in outcomes if o.reply.trace.generation), Trace("")),
    )


def evaluation_data(run: Evaluation) -> Data:
    """As docs/evaluation.md has it; fields are only added."""
    return {
        "file": clean(run.file),
        "split": clean(run.split),
        "date": run.date,
        "data": fingerprint([o.asked for o in run.outcomes]),
        "generation": run.trace.generation,
        "documents": run.trace.searched,
        "models": {part: clean(model) for part, model in run.trace.models.items()},
        "upper": run.trace.upper,
        "lower": run.trace.lower,
        "metrics": metrics_data(run.all),
        "kinds": {clean(kind): metrics_data(found) for kind, found in run.kinds.items()},
        "curve": _curve(run.curve),
        "reasons": dict(reasons(run.outcomes).most_common()),
        "unseen_sources": [clean(name) for name in run.unseen],
        "rows": [_row(outcome) for outcome in run.outcomes],
    }


def metrics_data(found: Figures) -> Data:
    """The figures of one group."""
    return {
        "questions": found.questions,
        "answerable": found.answerable,
        "failed": found.failed,
        "mrr": _rounded(found.mrr),
        **{name: rate_data(rate) for name, rate in found.rates.items()},
        "badges": {band.value: rate_data(rate) for band, rate in found.badges.items()},
        "latency_ms": _latency(found.latency),
        "retrieve_and_grade_ms": _latency(found.retrieve_and_grade),
    }


def rate_data(rate: Rate) -> Data:
    """`low` and `high` are the 95 % interval."""
    low, high = rate.interval
    return {
        "share": _rounded(rate.share),
        "count": rate.count,
        "total": rate.total,
        "low": _rounded(low),
        "high": _rounded(high),
    }


def _row(outcome: Outcome) -> Data:
    asked, body, trace = outcome.asked, outcome.reply.body, outcome.reply.trace
    total = outcome.milliseconds("total")
    return {
        "id": clean(asked.id),
        "kind": clean(asked.kind),
        "split": clean(asked.split),
        "question": clean(asked.text),
        "answerable": asked.answerable,
        "expected": sorted(map(clean, asked.sources)),
        "result": outcome.result,
        "reason": body.reason if isinstance(body, Abstention) else "",
        "band": trace.band,
        "support": outcome.answer.support if outcome.answer else None,
        "score": _rounded(outcome.score),
        "rank": outcome.rank,
        "cited": [clean(chunk.path) for chunk in outcome.cited],
        "total_ms": None if total is None else round(total, 1),
    }


def _curve(found: Curve) -> Data:
    return {
        "aurc": _rounded(found.aurc),
        "auroc": _rounded(found.auroc),
        "points": [[_rounded(p.threshold), _rounded(p.coverage), _rounded(p.risk)] for p in found.points],
        **{f"at_{kept * 100:.0f}_kept": _operating(point) for kept, point in found.operating.items()},
    }


def _operating(point: Operating) -> Data:
    return {
        "threshold": _rounded(point.threshold),
        "kept": rate_data(point.kept),
        "unanswerable_answered": rate_data(point.unanswerable),
        "false_answers": rate_data(point.false_answers),
    }


def _latency(found: Latency) -> Data:
    return {
        name: None if value is None else round(value, 1) for name, value in (("p50", found.p50), ("p95", found.p95))
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
