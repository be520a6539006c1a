"""`candor calibrate`: thresholds with a promise, from a team's own questions; and back."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from adapters.console.calibration import costs, nothing_kept, promised, shortage
from adapters.console.safe import safe_line
from adapters.console.structured import Data
from bot.app import App
from bot.calibrations import described, roll_back, write
from bot.commands.evaluate import chosen_questions, outcomes_of, unread
from bot.context import Context
from bot.corrections import Taken, named_documents, recorded, sentences
from bot.desk.pages import Pages
from bot.exits import Exit
from bot.hints import index_it
from bot.parser import UsageError
from crag.calibrating import Choice, Shortage, choose, costs_much, halves, others
from crag.calibration import Calibration, load_calibration
from crag.corrections import Gathered
from crag.engine import Engine
from crag.errors import CandorError
from crag.evaluation.metrics import Figures, figures
from crag.evaluation.outcomes import Outcome
from crag.evaluation.questions import Asked
from crag.evaluation.report import percent
from crag.evaluation.results import metrics_data
from crag.types import Generation

_SHOWN = {"answered": "answered", "false_answers": "false answers", "needless_abstentions": "needless abstentions"}

WRITTEN = "Written: it takes effect when Candor is started again. `candor calibrate --rollback` goes back."
UNCHANGED = "Nothing was changed."

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
    file = chosen_questions(arguments.questions, None)
    taken = await _corrections(context, arguments, file)
    shipped = load_calibration(path)
    async with context.app() as app:
        live = await app.library.index.live(context.settings.tenant)
        if live is None:
            advice = index_it(context.settings.weaviate.data_directory)
            raise CandorError("Nothing is indexed yet.", advice=advice)
        done = await _chosen(context, arguments, app, live, file, taken, shipped)
    if done is None:
        return Exit.FAILED
    if not arguments.dry_run:
        write(path, done.new)
    _show(context, done, dry_run=arguments.dry_run)
    return Exit.OK


async def _chosen(
    context: Context,
    arguments: Namespace,
    app: App,
    live: Generation,
    file: Sequence[Asked],
    taken: Taken,
    shipped: Calibration,
) -> _Done | None:
    """None where nothing can be promised: then the person was told. Raises CandorError."""
    allowed = arguments.max_false_answers
    named = await named_documents(Pages(app.library.index, app.library.embedder), taken.questions, context.question())
    asked = await _asked(context, app.engine, [*file, *taken.questions])
    taken = taken.without_unknown(asked, named)
    questions = [*file, *taken.questions]
    origin = [*sentences(arguments.questions.name, len(file), taken), *unread(file, arguments.questions)]
    choosing, reporting = ([*f, *c] for f, c in zip(halves(file), halves(taken.questions), strict=True))
    by_id = {outcome.asked.id: outcome for outcome in asked}
    chosen_by = [by_id[q.id] for q in choosing]
    found = choose(chosen_by, shipped, allowed, len(questions))
    if isinstance(found, Shortage) or not found.kept:
        _refuse(context, found, allowed, chosen_by, shipped, origin)
        return None
    before = figures([by_id[q.id] for q in reporting])
    trial = app.engines(trial=found.calibration)
    after = figures(await _asked(context, trial, reporting, "Asking again, with the new thresholds"))
    fitted = described(found, after, questions, taken, live, asked[0].reply.trace.models, allowed)
    dear = costs_much(before, after)
    price = costs(found, allowed, before, after, others(chosen_by, shipped), len(questions)) if dear else []
    return _Done(found, shipped, fitted, before, after, origin, promised(found, allowed, after), price)


def _refuse(
    context: Context,
    found: Choice | Shortage,
    allowed: float,
    asked: Sequence[Outcome],
    shipped: Calibration,
    origin: Sequence[str],
) -> None:
    for sentence in origin:
        context.screen.say(sentence)
    if isinstance(found, Shortage):
        context.screen.fail(Exit.FAILED, "too_few", shortage(found, allowed))
    else:
        message, advice = nothing_kept(found, allowed, others(asked, shipped))
        context.screen.fail(Exit.FAILED, "no_threshold", message, advice=advice)


async def _corrections(context: Context, arguments: Namespace, file: Sequence[Asked]) -> Taken:
    """Raises CandorError where the journal can't be read: without corrections, that has to be asked for."""
    if arguments.without_corrections:
        return Taken(Gathered(), off=True)
    try:
        return Taken(await recorded(context.settings, file))
    except CandorError as error:
        advice = f"{error.advice} Or leave out what people corrected: --without-corrections"
        raise CandorError(error.message, advice=advice) from error


async def _asked(context: Context, engine: Engine, questions: Sequence[Asked], doing: str = "Asking") -> list[Outcome]:
    """Raises CandorError where a part failed: that would count as silence."""
    outcomes = await outcomes_of(context, engine, questions, doing)
    if failed := sum(outcome.failed for outcome in outcomes):
        advice = "`candor doctor` shows what is wrong. Nothing was changed."
        raise CandorError(f"A part of Candor failed in {failed} of {len(outcomes)} questions.", advice=advice)
    return outcomes


@dataclass(frozen=True, slots=True)
class _Done:
    """What is told of a calibration: of both calibrations, what happened to the questions that chose nothing; and
    sentences: where the questions come from, what is promised, what it costs where that is much."""

    choice: Choice
    old: Calibration
    new: Calibration
    before: Figures
    after: Figures
    origin: Sequence[str]
    told: Sequence[str]
    costs: Sequence[str]


def _show(context: Context, done: _Done, *, dry_run: bool) -> None:
    screen, old, new, before, after = context.screen, done.old, done.new, done.before, done.after
    if screen.json:
        data: Data = {
            "dry_run": dry_run,
            "before": {"lower": old.lower, "upper": old.upper, **metrics_data(before)},
            "after": {"lower": new.lower, "upper": new.upper, **metrics_data(after)},
            "promise": dict(new.promise),
            "record": {band.value: list(counted) for band, counted in new.record.items()},
            "refitted_on": done.choice.refitted,
            "from": list(done.origin),
            "sentences": list(done.told),
            "costs": list(done.costs),
        }
        screen.emit("calibration", data)
        return
    rows = [
        ("lower threshold", f"{old.lower:.3f}", f"{new.lower:.3f}"),
        ("upper threshold", f"{old.upper:.3f}", f"{new.upper:.3f}"),
    ]
    rows += [(name, percent(before.rates[key]), percent(after.rates[key])) for key, name in _SHOWN.items()]
    for sentence in done.origin:
        screen.out.print(Text(safe_line(sentence)), soft_wrap=True)
    screen.out.print(Text(f"{after.questions} questions that chose nothing: before, and after"), soft_wrap=True)
    for name, was, now in rows:
        screen.out.print(Text(f"  {name:<22}{was:<20}{now}"), soft_wrap=True)
    for sentence in done.told:
        screen.out.print(Text(sentence), soft_wrap=True)
    for sentence in done.costs:
        screen.out.print(Text(sentence, style="yellow"), soft_wrap=True)
    screen.say(UNCHANGED if dry_run else WRITTEN)


def _roll_back(context: Context, path: Path) -> Exit:
    restored = roll_back(path)
    if context.screen.json:
        context.screen.emit("rollback", {"lower": restored.lower, "upper": restored.upper, "date": restored.date})
    else:
        thresholds = f"lower {restored.lower:.3f}, upper {restored.upper:.3f}"
        told = f"Back to the thresholds of {restored.date or 'before'}: {thresholds}. Once more takes that back."
        context.screen.out.print(Text(told), soft_wrap=True)
    return Exit.OK
