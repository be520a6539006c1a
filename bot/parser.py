"""The commands and their arguments."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import NoReturn

from bot.hints import NAME, named

DESCRIPTION = (
    "Answers from your team's documents, with its evidence. To begin: `candor index FOLDER`, then `candor chat`; or "
    "`candor demo`, to try it on an example."
)
EPILOG = "Settings: CANDOR_… in the environment, .env or candor.toml; see `candor config` and docs/settings.md."


class UsageError(Exception):
    """The command line can't be understood. `usage` shows how it is written."""

    def __init__(self, message: str, usage: str) -> None:
        super().__init__(message)
        self.usage = usage


class Parser(argparse.ArgumentParser):
    """Raises UsageError where argparse would print and exit, so that `--json` can answer in JSON."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, self.format_usage())


class Joined(argparse.Action):
    """Words that the shell took apart, as one text."""

    def __call__(self, parser: object, namespace: argparse.Namespace, values: object, option: object = None) -> None:
        assert isinstance(values, list)  # noqa: S101 - nargs is "+"
        setattr(namespace, self.dest, " ".join(values))


def parser(version: str, program: str = NAME) -> Parser:
    """All commands; `program` is how the person starts Candor."""
    root = Parser(prog=shlex.quote(program), description=named(DESCRIPTION, program), epilog=named(EPILOG, program))
    root.add_argument("--version", action="version", version=f"candor {version}")
    commands = root.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )

    commands.add_parser("chat", help="ask in the terminal; on a pipe, each line is a question")

    ask = commands.add_parser("ask", help="answer one question")
    _add_question(ask)

    grade = commands.add_parser("grade", help="show how each passage is judged for a question")
    _add_question(grade)
    grade.add_argument("--all", action="store_true", help="show every passage, not only the best and the kept ones")
    grade.add_argument("--deep", action="store_true", help="grade every passage that is found, however long it takes")
    grade.add_argument("--text", metavar="TEXT", help="judge this passage only; - reads it from standard input")

    index = commands.add_parser("index", help="index folders and files")
    index.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a folder, or a file")
    index.add_argument("--full", action="store_true", help="index everything anew, also what didn't change")
    index.add_argument("--dry-run", action="store_true", help="say what would be done, and change nothing")
    _add_json(index)

    status = commands.add_parser("status", help="what is indexed, with which models")
    status.add_argument("--verbose", action="store_true", help="everything, also what the thresholds were measured on")
    _add_json(status)
    config = commands.add_parser("config", help="the settings in force, and where they came from")
    config.add_argument("--all", action="store_true", help="also those that have their defaults")
    _add_json(config)
    _add_json(commands.add_parser("doctor", help="check everything Candor depends on"))
    commands.add_parser(
        "serve", help="answer in Slack and Discord, whichever is configured; /healthz, /readyz, /metrics"
    )
    commands.add_parser("slack", help="answer in Slack only")
    commands.add_parser("discord", help="answer in Discord only")
    commands.add_parser("discord-invite", help="the link that adds the bot to a Discord server, with what it needs")
    commands.add_parser("health", help="ask a running `serve` whether it is well")
    _add_journal(commands.add_parser("journal", help="export, delete or count what is kept about people"))
    _add_evaluate(commands.add_parser("evaluate", help="how often answers to your questions are right and wrong"))
    _add_calibrate(commands.add_parser("calibrate", help="choose thresholds with a promise, from your questions"))
    _add_questions(commands.add_parser("questions", help="make a file of questions from what is indexed"))
    tour = commands.add_parser("tour", help="play a short tour on the example handbook")
    tour.add_argument("--file", type=Path, metavar="FILE", help="another tour than examples/tour.json")
    commands.add_parser("demo", help="index the example handbook and chat about it; on a pipe, play the tour")
    return root


def _add_evaluate(command: argparse.ArgumentParser) -> None:
    command.add_argument("questions", metavar="QUESTIONS", type=Path, help="a file of questions: docs/evaluation.md")
    command.add_argument("--split", metavar="NAME", help="only the questions of this split")
    command.add_argument("--html", metavar="FILE", type=Path, help="write a report with plots and the worst cases")
    command.add_argument("--compare", metavar="OLD", type=Path, help="an earlier --json: say what changed since")
    command.add_argument("--max-false-answers", metavar="SHARE", type=share, help="end with 1 where more: 5%%")
    command.add_argument("--max-needless", metavar="SHARE", type=share, help="the same for needless abstentions")
    _add_json(command)


def _add_journal(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=Parser)
    person, metavar = "the person, such as slack:U0123ABCD", "PLATFORM:ID"
    export = actions.add_parser("export", help="print all that is kept of a person, or what people corrected")
    which = export.add_mutually_exclusive_group(required=True)
    which.add_argument("--user", metavar=metavar, help=person)
    which.add_argument(
        "--questions",
        action="store_true",
        help="corrections as questions, as `evaluate` reads them",
    )
    _add_json(export)
    delete = actions.add_parser("delete", help="delete all that is kept of a person")
    delete.add_argument("--user", metavar=metavar, required=True, help=person)
    _add_json(delete)
    _add_json(actions.add_parser("stats", help="how many questions, votes and jobs there are"))


def _add_question(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "question",
        metavar="QUESTION",
        nargs="+",
        action=Joined,
        help="what to ask, with or without quotes around it; - reads it from standard input",
    )
    command.add_argument(
        "--history",
        metavar="TURNS",
        help='the conversation so far: a JSON list of what was said in turn, \'["Who may travel?", "All staff."]\'',
    )
    _add_json(command)


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print JSON; its fields are documented and stable")


def _add_calibrate(command: argparse.ArgumentParser) -> None:
    command.add_argument("questions", metavar="QUESTIONS", type=Path, nargs="?", help="as in `evaluate`")
    command.add_argument(
        "--max-false-answers", metavar="SHARE", type=share, default=0.05, help="of all questions; 5%% if not given"
    )
    command.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    command.add_argument(
        "--without-corrections", action="store_true", help="by the file alone, not by what people corrected in chat too"
    )
    command.add_argument("--rollback", action="store_true", help="go back to the thresholds from before")
    _add_json(command)


def _add_questions(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=Parser)
    suggest = actions.add_parser("suggest", help="propose questions, for you to keep or drop")
    suggest.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        default=Path("questions.jsonl"),
        help="questions.jsonl if not given",
    )
    suggest.add_argument("--limit", metavar="N", type=positive, help="at most so many proposals")
    suggest.add_argument("--seed", metavar="N", type=int, help="the same number gives the same order")
    suggest.add_argument(
        "--all", action="store_true", help="write all proposals, marked as not reviewed, and ask nothing"
    )
    _add_json(suggest)


def positive(text: str) -> int:
    """argparse makes a sentence of the error."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def share(text: str) -> float:
    """ "5%" or "0.05" as 0.05. argparse makes a sentence of the error."""
    number, percent = text.strip().removesuffix("%").rstrip(), text.strip().endswith("%")
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is no share; write 5% or 0.05")
    return value


def wants_json(arguments: list[str]) -> bool:
    """Whether errors are to be JSON, also those of the command line itself."""
    return "--json" in arguments


def read_text(argument: str) -> str:
    """An argument, or standard input where it is "-"."""
    return sys.stdin.buffer.read().decode("utf-8", "replace") if argument == "-" else argument
