"""A Reply on a terminal or a pipe: the answer with its numbered sources and its badge, or the card that says why not.

Everything is printed as `Text`, never as markup, and through `safe`: a document can't colour, move or link anything.
"""

from __future__ import annotations

import re

from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from adapters.console.safe import safe, safe_line
from adapters.console.words import print_words
from crag.types import Abstention, Answer, Chunk, Courtesy, Reply
from crag.wording import BADGES, documents, headline, shown_band
from crag.wording import badge as wording_badge

STYLES = dict(zip(BADGES, ("bold green", "bold yellow", "bold red"), strict=True))
_INLINE = re.compile(r"\*\*([^*\n]+)\*\*|`([^`\n]+)`|(.[^*`]*)", re.DOTALL)
NEAREST = 3
"""How many of the nearest passages an abstention shows."""


def print_reply(out: Console, reply: Reply) -> None:
    """The whole reply, as a person reads it."""
    match reply.body:
        case Answer() as answer:
            _print_answer(out, answer)
        case Abstention() as abstention:
            _print_abstention(out, abstention, reply.trace.searched)
        case Courtesy(text):
            print_words(out, Text(safe(text)))


def print_headline(out: Console, reply: Reply) -> None:
    """The outcome in a line or two, for where the grades are what was asked for."""
    match reply.body:
        case Answer() as answer:
            out.print(badge(answer))
        case Abstention(reason, detail):
            print_words(out, Text.assemble((headline(reason), "bold yellow"), f": {safe_line(detail)}"))
        case Courtesy(text):
            print_words(out, Text(safe_line(text)))


def badge(answer: Answer) -> Text:
    """The band in words, in its colour."""
    return Text(wording_badge(answer), style=STYLES[shown_band(answer)])


def _print_answer(out: Console, answer: Answer) -> None:
    print_words(out, inline(answer.text))
    out.print()
    out.print(badge(answer))
    for note in answer.notes:
        print_words(out, Text(safe_line(note), style="yellow"))
    for citation in answer.citations:
        print_source(out, f"[{citation.number}]", citation.chunk, citation.label)


def inline(text: str) -> Text:
    """Documents are Markdown, and so are quotes: **bold** and `code` are shown as such, all else as it stands."""
    shown = Text()
    for bold, code, plain in _INLINE.findall(safe(text)):
        shown.append(bold or code or plain, "bold" if bold else "cyan" if code else "")
    return shown


def print_source(out: Console, number: str, chunk: Chunk, label: str) -> None:
    """Its name, then its link on a line of its own that isn't broken, so that it can be opened or copied."""
    print_words(out, Text.assemble((f"{number} ", "bold cyan"), safe_line(label)))
    out.print(Text(" " * (len(number) + 1) + safe_line(chunk.link), style="dim"), soft_wrap=True)


def _print_abstention(out: Console, abstention: Abstention, searched: int) -> None:
    title = headline(abstention.reason)
    lines = [Text(safe(abstention.detail))]
    if searched and documents(searched) not in abstention.detail:
        lines.append(Text(f"I searched {documents(searched)}."))
    lines += [Text(safe_line(note), style="yellow") for note in abstention.notes]
    if out.is_terminal:
        heading = Text(title, style="bold yellow")
        out.print(Panel(Group(*lines), title=heading, title_align="left", border_style="yellow"))
    else:
        for line in (Text(title), *lines):
            print_words(out, line)
    if abstention.nearest:
        out.print(Text("The nearest passages:" if out.is_terminal else "\nThe nearest passages:"))
    for grade in abstention.nearest[:NEAREST]:
        chunk = grade.chunk
        place = " > ".join(safe_line(heading) for heading in chunk.headings) or safe_line(chunk.title)
        print_words(out, Text(f"- {place}"))
        out.print(Text(f"  {safe_line(chunk.link)}", style="dim"), soft_wrap=True)
