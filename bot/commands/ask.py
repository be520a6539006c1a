"""`candor ask`: one question, one reply."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace

from rich.console import Console

from adapters.console.chat import with_status
from adapters.console.replies import print_reply
from adapters.console.structured import reply_data
from bot.assistant import Assistant
from bot.context import Context
from bot.exits import Exit, exit_of
from bot.hints import named_in, of_demo
from bot.parser import UsageError, read_text
from crag.calibration import load_calibration
from crag.turns import written_turn
from crag.types import Abstention, Question, Reason, Reply, Turn
from crag.unsearched import reply_without_search


async def run(context: Context, arguments: Namespace) -> Exit:
    return exit_of(await shown_reply(context, arguments, print_reply))


async def shown_reply(context: Context, arguments: Namespace, show: Callable[[Console, Reply], None]) -> Reply:
    """Open everything, ask, show, close: to read, nobody waits for the server's end. JSON comes after it, as one object
    whatever happens. Nothing is opened for what needs no search."""
    question, crag, screen = question_of(context, arguments), context.settings.crag, context.screen
    async with AsyncExitStack() as stack:
        reply = reply_without_search(question, crag.max_question_characters, load_calibration(crag.calibration))
        if reply is None:
            app = await stack.enter_async_context(context.app())
            assistant = Assistant(app.engine, deadline_s=crag.deadline_s)
            reply = await with_status(screen.err, assistant.answer, question)
        if not screen.json:
            show(screen.out, named_in(reply, screen.program))
        missing = isinstance(reply.body, Abstention) and reply.body.reason is Reason.INDEX_MISSING
        if missing and (hint := of_demo(context.settings.weaviate.data_directory)):
            screen.say(hint)
    if screen.json:
        screen.emit("reply", reply_data(reply))
    return reply


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
    return tuple(written_turn(turn, by_bot=at % 2 == 1) for at, turn in enumerate(said))
