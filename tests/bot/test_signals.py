"""Ctrl-C and SIGTERM, on a real process."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


@contextmanager
def started(*arguments: str, until: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """A running command that has said `until` on standard error."""
    environment = {**os.environ, **{f"CANDOR_{name}": value for name, value in settings.items()}}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bot.slow_cli", *arguments],
        cwd=CHECKOUT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr
        process.said = ""  # type: ignore[attr-defined]  # what was read of standard error
        while until not in (line := process.stderr.readline()):
            assert line, "it ended early"
            process.said += line  # type: ignore[attr-defined]
        process.said += line  # type: ignore[attr-defined]
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)])
def test_a_signal_in_mid_question_ends_cleanly_and_stops_what_was_started(number: signal.Signals, code: int) -> None:
    with started("ask", "How many vacation days carry over?", until="Starting Weaviate") as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert process.returncode == code
    assert out == ""
    assert "Stopped.\n" in err
    assert "'server stopped'" in err
    assert "Traceback" not in err


def test_an_interrupted_command_with_json_says_so_in_json() -> None:
    with started("ask", "How many?", "--json", until="Starting Weaviate") as process:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
    assert json.loads(out)["code"] == "interrupted"


def test_ctrl_c_stops_a_chats_question_and_not_the_chat() -> None:
    with started("chat", until="Starting Weaviate") as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("How many vacation days carry over?\n")
        process.stdin.flush()
        while not process.stdout.readline().startswith("> How many"):
            pass
        process.send_signal(signal.SIGINT)
        out, err = process.communicate("/help\n", timeout=20)
    assert process.returncode == 0
    assert "Stopped." in out
    assert "/grade" in out
    assert "'server stopped'" in err


def test_a_chat_that_waits_for_a_line_ends_at_a_signal() -> None:
    with started("chat", until="Starting Weaviate") as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)
        err = process.stderr.read()
    assert process.returncode == 143
    assert "'server stopped'" in err
    assert "Traceback" not in err


def test_serve_answers_health_and_ends_with_0_at_sigterm() -> None:
    with started("serve", until="Candor is ready.", SERVE__PORT="0") as process:
        said: str = process.said  # type: ignore[attr-defined]
        address = said.split("Health at ")[1].split("/healthz")[0]
        for path in ("healthz", "readyz"):
            with urllib.request.urlopen(f"{address}/{path}", timeout=10) as response:
                assert json.load(response) == {"status": "ok"}
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "'server stopped'" in err
    assert "Traceback" not in err
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{address}/healthz", timeout=2)


def test_ctrl_c_ends_serve_with_130() -> None:
    with started("serve", until="Candor is ready.", SERVE__PORT="0") as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 130
