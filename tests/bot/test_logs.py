import logging

import pytest

from bot.logs import logging_to_stderr

log = logging.getLogger("candor.test")


def logged(level: str, capture: pytest.CaptureFixture[str]) -> str:
    with logging_to_stderr(level):
        try:
            raise ZeroDivisionError("first\nsecond \x1b]0;owned\x07")
        except ZeroDivisionError:
            log.exception("It failed: %s", "\x1b[31mred\nline")
    return capture.readouterr().err


def test_a_record_is_one_line_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    text = logged("WARNING", capsys)
    assert text.endswith("ERROR candor.test: It failed: red line ZeroDivisionError: first second\n")
    assert text.count("\n") == 1


def test_debug_shows_the_traceback_and_still_no_control_character(capsys: pytest.CaptureFixture[str]) -> None:
    text = logged("DEBUG", capsys)
    assert "Traceback" in text
    assert "\x1b" not in text


def test_what_is_below_the_level_is_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to_stderr("ERROR"):
        log.warning("not this")
    assert capsys.readouterr().err == ""
