"""From a team's own questions to thresholds with a promise, and to the record that the badge shows.

Three things need questions of their own: fitting weights, choosing thresholds, and reporting what they do. Whatever was
chosen on some questions looks better on them than it is.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from crag.calibration import Calibration
from crag.conformal import CONFIDENCE, Gate, affordable, gate, needed
from crag.evaluation.metrics import Figures
from crag.evaluation.outcomes import Outcome, Result
from crag.evaluation.questions import Asked
from crag.features import Candidate, features
from crag.refit import Example, refitted
from crag.types import Grade

SEED = "candor-calibrate"
REPORTED = "test"
"""The split of a question file that is kept for the report."""
REFIT_FROM = 180
"""Questions from which on a third of them refits the weights; with fewer, all of them choose the thresholds."""
SURER = 5
"""How many times fewer false answers may carry the better badge."""
LIMITS = (0.05, 0.1, 0.15, 0.2, 0.3)
"""Limits that are offered where the one that was asked for keeps nothing."""
JUMP = 0.2
"""So much larger a share of needless abstentions is a price that nobody pays unasked."""
LOWEST, HIGHEST = 0.01, 0.98


@dataclass(frozen=True, slots=True)
class Choice:
    """Chosen thresholds. `upper` is None where the questions can't promise anything about the better badge; then it
    lies above every wrong answer that was seen. `kept` is the share of answerable questions above the lower one."""

    calibration: Calibration
    lower: Gate
    upper: Gate | None
    kept: float
    refitted: int


@dataclass(frozen=True, slots=True)
class Shortage:
    """The questions can't support the limit. `more` is how many questions of the file are missing, `unanswerable` how
    many of these should have no answer."""

    have: int
    need: int
    more: int
    unanswerable: int


def halves(questions: Sequence[Asked]) -> tuple[list[Asked], list[Asked]]:
    """(to choose by, to report on): as the file's splits say, where one of several is called "test"; else at random,
    always in the same way, answerable and unanswerable ones alike."""
    names = {asked.split for asked in questions}
    if REPORTED in names and len(names) > 1:
        return [q for q in questions if q.split != REPORTED], [q for q in questions if q.split == REPORTED]
    choosing: set[str] = set()
    for answerable in (True, False):
        ids = sorted(q.id for q in questions if q.answerable is answerable)
        random.Random(SEED).shuffle(ids)  # noqa: S311 - a fixed draw, no secret
        choosing.update(ids[: (len(ids) + 1) // 2])
    return [q for q in questions if q.id in choosing], [q for q in questions if q.id not in choosing]


def choose(outcomes: Sequence[Outcome], shipped: Calibration, allowed: float, total: int) -> Choice | Shortage:
    """Thresholds that keep false answers to `allowed`, a share of all questions. `total` is the size of the whole file,
    for saying how many more it takes."""
    fitting, choosing = _parts(outcomes)
    need = needed(allowed)
    fitted = refitted(shipped, [example for o in fitting for example in _example(o, shipped)])
    scored = [rescored(outcome, fitted) for outcome in choosing]
    lower = gate(scored, allowed)
    if lower is None:
        more = -(-(need - len(choosing)) * total // max(1, len(choosing)))
        return Shortage(len(choosing), need, more, -(-more // 2))
    threshold = _up(min(HIGHEST, max(LOWEST, lower.threshold)))
    upper = gate(scored, allowed / SURER)
    above = upper.threshold if upper else max((score for score, bad in scored if bad), default=threshold) + 0.01
    answerable = [score for (score, _), o in zip(scored, choosing, strict=True) if o.asked.answerable]
    return Choice(
        calibration=replace(fitted, lower=threshold, upper=_up(min(HIGHEST + 0.01, max(threshold + 0.01, above)))),
        lower=lower,
        upper=upper,
        kept=sum(score >= threshold for score in answerable) / max(1, len(answerable)),
        refitted=len(fitting),
    )


def others(outcomes: Sequence[Outcome], shipped: Calibration) -> list[tuple[float, float]]:
    """What other limits would keep: (limit, share of the answerable questions above the threshold)."""
    found = [(limit, choose(outcomes, shipped, limit, len(outcomes))) for limit in LIMITS]
    return [(limit, choice.kept) for limit, choice in found if isinstance(choice, Choice)]


def costs_much(before: Figures, after: Figures) -> bool:
    """Whether needless abstentions jump."""
    was, now = (found.needless_abstentions.share or 0.0 for found in (before, after))
    return now - was >= JUMP


def milder(choice: Choice, allowed: float, offered: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Of what `others` gives, the limit nearest to `allowed` that keeps clearly more answerable questions."""
    return next((one for one in offered if one[0] > allowed and one[1] >= choice.kept + JUMP / 2), None)


def missing(choice: Choice, allowed: float, total: int) -> tuple[int, int]:
    """(questions to choose by, questions more in a file of `total`) that allow one false answer more than now."""
    have = choice.lower.total
    need = needed(allowed, mistakes=affordable(have, allowed) + 1)
    return need, -(-(need - have) * total // have)


def rescored(outcome: Outcome, calibration: Calibration) -> tuple[float, bool]:
    """The best passage's score under this calibration, and whether an answer is, or would be, false."""
    best = _best(outcome, calibration)
    if best is None:
        return 0.0, True
    wrong = outcome.result is Result.FALSE if outcome.answer else not outcome.asked.source_of(best[1].chunk)
    return best[0], wrong


def _up(threshold: float) -> float:
    """Four digits for people; upwards, which keeps every promise."""
    return math.ceil(threshold * 10_000 - 1e-9) / 10_000


def _parts(outcomes: Sequence[Outcome]) -> tuple[list[Outcome], list[Outcome]]:
    """(to refit the weights by, to choose the thresholds by)."""
    if len(outcomes) < REFIT_FROM:
        return [], list(outcomes)
    shuffled = sorted(outcomes, key=lambda o: o.asked.id)
    random.Random(SEED).shuffle(shuffled)  # noqa: S311 - a fixed draw, no secret
    third = len(shuffled) // 3
    return shuffled[:third], shuffled[third:]


def _best(outcome: Outcome, calibration: Calibration) -> tuple[float, Grade, dict[str, float]] | None:
    grades = [grade for grade in outcome.reply.trace.grades if grade.raw is not None]
    asked = outcome.reply.trace.standalone or outcome.asked.text
    rows = features(asked, [Candidate(grade.chunk.passage, grade.raw, grade.cosine) for grade in grades])
    graded = [(calibration.score(row), grade, row) for row, grade in zip(rows, grades, strict=True)]
    return max(graded, key=lambda one: one[0], default=None)


def _example(outcome: Outcome, calibration: Calibration) -> list[Example]:
    """The best passage of a question, as the question counts with it."""
    best = _best(outcome, calibration)
    return [Example(best[2], bool(outcome.asked.source_of(best[1].chunk)))] if best else []


def promise(choice: Choice, allowed: float) -> dict[str, float]:
    """What `calibration.json` says of the promise."""
    told = {
        "max_false_answers": allowed,
        "confidence": CONFIDENCE,
        "chosen_on_questions": float(choice.lower.total),
        "chosen_false_answers": float(choice.lower.wrong),
        "false_answers_at_most": round(choice.lower.bound, 4),
        "answerable_above_lower": round(choice.kept, 4),
    }
    if choice.upper:
        told["well_supported_false_answers_at_most"] = round(choice.upper.bound, 4)
    return told
