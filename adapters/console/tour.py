"""The tour: a few questions that show one path through the engine each, and say so if one takes another path."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from adapters.console.chat import Ask, with_status
from adapters.console.grades import print_trace
from adapters.console.replies import print_reply
from adapters.console.safe import safe_line
from crag.errors import SourceError
from crag.types import Abstention, Action, Answer, Band, Question, Reason, Reply

PATHS = ("answered", "refined", "rewritten", "abstained")


@dataclass(frozen=True, slots=True)
class Stop:
    """One question of the tour. `shows` is one of PATHS; `grades` adds the grade table."""

    headline: str
    question: str
    shows: str
    grades: bool = False


def load_stops(path: Path) -> tuple[Stop, ...]:
    """The tour's file: {"stops": [{"headline", "question", "shows", "grades"}]}. Raises SourceError."""
    try:
        stops = tuple(Stop(**stop) for stop in json.loads(path.read_text(encoding="utf-8"))["stops"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceError(f"The tour {path} can't be read: {error}.", path=str(path)) from error
    if wrong := [stop.shows for stop in stops if stop.shows not in PATHS]:
        raise SourceError(f"The tour {path} shows {wrong[0]!r}; it can show {', '.join(PATHS)}.", path=str(path))
    return stops


def took(reply: Reply) -> str:
    """Which of PATHS a reply took; "" for none of them: a courtesy, or an abstention because something is down."""
    actions = reply.trace.actions
    match reply.body:
        case Answer(band=Band.CORRECT) if Action.REWRITE not in actions and Action.REFINE not in actions:
            return "answered"
        case Answer() if Action.REWRITE in actions:
            return "rewritten"
        case Answer() if Action.REFINE in actions:
            return "refined"
        case Abstention(reason=Reason.NOTHING_FOUND | Reason.WEAK_EVIDENCE | Reason.UNSUPPORTED):
            return "abstained"
        case _:
            return ""


async def play(out: Console, stops: Sequence[Stop], ask: Ask, question: Question) -> list[str]:
    """Ask each question and print what comes. Returns a sentence for each stop that took another path."""
    strayed: list[str] = []
    for number, stop in enumerate(stops, 1):
        out.print(Rule(Text(f"{number}. {safe_line(stop.headline)}"), align="left", characters="-"))
        out.print(Text(f"> {safe_line(stop.question)}", style="bold"))
        out.print()
        reply = await with_status(out, ask, replace(question, text=stop.question))
        if reply is None:
            return [*strayed, "The tour was interrupted."]
        print_reply(out, reply)
        if stop.grades:
            out.print()
            print_trace(out, reply.trace, "/grade all, in a chat")
        out.print()
        if (path := took(reply)) != stop.shows:
            strayed.append(f'"{stop.question}" was to be {stop.shows}, but was {path or "something else"}.')
    return strayed
