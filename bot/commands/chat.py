"""`candor chat`: a conversation in the terminal; on a pipe, each line is a question."""

from __future__ import annotations

import sys
from argparse import Namespace

from rich.text import Text

from adapters.console.chat import Chat
from adapters.console.lines import piped, prompted
from adapters.console.words import print_words
from bot.app import App
from bot.assistant import Assistant
from bot.context import Context
from bot.exits import Exit
from bot.hints import index_it, named_in
from bot.interrupts import alone
from crag.errors import CandorError
from crag.events import Listener
from crag.types import Question, Reply
from crag.wording import documents


async def run(context: Context, arguments: Namespace) -> Exit:
    async with context.app() as app:
        return await converse(context, app)


async def converse(context: Context, app: App) -> Exit:
    """Chat until the person leaves: a normal end. Ctrl-C stops a question, and leaves where none is asked."""
    assistant = Assistant(app.engine, deadline_s=context.settings.crag.deadline_s)

    async def ask(question: Question, on_event: Listener) -> Reply | None:
        reply = await context.interrupts.question(assistant.answer(question, on_event))
        return named_in(reply, context.screen.program) if reply else None

    out = context.screen.out
    print_words(out, Text(context.screen.hint(await _greeting(context, app)), style="dim"))
    chat = Chat(out, ask, context.question())
    typed = sys.stdin.isatty() and out.is_terminal
    with alone():
        await chat.run(prompted() if typed else piped(sys.stdin.fileno()), echo=not typed)
    return Exit.OK


async def _greeting(context: Context, app: App) -> str:
    """What there is to ask about. A search that is down now may be back for the first question."""
    try:
        live = await app.library.index.live(context.settings.tenant)
    except CandorError as error:
        return str(error)
    if live is None:
        return f"Nothing is indexed yet. {index_it(context.settings.weaviate.data_directory)}"
    asked = context.question()
    seen = live.searched(asked.corpora, asked.access)
    some = f", of which you may see {seen:,}" if live.shelves and seen < live.documents else ""
    known = f"Candor knows {documents(live.documents)} ({live.chunks:,} passages){some}."
    return f"{known} Ask away; /help lists the commands."
