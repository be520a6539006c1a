"""A command in a hint can be pasted: it names the program as the person started it."""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.hints import COMMANDS, named
from bot.parser import parser
from config.program import VARIABLE
from tests.bot.conftest import CommandLine
from tests.bot.house import Parts

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def started_as(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda program: monkeypatch.setenv(VARIABLE, program)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Run: candor index PATH", "Run: ./candor index PATH"),
        ("`candor discord-invite` prints it; candor doctor", "`./candor discord-invite` prints it; ./candor doctor"),
        ("See candor.toml and `/candor status`.", "See candor.toml and `/candor status`."),
        ("The file /home/candor index.md, ./candor ask", "The file /home/candor index.md, ./candor ask"),
        ("A candor indexing of faults", "A candor indexing of faults"),
    ],
)
def test_only_commands_are_renamed(text: str, shown: str) -> None:
    assert named(text, "./candor") == shown
    assert named(text, "candor") == text


def test_a_place_with_a_space_can_be_pasted_too() -> None:
    assert named("candor ask", "/my dir/candor") == "'/my dir/candor' ask"


def test_all_commands_are_known() -> None:
    (actions,) = [a for a in parser("1")._actions if isinstance(a, argparse._SubParsersAction)]
    assert set(COMMANDS) == set(actions.choices)


@pytest.mark.parametrize(
    "command",
    [
        ["status"],
        ["chat"],
        ["ask", "How many vacation days?"],
        ["grade", "How many vacation days?"],
        ["doctor"],
        ["questions", "suggest", "--all"],
    ],
)
def test_every_hint_names_it(candor: CommandLine, started_as: Callable[[str], None], command: list[str]) -> None:
    started_as("../candor")
    candor.parts = Parts()
    run = candor(*command)
    shown = " ".join((run.out + run.err).replace("│", " ").split())
    assert "../candor index PATH" in shown
    assert shown.count("../candor index") == shown.count("candor index")


def test_programs_and_those_who_say_nothing_get_the_plain_name(
    candor: CommandLine, started_as: Callable[[str], None]
) -> None:
    candor.parts = Parts()
    assert "Run: candor index PATH" in candor("status").err
    started_as("./candor")
    assert "Run: candor index PATH" in [check["advice"] for check in candor("doctor", "--json").json["checks"]]


def test_the_next_command_can_be_pasted_and_so_can_the_usage(
    candor: CommandLine, started_as: Callable[[str], None]
) -> None:
    started_as("./candor")
    assert "./candor questions suggest --all" in candor("questions", "suggest").err
    assert "usage: ./candor ask" in candor("ask").err


@pytest.mark.parametrize("how", ["./candor", "candor", "deep/../candor"])
def test_the_script_tells_how_it_was_called(tmp_path: Path, how: str) -> None:
    (tmp_path / "deep").mkdir()
    shutil.copy(CHECKOUT / "candor", tmp_path / "candor")
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "__main__.py").write_text(f"import os; print(os.environ[{VARIABLE!r}])")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    path = f"{tmp_path}:{path}" if how == "candor" else path
    done = subprocess.run(
        ["/bin/sh", "-c", f"{how} status"], cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == how


@pytest.mark.parametrize("interrupted", [True, False])
def test_the_script_says_what_to_run_where_candor_is_not_installed(tmp_path: Path, interrupted: bool) -> None:
    shutil.copy(CHECKOUT / "candor", tmp_path / "candor")
    bare = tmp_path / (".venv/bin" if interrupted else "system")
    bare.mkdir(parents=True)
    python = bare / ("python" if interrupted else "python3")
    python.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'rich'\" >&2; exit 1\n")
    python.chmod(0o755)
    done = subprocess.run(
        [tmp_path / "candor", "status"], env={"PATH": f"{bare}:{os.environ['PATH']}"}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Candor isn't installed completely yet. Run: make -C '{tmp_path}' install\n"


@pytest.fixture
def tried(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo was here, and nothing else was indexed."""
    (place / "demo").mkdir()
    monkeypatch.setenv("CANDOR_WEAVIATE__DATA_DIRECTORY", str(place / "weaviate"))


@pytest.mark.usefixtures("tried")
@pytest.mark.parametrize("command", ["ask Who?", "grade Who?", "status", "doctor", "chat", "evaluate q", "calibrate q"])
def test_who_tried_the_demo_is_told_where_its_pages_are(
    candor: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    candor.parts = Parts()
    (place / "q").write_text('{"question": "Who?"}')
    with open(os.devnull) as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        run = candor(*command.split())
    assert "The demo's handbook has an index of its own; to ask that one: candor demo\n" in run.out + run.err


def test_who_did_not_try_it_is_not(candor: CommandLine) -> None:
    candor.parts = Parts()
    run = candor("ask", "Who?")
    assert "candor index PATH" in run.out
    assert "demo" not in run.out + run.err
