"""`candor grade`: how every passage was judged for a question; with --text, one passage that need not be indexed."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace

from rich.console import Console

from adapters.console.grades import print_grade, print_trace
from adapters.console.replies import print_headline
from adapters.console.structured import grade_data
from bot.commands.ask import question_of, shown_reply
from bot.context import Context
from bot.exits import Exit, exit_of
from bot.parser import UsageError, read_text
from crag.types import Reply


async def run(context: Context, arguments: Namespace) -> Exit:
    if arguments.text is not None:
        return await _one_passage(context, arguments)
    if arguments.deep:
        context = _grading_all(context)

    def show(out: Console, reply: Reply) -> None:
        print_headline(out, reply)
        print_trace(out, reply.trace, "" if arguments.all or arguments.deep else "add --all")

    code = exit_of(await shown_reply(context, arguments, show))
    return Exit.OK if code is Exit.ABSTAINED else code


def _grading_all(context: Context) -> Context:
    """For tuning: also what an answer would leave ungraded."""
    crag = context.settings.crag
    crag = crag.model_copy(update={"graded": sys.maxsize, "grading_share": 1.0})
    settings = context.settings.model_copy(update={"crag": crag})
    return replace(context, loaded=replace(context.loaded, settings=settings))


async def _one_passage(context: Context, arguments: Namespace) -> Exit:
    if arguments.text == arguments.question == "-":
        raise UsageError("Only one of the question and --text can come from standard input.", "")
    question = question_of(context, arguments).text
    passage = read_text(arguments.text)
    if not question.strip() or not passage.strip():
        raise UsageError("I need a question and a passage in words.", "")
    async with context.app() as app:
        grade = await app.engine.judge(question, passage)
        upper, lower = app.judge.calibration.upper, app.judge.calibration.lower
    if context.screen.json:
        context.screen.emit("grade", {"upper": upper, "lower": lower, **grade_data(grade)})
    else:
        print_grade(context.screen.out, grade, upper, lower)
    return Exit.OK
