"""What a calibration promises, or why there is none, in words."""

from __future__ import annotations

from collections.abc import Sequence

from crag.calibrating import LIMITS, Choice, Shortage, milder, missing
from crag.conformal import CONFIDENCE, affordable, needed
from crag.evaluation.metrics import Figures
from crag.evaluation.report import percent
from crag.wording import BANDS


def shortage(found: Shortage, allowed: float) -> str:
    return (
        f"These questions can't support at most {allowed:.1%} false answers: that takes {found.need} questions to "
        f"choose by, even without one mistake, and there are {found.have}. Nothing was changed. Add about {found.more} "
        f"questions, {found.unanswerable} of them without an answer in your documents, or allow more."
    )


def nothing_kept(found: Choice, allowed: float, offered: Sequence[tuple[float, float]]) -> tuple[str, str]:
    """(what happened, what to do)."""
    total = found.lower.total
    may = affordable(total, allowed)
    message = (
        f"No threshold answers one answerable question and keeps at most {allowed:.1%} false answers. With {total} "
        f"questions to choose by, {may} of them may be answered falsely, and more than that score above every "
        "right one. Nothing was changed."
    )
    more = f"With {needed(allowed, mistakes=may + 1)} questions to choose by it could be {may + 1}."
    kept = ", ".join(f"{limit:.0%} would keep {share:.0%}" for limit, share in offered if share)
    told = f" Of the answerable questions, a limit of {kept}." if kept else ""
    return message, f"{more}{told} `candor evaluate --html` shows the worst cases."


def costs(
    found: Choice, allowed: float, before: Figures, after: Figures, offered: Sequence[tuple[float, float]], total: int
) -> list[str]:
    """What needless abstentions a limit costs that is strict for a file of `total` questions, and what costs less."""
    have = found.lower.total
    need, more = missing(found, allowed, total)
    may = affordable(have, allowed)
    falsely = f"only {may} of them may" if may else "not one of them may"
    told = [
        f"This costs much: {percent(after.needless_abstentions)} of the answerable questions that chose nothing would "
        f"get a needless “I don't know”; as it is, {percent(before.needless_abstentions)} do.",
        f"At most {allowed:.1%} false answers is strict for {have} questions to choose by: {falsely} be answered "
        f"falsely. With {need} (about {more} more in the file) {'one might' if not may else f'{may + 1} might'} be.",
    ]
    if cheaper := milder(found, allowed, offered):
        limit, kept = cheaper
        told.append(
            f"The mildest limit that costs clearly less: --max-false-answers {limit:.0%} keeps {kept:.0%} of the "
            f"answerable questions above the threshold, instead of {found.kept:.0%}."
        )
    else:
        told.append(f"No limit up to {max(LIMITS):.0%} costs clearly less.")
    return told


def promised(choice: Choice, allowed: float, after: Figures) -> list[str]:
    """The promise in words, exactly."""
    lower = choice.lower
    told = [
        f"Promise: of all questions like these, at most {allowed:.1%} get a false answer (confidence {CONFIDENCE:.0%}; "
        f"{lower.wrong} of the {lower.total} questions that chose the threshold did, so at most {lower.bound:.1%}).",
        f"It rests on the mix in your file; {choice.kept:.0%} of its answerable questions stay above the threshold.",
    ]
    if choice.upper:
        told.append(
            f"At most {choice.upper.bound:.1%} of all questions get a false answer that looks well supported "
            f"(confidence {CONFIDENCE:.0%})."
        )
    else:
        told.append("The questions are too few to promise more of “Well supported”; its count is a measurement.")
    rate, (low, high) = after.false_answers, after.false_answers.interval
    told.append(
        f"Of those that chose nothing, {percent(rate)} got a false answer (95% interval {low:.1%} to {high:.1%})."
    )
    if (rate.share or 0.0) > allowed:
        told.append(
            "That is more than was promised: it may be chance, or these questions are harder. Ask more before use."
        )
    for band, rate in after.badges.items():
        if rate.total:
            counted = f"right {rate.count} of {rate.total} times"
            told.append(f"“{BANDS[band]}” was {counted} there.")
    return told
