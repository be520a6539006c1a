"""`candor evaluate`: how often the answers to a file of questions are right, wrong and needlessly missing."""

from __future__ import annotations

import datetime
import os
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote

from adapters.console.evaluation import print_evaluation, print_misses
from adapters.console.progress import AskingProgress
from bot.assistant import Assistant
from bot.context import Context
from bot.corrections import scoped
from bot.exits import Exit
from bot.hints import of_demo
from bot.parser import UsageError
from crag.engine import Engine
from crag.errors import CandorError
from crag.evaluation.changes import changes, load_old
from crag.evaluation.metrics import Rate
from crag.evaluation.outcomes import Outcome, ask_all
from crag.evaluation.questions import Asked, QuestionsError, load
from crag.evaluation.report import page
from crag.evaluation.results import Evaluation, evaluated, evaluation_data
from crag.types import Abstention, Reason

_HOPELESS = frozenset({Reason.INDEX_MISSING, Reason.INDEX_MISMATCH})
"""What no later question will overcome."""


async def run(context: Context, arguments: Namespace) -> Exit:
    """Everything that can be wrong with the files is found before the first question is asked."""
    questions = chosen_questions(arguments.questions, arguments.split)
    old = load_old(arguments.compare) if arguments.compare else None
    if arguments.html:
        _writable(arguments.html)
    async with context.app() as app:
        outcomes = await outcomes_of(context, app.engine, questions)
    date = datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%d %H:%M")
    found = evaluated(outcomes, arguments.questions.name, arguments.split or "", date)
    data = evaluation_data(found)
    changed = changes(old, data) if old else None
    crossed = _crossed(found, arguments)
    if arguments.html:
        arguments.html.write_text(page(found, crossed, changed), encoding="utf-8")
    screen = context.screen
    if screen.json:
        screen.emit("evaluation", data | {"crossed": crossed} | ({"changes": asdict(changed)} if changed else {}))
    else:
        print_evaluation(screen.out, found, changed)
        print_misses(screen.out, found)
    if found.unseen:
        screen.say(f"Expected but never found, so perhaps misspelt or not indexed: {', '.join(found.unseen)}.")
    for sentence in [*unread(questions, arguments.questions), *crossed]:
        screen.say(sentence)
    return Exit.FAILED if crossed else Exit.OK


def chosen_questions(path: Path, split: str | None) -> list[Asked]:
    """The questions of a file, or of one split of it. Raises UsageError."""
    try:
        questions = load(path)
    except QuestionsError as error:
        raise UsageError(error.message, error.advice) from error
    chosen = [asked for asked in questions if not split or asked.split == split]
    if not chosen:
        names = ", ".join(sorted({asked.split for asked in questions if asked.split})) or "none"
        raise UsageError(f"No question of {path} has the split {split!r}.", f"Its splits: {names}.")
    return chosen


def unread(questions: Sequence[Asked], path: Path) -> list[str]:
    """A sentence where nobody has looked at some of the questions: figures are as good as what was asked."""
    many = sum(not asked.reviewed for asked in questions)
    if not many:
        return []
    some = f"{many} of {len(questions)} questions {'was' if many == 1 else 'were'} proposed and never reviewed"
    return [f"{some}, so the figures may mislead. Keep or drop each: candor questions suggest -o {quote(str(path))}"]


async def outcomes_of(
    context: Context, engine: Engine, questions: Sequence[Asked], doing: str = "Asking"
) -> list[Outcome]:
    """Ask them as the person at the terminal, who is told that this is what Candor is `doing`. Raises CandorError where
    nothing could be answered at all."""
    assistant = Assistant(engine, deadline_s=context.settings.crag.deadline_s)
    with AskingProgress(context.screen.err, len(questions), doing) as progress:

        def tell(done: int, outcome: Outcome) -> None:
            progress(done)
            body = outcome.reply.body
            if isinstance(body, Abstention) and body.reason in _HOPELESS:
                empty = body.reason is Reason.INDEX_MISSING
                hint = of_demo(context.settings.weaviate.data_directory) if empty else ""
                raise CandorError(body.detail, advice=hint)

        return await ask_all(questions, lambda asked: assistant.answer(scoped(context.question(), asked)), tell)


def _crossed(found: Evaluation, arguments: Namespace) -> list[str]:
    """A sentence for each limit that the figures cross. A part that failed makes figures that can't be relied on."""
    limits: list[tuple[str, Rate, float | None]] = [
        ("false answers", found.all.false_answers, arguments.max_false_answers),
        ("needless abstentions", found.all.needless_abstentions, arguments.max_needless),
    ]
    told = [
        f"Too many {name}: {rate.share:.1%} ({rate.count} of {rate.total}), and at most {limit:.1%} were allowed."
        for name, rate, limit in limits
        if limit is not None and rate.share is not None and rate.share > limit
    ]
    if found.all.failed:
        told.append(
            f"A part of Candor failed in {found.all.failed} of {found.all.questions} questions, so these figures say "
            "little. `candor doctor` shows what is wrong."
        )
    return told


def _writable(path: Path) -> None:
    """Leaves nothing behind: the run may be stopped before there is a report. Raises UsageError."""
    there = os.path.lexists(path)
    try:
        path.touch()
        if not there:
            path.unlink()
    except OSError as error:
        raise UsageError(f"The report {path} can't be written: {error.strerror or error}.", "") from error
