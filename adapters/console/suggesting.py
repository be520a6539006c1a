"""Proposals on a terminal, one at a time: a key keeps, drops or edits each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from rich.console import Console
from rich.text import Text

from adapters.console.safe import safe_line
from crag.suggesting.proposals import Proposal
from crag.suggesting.sheet import ENOUGH, Sheet
from crag.text import has_words

KEYS = "y keep   n drop   e edit   q stop"
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


async def review(out: Console, proposals: AsyncIterator[Proposal], keys: Keys, sheet: Sheet) -> bool:
    """Until the proposals end (True) or the person stops (False). Each decision is saved before the next proposal.
    Raises SheetError, and what `proposals` raises."""
    while True:
        with out.status("Looking for the next question"):
            proposal = await anext(proposals, None)
        if proposal is None:
            return True
        show(out, proposal)
        done = await _decide(proposal, keys, sheet)
        if not done:
            return False
        out.print(Text(f"{done} {progress(sheet)}", style="dim"))


async def _decide(proposal: Proposal, keys: Keys, sheet: Sheet) -> str:
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
                if has_words(text):
                    return "Kept." if sheet.keep(proposal, text) else "That question is in the file already."
            case _:
                return ""


def show(out: Console, proposal: Proposal) -> None:
    """The question, what should become of it, and the passage it comes from."""
    kind = proposal.kind
    out.print()
    out.print(Text(safe_line(proposal.question), style="bold"))
    if kind.answerable:
        out.print(Text("This passage should answer it.", style="green"))
    else:
        out.print(Text(f"Nothing should answer it. {safe_line(proposal.note)}", style="yellow"))
    place = " > ".join(proposal.chunk.headings or (proposal.chunk.title,))
    quote = safe_line(proposal.quote)
    quote = quote if len(quote) <= QUOTED else f"{quote[:QUOTED].rsplit(' ', 1)[0]} …"
    out.print(Text(f"  {safe_line(place)} ({safe_line(proposal.chunk.path)})", style="dim"))
    out.print(Text(f"  “{quote}”", style="dim"))


def progress(sheet: Sheet) -> str:
    return (
        f"{sheet.kept} kept ({sheet.answerable} answerable, {sheet.unanswerable} unanswerable), about {ENOUGH} make a "
        "calibration."
    )


class TypedKeys:
    """Keys of a terminal, without Enter."""

    def __init__(self) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
        from prompt_toolkit.keys import Keys as AnyKey

        chosen, edited = KeyBindings(), KeyBindings()

        def ends_with(event: KeyPressEvent) -> None:
            event.app.exit(result=event.data.lower())

        for key in "yneqYNEQ":
            chosen.add(key)(ends_with)

        @chosen.add("enter")
        @chosen.add(AnyKey.Any)
        def _(event: KeyPressEvent) -> None:
            """Any other key does nothing."""

        @chosen.add("c-c")
        @chosen.add("c-d")
        def _(event: KeyPressEvent) -> None:
            event.app.exit(result="q")

        @edited.add("c-c")
        @edited.add("escape", eager=True)
        def _(event: KeyPressEvent) -> None:
            event.app.exit(result="")

        self._chosen: PromptSession[str] = PromptSession(key_bindings=chosen, erase_when_done=True)
        self._edited: PromptSession[str] = PromptSession(key_bindings=edited)

    async def choose(self) -> str:
        return await self._chosen.prompt_async(f"{KEYS} > ", handle_sigint=False)

    async def edit(self, text: str) -> str:
        try:
            return await self._edited.prompt_async("> ", default=text, handle_sigint=False)
        except EOFError:
            return ""
