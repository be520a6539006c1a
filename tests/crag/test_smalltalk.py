"""Small talk is answered; what is a question, however it begins, is not."""

from __future__ import annotations

import pytest

from crag.smalltalk import courtesy


@pytest.mark.parametrize(
    "text",
    [
        "hello", "Hi!", "hey, Candor", "Hi there :)", "Good morning everyone!", "Hallo", "thanks", "Thank you so much!",
        "ok, thanks", "Danke schön", "what can you do?", "What can you help me with?", "Who are you?", "help",
        "how are you today?", "bye", "👋 hello",
    ],
)  # fmt: skip
def test_small_talk_gets_a_short_friendly_sentence(text: str) -> None:
    reply = courtesy(text)
    assert reply
    assert reply[-1] in ".!?"
    assert len(reply) < 200


@pytest.mark.parametrize(
    "text",
    [
        "hello, how much holiday do I get?", "thanks, and how do I claim it?", "help desk opening hours",
        "what can you do about a lost badge?", "hi-vis jackets", "who are you supposed to call at night?", "", "?",
        "good", "bye-law 7",
    ],
)  # fmt: skip
def test_a_question_is_no_small_talk(text: str) -> None:
    assert courtesy(text) is None
