"""Commands in what Candor says at the terminal, named as this person starts it: `./candor index` in a checkout, `candor
index` where PATH leads to it. Everywhere else a hint is written with plain `candor`, as chat shows it and as `--json`
gives it to programs."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

from crag.types import Abstention, Answer, Reply

NAME = "candor"
DEMO = "demo"
"""The folder of the demo's index, beside that of one's own."""
COMMANDS = (
    "ask",
    "calibrate",
    "chat",
    "config",
    "demo",
    "discord",
    "discord-invite",
    "doctor",
    "evaluate",
    "grade",
    "health",
    "index",
    "journal",
    "questions",
    "serve",
    "slack",
    "status",
    "tour",
)
_COMMAND = re.compile(rf"(?<![\w./-]){NAME}(?= (?:{'|'.join(COMMANDS)})\b)")


def named(text: str, program: str) -> str:
    """Every command in the text as it can be typed. For Candor's own words only: a document's stay as they are."""
    return _COMMAND.sub(lambda _: shlex.quote(program), text)


def of_demo(data_directory: Path) -> str:
    """For whoever tried the demo and finds nothing in the index that lies there; else ""."""
    demo = data_directory.parent / DEMO
    tried = demo != data_directory and demo.is_dir()
    return "The demo's handbook has an index of its own; to ask that one: candor demo" if tried else ""


def index_it(data_directory: Path) -> str:
    """What to do where nothing is indexed."""
    return "\n".join(filter(None, ("Run: candor index PATH", of_demo(data_directory))))


def named_in(reply: Reply, program: str) -> Reply:
    """The same for what Candor says in a reply, and not for what it quotes."""
    failures = tuple(named(failure, program) for failure in reply.trace.failures)
    reply = replace(reply, trace=replace(reply.trace, failures=failures))
    match reply.body:
        case Answer() as answer:
            return replace(reply, body=replace(answer, notes=tuple(named(note, program) for note in answer.notes)))
        case Abstention() as abstention:
            notes = tuple(named(note, program) for note in abstention.notes)
            return replace(reply, body=replace(abstention, detail=named(abstention.detail, program), notes=notes))
        case _:
            return reply
