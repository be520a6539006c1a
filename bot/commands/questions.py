"""`candor questions suggest`: from what is indexed to a file of questions, with a person who keeps and drops."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from contextlib import aclosing

from rich.text import Text

from adapters.console.suggesting import TypedKeys, progress, review
from bot.context import Context
from bot.exits import Exit
from bot.parser import UsageError
from bot.proposing import READ, Course, Sources, proposed, sources, to_review
from crag.evaluation.questions import QuestionsError
from crag.suggesting.sheet import Sheet, SheetError

RULES = "headings and plain English sentences with a number, a date, a name or a rule"


async def run(context: Context, arguments: Namespace) -> Exit:
    typed = sys.stdin.isatty() and context.screen.out.is_terminal and not context.screen.json
    if not (typed or arguments.all):
        raise UsageError(
            "A person keeps or drops each question, and this is no terminal.",
            "Run it in a terminal, or write all proposals to read later: candor questions suggest --all",
        )
    try:
        sheet = Sheet(arguments.output)
    except QuestionsError as error:
        raise UsageError(error.message, error.advice) from error
    except SheetError as error:
        raise UsageError(error.message, "Name another file: -o FILE") from error
    course, before = Course(), sheet.answerable + sheet.unanswerable
    async with context.opened(sources) as parts:
        if arguments.all:
            over = await _write_all(context, arguments, parts, sheet, course)
        else:
            over = await _review(context, arguments, parts, sheet, course)
    llm = parts.model is not None
    if over and not sheet.known:
        return _nothing(context, sheet, course, llm=llm)
    if over and not context.screen.json:
        context.screen.say(_all_over(sheet, course, llm=llm))
    _tell(context, sheet, sheet.answerable + sheet.unanswerable - before)
    return Exit.OK


async def _review(context: Context, arguments: Namespace, parts: Sources, sheet: Sheet, course: Course) -> bool:
    """Whether there is nothing more to propose."""
    _greet(context, sheet)
    waiting = "The language model writes questions" if parts.model else "Looking for the next question"
    coming = to_review(context, parts, sheet, course, seed=arguments.seed, limit=arguments.limit)
    async with aclosing(coming) as proposals:
        over = await review(context.screen.out, proposals, TypedKeys(), sheet, waiting=waiting, told=course.told)
    return over and not course.stopped and not arguments.limit


async def _write_all(context: Context, arguments: Namespace, parts: Sources, sheet: Sheet, course: Course) -> bool:
    with context.screen.err.status("Looking for questions") as status:
        async with aclosing(proposed(context, parts, sheet, course, seed=arguments.seed)) as proposals:
            async for proposal in proposals:
                sheet.keep(proposal, proposal.question, reviewed=False)
                course.given += 1
                status.update(f"{course.given} questions")
                while course.told:
                    context.screen.say(course.told.pop(0))
                if course.given == arguments.limit:
                    return False
    return True


def _greet(context: Context, sheet: Sheet) -> None:
    lines = ["Keep what a colleague might ask, drop what is wrong or odd. Each key is saved at once; q stops."]
    if sheet.known:
        lines.append(f"Going on with {sheet.path}: {progress(sheet)} {sheet.dropped} dropped.")
    if sheet.unread:
        lines.append("Those that nobody has reviewed come first.")
    for line in lines:
        context.screen.out.print(Text(line, style="dim"))


def _nothing(context: Context, sheet: Sheet, course: Course, *, llm: bool) -> Exit:
    found = f"Candor found nothing to ask about in {_read(course)}"
    if llm:
        message = f"{found}: neither the language model nor the rules could make a question of them."
        advice = f"Index more documents, or write questions of your own into {sheet.path}, as docs/evaluation.md shows."
    else:
        message = f"{found}: without a language model it makes questions of {RULES} only."
        advice = "Set a language model up (CANDOR_WRITER__KIND, docs/settings.md), or index more documents."
    return context.screen.fail(Exit.FAILED, "nothing_to_ask", message, advice=advice)


def _all_over(sheet: Sheet, course: Course, *, llm: bool) -> str:
    """Why nothing more comes, and what can be done."""
    found = "all that Candor finds to ask" if course.given else "everything that Candor finds to ask"
    why = f"Nothing more can be proposed: {found} in {_read(course)} is in {sheet.path} or was dropped"
    more = "" if llm else "set a language model up (CANDOR_WRITER__KIND), "
    return f"{why}; for more, {more}index more documents, or add what people really ask to the file."


def _read(course: Course) -> str:
    if course.passages >= READ:
        return f"the {READ:,} passages that it reads of a large index"
    return f"the {course.passages:,} passages that are indexed" if course.passages != 1 else "the one passage there is"


def _tell(context: Context, sheet: Sheet, written: int) -> None:
    """How far it is, and what comes next."""
    screen = context.screen
    if screen.json:
        counts = {"answerable": sheet.answerable, "unanswerable": sheet.unanswerable, "dropped": sheet.dropped}
        screen.emit("questions", {"file": str(sheet.path), "written": written, "unread": len(sheet.unread), **counts})
        return
    screen.out.print(Text(f"{sheet.path}: {progress(sheet)}"), soft_wrap=True)
    path = shlex.quote(str(sheet.path))
    if sheet.unread:
        screen.say(f"Next, to keep or drop what nobody has reviewed: candor questions suggest -o {path}")
    if sheet.kept or sheet.unread:
        screen.say(f"Next: candor evaluate {path}" if not sheet.unread else f"Then: candor evaluate {path}")
