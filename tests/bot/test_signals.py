"""Ctrl-C and SIGTERM, on a real process."""

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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


WHERE_IS_THE_CURSOR, TOP_LEFT = b"\x1b[6n", b"\x1b[1;1R"


WAITS = """
import fcntl, subprocess, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
sys.exit(subprocess.call([sys.executable, "-m", "tests.bot.slow_cli", *sys.argv[1:]]))
"""
"""Stands between the terminal and Candor, and waits for its end, as make does: Ctrl-C ends it too."""


def typed(*steps: tuple[bytes, bytes]) -> tuple[int, bytes]:
    """How a chat ends, and all that it shows, where these keys are typed, each when its sign is shown."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS, "chat"],
        cwd=CHECKOUT, env={**os.environ, "TERM": "xterm"}, stdin=end, stdout=end, stderr=end, start_new_session=True,
    )  # fmt: skip
    os.close(end)
    giving_up = threading.Timer(60, process.kill)
    giving_up.start()
    shown, since = b"", 0
    left = list(steps)
    try:
        with suppress(OSError):  # how Linux says that nobody holds the other end
            while block := os.read(terminal, 4096):
                shown += block
                if WHERE_IS_THE_CURSOR in block:  # the prompt asks before each line
                    os.write(terminal, TOP_LEFT)
                if left and left[0][0] in shown[since:]:
                    since = len(shown)
                    os.write(terminal, left.pop(0)[1])
        return process.wait(timeout=20), shown
    finally:
        giving_up.cancel()
        process.kill()
        os.close(terminal)


@pytest.mark.parametrize("keys", [b"\x03", b"\x04", b"/quit now\r"])
def test_leaving_a_chat_in_a_terminal_is_a_normal_end(keys: bytes) -> None:
    code, shown = typed((WHERE_IS_THE_CURSOR, keys))
    assert code == 0
    assert b"server stopped" in shown
    assert b"Stopped." not in shown


def test_so_it_is_after_a_question_was_stopped_and_for_the_one_that_started_it() -> None:
    code, shown = typed(
        (WHERE_IS_THE_CURSOR, b"How many vacation days carry over?\r"),
        (b"Grading", b"typed ahead\x03"),
        (WHERE_IS_THE_CURSOR, b"\x03"),
    )
    assert code == 0
    assert b"Stopped." in shown
    assert b"typed ahead" not in shown


def test_serve_answers_health_and_ends_with_0_at_sigterm() -> None:
    with started("serve", until="nobody can ask yet", SERVE__PORT="0") as process:
        said: str = process.said  # type: ignore[attr-defined]
        address = said.split("Health at ")[1].split("/healthz")[0]
        assert json.loads(said.splitlines()[-1])["level"] == "WARNING"
        with urllib.request.urlopen(f"{address}/healthz", timeout=10) as response:
            assert json.load(response) == {"status": "ok"}
        with pytest.raises(urllib.error.HTTPError, match="503"):
            urllib.request.urlopen(f"{address}/readyz", timeout=10)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "'server stopped'" in err
    assert "Traceback" not in err
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{address}/healthz", timeout=2)


def test_ctrl_c_ends_serve_with_130() -> None:
    with started("serve", until="nobody can ask yet", SERVE__PORT="0") as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 130


def run(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A whole run in a process of its own, with a grader that doesn't wait."""
    return subprocess.run(
        [sys.executable, "-m", "tests.bot.slow_cli", *arguments],
        cwd=CHECKOUT,
        env={**os.environ, "GRADER_DELAY_S": "0", **environment},
        input=stdin.encode(),
        capture_output=True,
        timeout=30,
    )


def test_a_terminal_that_knows_only_ascii_shows_question_marks() -> None:
    done = run("chat", stdin="größer?\n", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"> gr??er?\n" in done.stdout


def test_a_reader_that_goes_away_leaves_no_process_and_no_traceback() -> None:
    command = f"'{sys.executable}' -m tests.bot.slow_cli ask 'How many vacation days carry over?' | true"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=CHECKOUT,
        env={**os.environ, "GRADER_DELAY_S": "0.3"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert "Traceback" not in done.stderr
    assert "never retrieved" not in done.stderr
    assert "'server stopped'" in done.stderr
