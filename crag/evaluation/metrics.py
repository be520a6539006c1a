"""The figures of a group of questions. docs/evaluation.md says what each means."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crag.evaluation.intervals import clopper_pearson
from crag.evaluation.outcomes import Outcome, Result
from crag.types import Abstention, Band, Support
from crag.wording import shown_band

CUTS = (1, 3, 5, 10)
"""The k of hit@k, in passages."""
_RETRIEVE_AND_GRADE = ("standalone", "search", "widen", "grade")


@dataclass(frozen=True, slots=True)
class Rate:
    """`count` of `total`."""

    count: int
    total: int

    @classmethod
    def of(cls, values: Iterable[bool]) -> Rate:
        listed = list(values)
        return cls(sum(listed), len(listed))

    @property
    def share(self) -> float | None:
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """Clopper-Pearson, 95 %."""
        return clopper_pearson(self.count, self.total)


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds; None where nothing was timed."""

    p50: float | None
    p95: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """All of one group. `badges` say, by the badge that people saw, how many answers were right."""

    questions: int
    answerable: int
    failed: int
    hits: dict[int, Rate]
    mrr: float | None
    band_accuracy: Rate
    answered: Rate
    false_answers: Rate
    false_among_answered: Rate
    unanswerable_answered: Rate
    needless_abstentions: Rate
    citation_precision: Rate
    citation_recall: Rate
    support: Rate
    badges: dict[Band, Rate]
    latency: Latency
    retrieve_and_grade: Latency

    @property
    def rates(self) -> dict[str, Rate]:
        """By the names that `--json` has."""
        named = {
            name: getattr(self, name)
            for name in (
                "band_accuracy",
                "answered",
                "false_answers",
                "false_among_answered",
                "unanswerable_answered",
                "needless_abstentions",
                "citation_precision",
                "citation_recall",
                "support",
            )
        }
        return {f"hit_at_{k}": rate for k, rate in self.hits.items()} | named


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """Of any group, the empty one too."""
    answerable = [o for o in outcomes if o.asked.answerable]
    answered = [o for o in outcomes if o.answer]
    told = [o for o in answerable if o.answer]
    ranks = [o.rank for o in answerable]
    return Figures(
        questions=len(outcomes),
        answerable=len(answerable),
        failed=sum(o.failed for o in outcomes),
        hits={k: Rate.of(rank is not None and rank <= k for rank in ranks) for k in CUTS},
        mrr=math.fsum(1 / rank for rank in ranks if rank) / len(ranks) if ranks else None,
        band_accuracy=Rate.of(_band_is_right(o) for o in outcomes),
        answered=Rate.of(bool(o.answer) for o in outcomes),
        false_answers=Rate.of(o.result is Result.FALSE for o in outcomes),
        false_among_answered=Rate.of(o.result is Result.FALSE for o in answered),
        unanswerable_answered=Rate.of(bool(o.answer) for o in outcomes if not o.asked.answerable),
        needless_abstentions=Rate.of(o.result is Result.NEEDLESS for o in answerable),
        citation_precision=Rate.of(bool(o.asked.source_of(chunk)) for o in told for chunk in o.cited),
        citation_recall=Rate.of(
            name in {o.asked.source_of(chunk) for chunk in o.cited} for o in told for name in o.asked.sources
        ),
        support=Rate.of(o.answer.support is Support.FULL for o in outcomes if o.answer),
        badges={band: _with_badge(outcomes, band) for band in Band},
        latency=_latency([o.milliseconds("total") for o in outcomes]),
        retrieve_and_grade=_latency([o.milliseconds(*_RETRIEVE_AND_GRADE) for o in outcomes]),
    )


def groups(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """By kind of question, in the order of the file."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.asked.kind, []).append(outcome)
    return found


def reasons(outcomes: Iterable[Outcome]) -> Counter[str]:
    """Abstentions by reason code."""
    return Counter(o.reply.body.reason.value for o in outcomes if isinstance(o.reply.body, Abstention))


def unseen(outcomes: Iterable[Outcome]) -> list[str]:
    """Expected sources that no search brought to light: misspelt, perhaps, or not indexed."""
    listed = list(outcomes)
    seen = {name for o in listed for g in o.reply.trace.grades for name in (g.chunk.path, g.chunk.url)}
    return sorted({name for o in listed for name in o.asked.sources} - seen)


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least `share` of all don't exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def _band_is_right(outcome: Outcome) -> bool:
    """CORRECT and AMBIGUOUS both lead to an answer, INCORRECT to "I don't know"."""
    band = outcome.reply.trace.band
    return band is not None and (band is not Band.INCORRECT) == outcome.asked.answerable


def _with_badge(outcomes: Sequence[Outcome], band: Band) -> Rate:
    return Rate.of(o.result is Result.RIGHT for o in outcomes if o.answer and shown_band(o.answer) is band)


def _latency(values: Iterable[float | None]) -> Latency:
    known = [value for value in values if value is not None]
    return Latency(percentile(known, 0.5), percentile(known, 0.95))
