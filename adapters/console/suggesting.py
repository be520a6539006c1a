"""Proposals on a terminal, one at a time: a key keeps, drops or edits each."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from rich.console import Console
from rich.text import Text

from adapters.console.safe import safe_line
from adapters.console.words import print_words
from crag.suggesting.proposals import Proposal, key_of
from crag.suggesting.sheet import ENOUGH, Sheet
from crag.suggesting.unread import Shown, Unread
from crag.text import has_words

KEYS = "y keep   n drop   e edit   q stop"
ANSWERS = "Does this passage answer it? y/n"
_NO_DOCUMENT = 'Not kept. Candor doesn\'t know its document: write the question with its "sources" into {}.'
_DROPPED = "Not kept: that question was dropped earlier. To have it proposed again, take its line out of {}."
LONG_S = 3
"""From here on a wait is told in seconds."""
QUOTED = 240
"""Characters of the passage that are shown."""


class Keys(Protocol):
    """What the person does."""

    async def choose(self) -> str:
        """y, n, e or q; q also where they press Ctrl-C or Ctrl-D."""
        ...

    async def edit(self, text: str) -> str:
        """The text as the person wants it; "" where they gave up."""
        ...

    async def answers(self, *, before: bool) -> bool | None:
        """Whether the passage answers what they made of the question; Enter is `before`, None that they stop."""
        ...


async def review(
    out: Console,
    proposals: AsyncIterator[Proposal | Unread],
    keys: Keys,
    sheet: Sheet,
    *,
    waiting: str = "Looking for the next question",
    told: list[str] | None = None,
) -> bool:
    """Until the proposals end (True) or the person stops (False). Each decision is saved before the next proposal.
    `waiting` is shown while there is none; what is put into `told` meanwhile is shown before the next one, and taken
    out. Raises SheetError, and what `proposals` raises."""
    told = [] if told is None else told
    while True:
        with out.status(Waiting(waiting)):
            proposal = await anext(proposals, None)
        while told:
            out.print(Text(safe_line(told.pop(0)), style="yellow"))
        if proposal is None:
            return True
        show(out, proposal)
        done = await _decide(out, proposal, keys, sheet)
        if not done:
            return False
        out.print(Text(f"{done} {progress(sheet)}", style="dim"))


class Waiting:
    """What is waited for, and for how long by now. A status asks for it anew each time that it is drawn."""

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._clock = clock
        self._began = clock()

    def __rich__(self) -> Text:
        seconds = int(self._clock() - self._began)
        return Text(f"{self._what} ({seconds} s; Ctrl-C stops)" if seconds >= LONG_S else self._what)


async def _decide(out: Console, proposal: Proposal | Unread, keys: Keys, sheet: Sheet) -> str:
    """What was done, in a sentence; "" where the person stops."""
    while True:
        match await keys.choose():
            case "y":
                sheet.keep(proposal, proposal.question)
                return "Kept."
            case "n":
                sheet.drop(proposal)
                return "Dropped."
            case "e":
                text = " ".join((await keys.edit(proposal.question)).split())
                if not has_words(text):
                    out.print(Text("Not edited.", style="dim"))
                elif key_of(text) in sheet.known | {key_of(proposal.question)}:
                    known = _DROPPED if sheet.was_dropped(text) else "That question is in the file already."
                    return "Kept." if sheet.keep(proposal, text) else known.format(safe_line(str(sheet.dropped_path)))
                elif (answerable := await keys.answers(before=proposal.answerable)) is None:
                    return ""
                elif answerable and not (proposal.answerable or proposal.document):
                    out.print(Text(_NO_DOCUMENT.format(safe_line(str(sheet.path))), style="yellow"))
                else:
                    sheet.keep(proposal, text, answerable=answerable)
                    return "Kept as answerable." if answerable else "Kept as unanswerable."
            case _:
                return ""


def show(out: Console, shown: Shown) -> None:
    """The question, what should become of it, and the passage it comes from."""
    out.print()
    out.print(Text(safe_line(shown.question), style="bold"))
    if shown.answerable:
        out.print(Text("This passage should answer it.", style="green"))
    else:
        out.print(Text(f"Nothing should answer it. {safe_line(shown.note)}", style="yellow"))
    quote = safe_line(shown.quote)
    quote = quote if len(quote) <= QUOTED else f"{quote[:QUOTED].rsplit(' ', 1)[0]} …"
    for line in (safe_line(shown.place), f"“{quote}”" if quote else ""):
        if line:
            print_words(out, Text(f"  {line}", style="dim"))


def progress(sheet: Sheet) -> str:
    kept = f"{sheet.kept} kept"
    if not sheet.unread:
        kept = f"{kept} ({sheet.answerable} answerable, {sheet.unanswerable} unanswerable)"
    waiting = f" {len(sheet.unread)} to review," if sheet.unread else ""
    return f"{kept},{waiting} about {ENOUGH} make a calibration."


class TypedKeys:
    """Keys of a terminal, without Enter."""

    def __init__(self) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

        edited = KeyBindings()

        @edited.add("c-c")
        @edited.add("escape", eager=True)
        def _(event: KeyPressEvent) -> None:
            event.app.exit(result="")

        self._edited: PromptSession[str] = PromptSession(key_bindings=edited)

    async def choose(self) -> str:
        return await _key(KEYS, "yneq")

    async def edit(self, text: str) -> str:
        try:
            return await self._edited.prompt_async("> ", default=text, handle_sigint=False)
        except EOFError:
            return ""

    async def answers(self, *, before: bool) -> bool | None:
        enter = "y" if before else "n"
        key = await _key(f"{ANSWERS} (Enter: {'yes' if before else 'no'})", "ynq", enter=enter)
        return None if key == "q" else key == "y"


async def _key(question: str, known: str, *, enter: str = "") -> str:
    """One of the `known` keys, `enter` for Enter; q also for Ctrl-C and Ctrl-D. Another key is told, and waits on."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.keys import Keys as AnyKey

    keys, told = KeyBindings(), ""

    def ends(key: str, result: str) -> None:
        @keys.add(key)
        def _(event: KeyPressEvent) -> None:
            event.app.exit(result=result)

    for key in known:
        ends(key, key)
        ends(key.upper(), key)
    for key in ("c-c", "c-d"):
        ends(key, "q")

    @keys.add("enter")
    @keys.add(AnyKey.Any)
    def _(event: KeyPressEvent) -> None:
        nonlocal told
        told = "Unknown key.   "

    if enter:
        ends("enter", enter)
    session: PromptSession[str] = PromptSession(key_bindings=keys, erase_when_done=True)
    return await session.prompt_async(lambda: f"{told}{question} > ", handle_sigint=False)
