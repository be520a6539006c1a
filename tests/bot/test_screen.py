"""What the screen does on a terminal."""

import os
import pty
import termios
from collections.abc import Iterator

import pytest

from bot.context import Output, Screen


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A terminal that is standard input; both outputs believe that they are on one."""
    terminal, end = pty.openpty()
    monkeypatch.setenv("FORCE_COLOR", "1")
    with os.fdopen(end) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield end
    os.close(terminal)


def echoes(terminal: int) -> bool:
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


def test_keys_are_not_echoed_into_a_status_line(keyboard: int) -> None:
    out = Output()
    with out.status("Thinking"):
        assert not echoes(keyboard)
        with out.status("Still thinking"):
            assert not echoes(keyboard)
        assert not echoes(keyboard)
    assert echoes(keyboard)


def test_they_are_again_after_a_mistake(keyboard: int) -> None:
    with pytest.raises(ZeroDivisionError), Output().status("Thinking"):
        raise ZeroDivisionError
    assert echoes(keyboard)


def test_on_a_pipe_the_keyboard_is_left_alone(keyboard: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR")
    with Output().status("Thinking"):
        assert echoes(keyboard)


LINK = "https://wiki.example.com/handbook/" + "travel-and-expenses/" * 8


@pytest.mark.usefixtures("keyboard")
def test_a_link_in_what_is_said_stays_in_one_piece(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    Screen().say(f"{'Words are broken between words. ' * 4}See {LINK} for more.")
    said = capsys.readouterr().err
    assert LINK in said
    assert "\n" in said.strip().split("See")[0]
