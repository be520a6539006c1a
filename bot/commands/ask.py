"""`candor ask`: one question, one reply."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace

from adapters.console.chat import with_status
from adapters.console.replies import print_reply
from adapters.console.structured import reply_data
from bot.assistant import Assistant
from bot.context import Context
from bot.exits import Exit, exit_of
from bot.parser import UsageError, read_text
from crag.calibration import load_calibration
from crag.types import Question, Reply, Turn
from crag.unsearched import reply_without_search


async def run(context: Context, arguments: Namespace) -> Exit:
    reply = await reply_to(context, arguments)
    if context.screen.json:
        context.screen.emit("reply", reply_data(reply))
    else:
        print_reply(context.screen.out, reply)
    return exit_of(reply)


async def reply_to(context: Context, arguments: Namespace) -> Reply:
    """Open everything, ask, close; nothing is opened for what needs no search."""
    question, crag = question_of(context, arguments), context.settings.crag
    if reply := reply_without_search(question, crag.max_question_characters, load_calibration(crag.calibration)):
        return reply
    async with context.app() as app:
        assistant = Assistant(app.engine, deadline_s=crag.deadline_s)
        return await with_status(context.screen.err, assistant.answer, question)


def question_of(context: Context, arguments: Namespace) -> Question:
    """Raises UsageError where the history can't be read."""
    text = read_text(arguments.question)
    return replace(context.question(text), history=_turns(arguments.history or "[]"))


def _turns(text: str) -> tuple[Turn, ...]:
    try:
        said = json.loads(text)
    except ValueError:
        said = None
    if not isinstance(said, list) or not all(isinstance(turn, str) for turn in said):
        raise UsageError('--history must be a JSON list of texts, like \'["A question?", "Its answer."]\'.', "")
    return tuple(Turn(turn, by_bot=at % 2 == 1) for at, turn in enumerate(said))
