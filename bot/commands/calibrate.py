"""`candor calibrate`: thresholds with a promise, from a team's own questions; and back."""

from __future__ import annotations

import datetime
import os
import tempfile
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.text import Text

from adapters.console.structured import Data
from bot.commands.evaluate import chosen_questions, outcomes_of
from bot.context import Context
from bot.exits import Exit
from bot.parser import UsageError
from crag.calibrating import Choice, Shortage, choose, halves, others, promise
from crag.calibration import Calibration, load_calibration, saved
from crag.conformal import CONFIDENCE, affordable, needed
from crag.errors import CandorError
from crag.evaluation.metrics import Figures, figures
from crag.evaluation.outcomes import Outcome
from crag.evaluation.questions import Asked, fingerprint
from crag.evaluation.report import percent
from crag.evaluation.results import metrics_data
from crag.types import Generation
from crag.wording import BANDS

_SHOWN = {"answered": "answered", "false_answers": "false answers", "needless_abstentions": "needless abstentions"}

LEAST = 0.001
"""A lower limit would take more questions than anybody writes."""


async def run(context: Context, arguments: Namespace) -> Exit:
    path = context.settings.crag.calibration
    if arguments.rollback:
        return _roll_back(context, path)
    if arguments.questions is None:
        raise UsageError("Calibrating takes a file of questions.", "docs/evaluation.md has its format.")
    if not LEAST <= arguments.max_false_answers < 1:
        raise UsageError(f"--max-false-answers must be at least {LEAST:.1%} and less than 100%.", "For example: 5%")
    if context.settings.grader.kind == "llm":
        raise UsageError(
            "The thresholds of an LLM grader are settings, not a calibration.",
            "Set CANDOR_GRADER__LLM__UPPER and CANDOR_GRADER__LLM__LOWER; `candor evaluate` shows what they do.",
        )
    return await _calibrate(context, arguments, path)


async def _calibrate(context: Context, arguments: Namespace, path: Path) -> Exit:
    questions, allowed = chosen_questions(arguments.questions, None), arguments.max_false_answers
    choosing, reporting = halves(questions)
    shipped = load_calibration(path)
    async with context.library() as library:
        live = await library.index.live(context.settings.tenant)
    if live is None:
        raise CandorError("Nothing is indexed yet.", advice="Run: candor index PATH")
    asked = await _asked(context, questions)
    by_id = {outcome.asked.id: outcome for outcome in asked}
    found = choose([by_id[q.id] for q in choosing], shipped, allowed, len(questions))
    if isinstance(found, Shortage):
        return context.screen.fail(Exit.FAILED, "too_few", _shortage(found, allowed))
    if not found.kept:
        message, advice = _nothing_kept(found, allowed, others([by_id[q.id] for q in choosing], shipped))
        return context.screen.fail(Exit.FAILED, "no_threshold", message, advice=advice)
    before = figures([by_id[q.id] for q in reporting])
    after = figures(await _asked_under(context, found.calibration, reporting))
    fitted = _described(found, after, questions, live, asked[0].reply.trace.models, allowed)
    _show(context, found, shipped, fitted, before, after, arguments)
    if not arguments.dry_run:
        _write(path, fitted)
    return Exit.OK


async def _asked(context: Context, questions: Sequence[Asked]) -> list[Outcome]:
    """Raises CandorError where a part failed: that would count as silence."""
    outcomes = await outcomes_of(context, questions)
    if failed := sum(outcome.failed for outcome in outcomes):
        advice = "`candor doctor` shows what is wrong. Nothing was changed."
        raise CandorError(f"A part of Candor failed in {failed} of {len(outcomes)} questions.", advice=advice)
    return outcomes


async def _asked_under(context: Context, calibration: Calibration, questions: Sequence[Asked]) -> list[Outcome]:
    """The real engine with thresholds that aren't in force yet: what it does, not what the scores foretell."""
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / "calibration.json"
        trial.write_text(saved(calibration), encoding="utf-8")
        crag = context.settings.crag.model_copy(update={"calibration": trial})
        settings = context.settings.model_copy(update={"crag": crag})
        return await _asked(replace(context, loaded=replace(context.loaded, settings=settings)), questions)


