"""The order of a start: the server first, since it takes longest, and what is slow to import while it starts."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.weaviate.directory import DataDirectory
from tests.bot.conftest import CommandLine

CHECKOUT = Path(__file__).resolve().parents[2]
SLOW = ("weaviate", "httpx", "grpc", "onnxruntime", "tokenizers", "numpy", "aiohttp", "openai", "ollama")
STOP_AT_THE_START = """
import asyncio, sys
from bot.app import Wiring
from bot.commands import ask
from config.settings import load

def stop(text):
    print(text, *sys.modules, sep="\\n")
    raise SystemExit

async def start():
    async with getattr(Wiring(load().settings, stop), sys.argv[1])():
        pass

asyncio.run(start())
"""


@pytest.fixture
def slow_server(place: Path, setting: Callable[[str, str], None]) -> DataDirectory:
    """The data directory of a server that never gets ready; its processes name it in their commands."""
    program = place / "data" / "weaviate"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nwhile :; do sleep 0.1; done\n")
    program.chmod(0o755)
    setting("WEAVIATE__BINARY", str(program))
    return DataDirectory(place / "data")


def processes_of(directory: DataDirectory) -> list[str]:
    commands = subprocess.run(
        ["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [command for command in commands if str(directory.path) in command]


@pytest.mark.parametrize("opened", ["app", "library"])
def test_the_server_starts_before_its_client_and_the_models_are_imported(
    slow_server: DataDirectory, opened: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STOP_AT_THE_START, opened],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    said, *imported = done.stdout.split("\n")
    assert said == "Starting Weaviate", done.stderr
    assert set(SLOW) & set(imported) == set()


def test_the_supervisor_imports_nothing_slow_before_it_starts_the_server() -> None:
    code = "import adapters.weaviate.supervisor, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert {"http.client", "asyncio", "urllib.request"} & set(done.stdout.split()) == set()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_server_starts_leaves_no_process(slow_server: DataDirectory, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "ask", "Who?"], cwd=CHECKOUT, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr
        assert process.stderr.readline() == "Starting Weaviate\n"
        assert processes_of(slow_server)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, err) == ({signal.SIGINT: 130, signal.SIGTERM: 143}[number], "Stopped.\n")
    assert slow_server.read_state() is None
    assert processes_of(slow_server) == []


def test_a_model_that_cannot_be_loaded_ends_the_server_that_starts(
    slow_server: DataDirectory, setting: Callable[[str, str], None], place: Path
) -> None:
    setting("GRADER__MODEL", str(place / "no such model"))
    run = subprocess.run(
        [sys.executable, "-m", "bot", "ask", "Who?", "--json"], cwd=CHECKOUT, capture_output=True, text=True, timeout=60
    )
    assert (run.returncode, json.loads(run.stdout)["code"]) == (1, "service")
    assert "no such model" in run.stdout
    assert slow_server.read_state() is None
    assert processes_of(slow_server) == []


def test_an_extra_that_is_missing_is_told_before_a_server_starts(
    candor: CommandLine, setting: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    setting("GRADER__BACKEND", "sentence_transformers")
    run = candor("ask", "Who?")
    assert run.code == 2
    assert "CANDOR_GRADER__BACKEND" in run.err
    assert candor.parts.events == []


@pytest.mark.parametrize("command", ["ask", "grade"])
def test_a_reply_is_shown_before_the_server_is_stopped(
    candor: CommandLine, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = candor.parts.events
    name = {"ask": "bot.commands.ask.print_reply", "grade": "bot.commands.grade.print_headline"}[command]
    monkeypatch.setattr(name, lambda *_: events.append("shown"))
    candor(command, "How many vacation days carry over?")
    assert events == ["server started", "shown", "server stopped"]
