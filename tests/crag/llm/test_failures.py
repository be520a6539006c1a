"""Messages for people: nothing secret, nothing unprintable, and the setting that is to be checked."""

from __future__ import annotations

import pytest

from crag.llm.failures import place, redacted, refused


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://user:pass@host.example:11434/v1?key=abc", "http://host.example:11434"),
        ("https://api.openai.com/v1", "https://api.openai.com"),
        ("127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("http://[::1]:8080/v1", "http://[::1]:8080"),
    ],
)
def test_an_address_is_shown_without_credentials_path_and_query(url: str, shown: str) -> None:
    assert place(url) == shown


@pytest.mark.parametrize(
    "said",
    [
        "Incorrect API key provided: sk-proj-abcdef***1234",
        "header was: Bearer abcdef1234",
        "tokens xoxb-1234-abcd and xapp-1-A-2",
        "see http://me:abcdef1234@host/",
        "our-own-key is wrong",
    ],
)
def test_a_servers_words_are_shown_without_secrets(said: str) -> None:
    shown = redacted(said, "our-own-key")
    assert "***" in shown
    assert "1234" not in shown.replace("***1234", "")
    assert "our-own-key" not in shown


def test_a_servers_words_are_one_printable_line() -> None:
    assert redacted("<html>\n<b>Bad\x1b[31m Gate\x00way</b></html>") == "Bad Gate way"
    assert len(redacted("long " * 1000)) <= 200


def test_a_refused_key_names_its_setting() -> None:
    error = refused(401, model="m", at="http://h", key_setting="CANDOR_GRADER__LLM__API_KEY", detail="no")
    assert "Check CANDOR_GRADER__LLM__API_KEY." in str(error)