def _described(
    choice: Choice, after: Figures, questions: Sequence[Asked], live: Generation, models: object, allowed: float
) -> Calibration:
    """The calibration with what it was measured on, what it promises and the record for the badge."""
    known = models if isinstance(models, dict) else {}
    unanswerable = sum(not asked.answerable for asked in questions)
    return replace(
        choice.calibration,
        grader=str(known.get("grader", "")),
        embedder=str(known.get("embedder", "")),
        chunker=live.chunker,
        generation=live.name,
        documents=live.documents,
        measured_on=f"{len(questions)} questions of your own, {unanswerable} of them without an answer; thresholds "
        f"chosen on {choice.lower.total} of them, reported on {after.questions} others",
        date=datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%d"),
        data=fingerprint(questions),
        promise=promise(choice, allowed)
        | {"reported_questions": float(after.questions), "reported_false_answers": float(after.false_answers.count)},
        record={band: (rate.count, rate.total) for band, rate in after.badges.items() if rate.total},
    )


def _shortage(found: Shortage, allowed: float) -> str:
    return (
        f"These questions can't support at most {allowed:.1%} false answers: that takes {found.need} questions to "
        f"choose by, even without one mistake, and there are {found.have}. Nothing was changed. Add about {found.more} "
        f"questions, {found.unanswerable} of them without an answer in your documents, or allow more."
    )


def _nothing_kept(found: Choice, allowed: float, offered: Sequence[tuple[float, float]]) -> tuple[str, str]:
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


def _sentences(choice: Choice, allowed: float, after: Figures) -> list[str]:
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


def _show(
    context: Context,
    choice: Choice,
    old: Calibration,
    new: Calibration,
    before: Figures,
    after: Figures,
    arguments: Namespace,
) -> None:
    screen, told = context.screen, _sentences(choice, arguments.max_false_answers, after)
    if screen.json:
        data: Data = {
            "dry_run": arguments.dry_run,
            "before": {"lower": old.lower, "upper": old.upper, **metrics_data(before)},
            "after": {"lower": new.lower, "upper": new.upper, **metrics_data(after)},
            "promise": dict(new.promise),
            "record": {band.value: list(counted) for band, counted in new.record.items()},
            "refitted_on": choice.refitted,
            "sentences": told,
        }
        screen.emit("calibration", data)
        return
    rows = [
        ("lower threshold", f"{old.lower:.3f}", f"{new.lower:.3f}"),
        ("upper threshold", f"{old.upper:.3f}", f"{new.upper:.3f}"),
    ]
    rows += [(name, percent(before.rates[key]), percent(after.rates[key])) for key, name in _SHOWN.items()]
    screen.out.print(Text(f"{after.questions} questions that chose nothing: before, and after"), soft_wrap=True)
    for name, was, now in rows:
        screen.out.print(Text(f"  {name:<22}{was:<20}{now}"), soft_wrap=True)
    for sentence in told:
        screen.out.print(Text(sentence), soft_wrap=True)
    done = "Nothing was changed." if arguments.dry_run else "Written. `candor calibrate --rollback` goes back."
    screen.say(done)


def _write(path: Path, calibration: Calibration) -> None:
    """The old one stays beside it. Raises CandorError."""
    try:
        _put(_previous(path), path.read_text(encoding="utf-8"))
        _put(path, saved(calibration))
    except OSError as error:
        raise CandorError(f"The calibration {path} can't be written: {error.strerror or error}.") from error


def _roll_back(context: Context, path: Path) -> Exit:
    """The two change places, so that a rollback can be taken back too."""
    previous = _previous(path)
    if not previous.exists():
        raise CandorError(f"There is no earlier calibration at {previous}.", advice="Nothing was changed.")
    restored = load_calibration(previous)
    try:
        now, then = path.read_text(encoding="utf-8"), previous.read_text(encoding="utf-8")
        _put(path, then)
        _put(previous, now)
    except OSError as error:
        raise CandorError(f"The calibration {path} can't be written: {error.strerror or error}.") from error
    if context.screen.json:
        context.screen.emit("rollback", {"lower": restored.lower, "upper": restored.upper, "date": restored.date})
    else:
        thresholds = f"lower {restored.lower:.3f}, upper {restored.upper:.3f}"
        told = f"Back to the thresholds of {restored.date or 'before'}: {thresholds}."
        context.screen.out.print(Text(told), soft_wrap=True)
    return Exit.OK


def _previous(path: Path) -> Path:
    return path.with_suffix(".previous.json")


def _put(path: Path, text: str) -> None:
    """At once or not at all: a bot may be starting."""
    trial = path.with_suffix(".part")
    trial.write_text(text, encoding="utf-8")
    os.replace(trial, path)
