"""The chat in a terminal: a prompt with history, a status line that names the stage, commands that start with a slash.
On a pipe each line is a question."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from adapters.console.grades import print_trace
from adapters.console.replies import print_reply
from adapters.console.safe import safe_line
from crag.events import Event, Listener, Stage, State
from crag.types import Abstention, Question, Reply, Turn
from crag.wording import UNKNOWN, headline

R = TypeVar("R", Reply, Reply | None)
Ask = Callable[[Question, Listener], Awaitable[Reply | None]]
"""Asks the engine. None where the person interrupted the question."""

REMEMBERED = 12
"""How many turns of the conversation go along with a question."""

STAGES = {
    State.STANDALONE: "Reading the conversation",
    State.SEARCH: "Searching the documents",
    State.GRADE: "Grading the passages",
    State.WIDEN: "Searching more broadly",
    State.SECOND_SOURCE: "Asking the second source",
    State.REWRITE: "Rephrasing the question",
    State.REFINE: "Picking the sentences that matter",
    State.WRITE: "Writing the answer",
    State.SUPPORT: "Checking the answer against its sources",
}
HELP = """Ask a question, or:
  /grade  how the passages of the last question were judged; /grade all shows each
  /new    forget this conversation
  /help   this list
  /quit   leave (Ctrl-D too); Ctrl-C stops a question"""


class Chat:
    """One conversation. `question` is the pattern of every question: who asks, and what they may see."""

    def __init__(self, out: Console, ask: Ask, question: Question) -> None:
        self._out = out
        self._ask = ask
        self._question = question
        self._turns: tuple[Turn, ...] = ()
        self._last: Reply | None = None

    async def run(self, lines: AsyncIterator[str], *, echo: bool) -> None:
        """Until the lines end or the person quits. `echo` repeats each line, where no terminal has shown it."""
        async for line in lines:
            if not (text := line.strip()):
                continue
            if echo:
                self._out.print(Text(f"> {safe_line(text)}", style="bold"))
            if text.split()[0] in ("/quit", "/exit"):
                return
            if text.startswith("/"):
                self._command(text)
            else:
                await self._answer(text)
            self._out.print()

    def _command(self, text: str) -> None:
        match text.split()[0]:
            case "/help":
                self._out.print(Text(HELP))
            case "/new":
                self._turns, self._last = (), None
                self._out.print(Text("A new conversation."))
            case "/grade" if self._last:
                print_trace(self._out, self._last.trace, "" if text.split()[1:] == ["all"] else "/grade all")
            case "/grade":
                self._out.print(Text("There is no question yet whose passages I could show."))
            case other:
                self._out.print(Text(f"I don't know {safe_line(other)}. /help lists the commands."))

    async def _answer(self, text: str) -> None:
        question = replace(self._question, text=text, history=self._turns)
        reply = await with_status(self._out, self._ask, question)
        if reply is None:
            self._out.print(Text("Stopped.", style="dim"))
            return
        self._last = reply
        self._turns = (*self._turns, Turn(text), _told(reply))[-REMEMBERED:]
        print_reply(self._out, reply)


def _told(reply: Reply) -> Turn:
    match reply.body:
        case Abstention(reason, detail):
            return Turn(detail, by_bot=True, unknown=headline(reason) == UNKNOWN)
        case body:
            return Turn(body.text, by_bot=True)


async def with_status(out: Console, ask: Callable[[Question, Listener], Awaitable[R]], question: Question) -> R:
    """Ask, and say on a terminal what is being done. What is being written isn't shown: its support isn't checked."""
    with out.status("Thinking") as status:

        def on_event(event: Event) -> None:
            if isinstance(event, Stage) and event.state in STAGES:
                status.update(STAGES[event.state])

        return await ask(question, on_event)
