import pytest

from adapters.console.safe import safe, safe_line


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]52;c;c2VjcmV0\x1b\\text", "text"),
        ("\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x1bP1$r0m\x1b\\text", "text"),
        ("\x1b\x1b[31m[31mred", "[31mred"),
        ("over\rwritten", "over\nwritten"),
        ("back\x08space\x7f", "backspace"),
        ("\u202edcba\u200fx\u061c", "dcbax"),
        ("zero\u200bwidth\U000e0041", "zerowidth"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("line\u2028separated", "line\nseparated"),
        ("größer, 你好, 🙂", "größer, 你好, 🙂"),
    ],
)
def test_what_a_terminal_would_obey_goes_and_the_text_stays(text: str, left: str) -> None:
    assert safe(text) == left


def test_an_unfinished_sequence_leaves_no_escape() -> None:
    assert "\x1b" not in safe("\x1b]0;never ends " + "x" * 100_000)


def test_a_line_stays_one_line() -> None:
    assert safe_line("a\n\tb\u2028c") == "a b c"
