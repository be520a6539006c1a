"""`docs/command-line.md` says what is so."""

from dataclasses import asdict
from pathlib import Path

from adapters.console.structured import chunk_data, grade_data, reply_data, trace_data
from bot.exits import Exit
from bot.parser import parser
from crag.types import Action, Reason
from tests.adapters.console import samples

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")


def test_every_command_is_documented() -> None:
    commands = parser("0")._subparsers
    assert commands
    for name in commands._group_actions[0].choices or ():
        assert f"`candor {name}" in PAGE


def test_every_exit_code_is_documented() -> None:
    for code in Exit:
        assert f"| {code:d} |" in PAGE


def test_every_field_of_json_is_documented() -> None:
    reply = samples.answered()
    fields = [reply_data(reply), reply_data(samples.abstained()), trace_data(reply.trace)]
    fields += [grade_data(samples.GRADES[0]), chunk_data(samples.chunk()), asdict(reply.trace.sentences[0])]
    for name in {name for data in fields for name in data}:
        assert f"`{name}`" in PAGE


def test_every_reason_and_action_is_documented() -> None:
    for code in (*Reason, *Action):
        assert f"`{code}`" in PAGE
