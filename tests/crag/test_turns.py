"""Turns as people write them down."""

from __future__ import annotations

import pytest

from crag.turns import text_of, written_turn
from crag.types import Turn

SEARCHED = "I searched 30 documents, but nothing I found answers this."


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I don't know", "I don't know"),
        ("I don’t know.", "I don't know"),
        (f"I don't know\n{SEARCHED}", SEARCHED),
        (f"I don't know. {SEARCHED}", SEARCHED),
        ("i don't know – sorry", "sorry"),
    ],
)
def test_a_reply_that_begins_with_i_dont_know_found_nothing(said: str, text: str) -> None:
    assert written_turn(said, by_bot=True) == Turn(text, by_bot=True, unknown=True)


@pytest.mark.parametrize("said", ["Five days. [1]", "I don't know anyone who", "We say: I don't know.", ""])
def test_another_reply_is_an_answer(said: str) -> None:
    assert written_turn(said, by_bot=True) == Turn(said, by_bot=True)


def test_a_person_who_does_not_know_asks_no_less() -> None:
    assert written_turn("I don't know. Who does?", by_bot=False) == Turn("I don't know. Who does?")


@pytest.mark.parametrize(
    "turn", [Turn("Five."), Turn(SEARCHED, by_bot=True, unknown=True), Turn("I don't know", by_bot=True, unknown=True)]
)
def test_a_written_turn_reads_the_same(turn: Turn) -> None:
    assert written_turn(text_of(turn), by_bot=turn.by_bot) == turn
