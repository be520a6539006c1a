"""Side rules, and what only looks like one."""

from __future__ import annotations

import pytest

from crag.asides import aside
from tests.crag.scenes import chunk

LEAVE = "How long is parental leave?"
WEEKS = "Full pay for 26 weeks."


@pytest.mark.parametrize(
    ("heading", "strip", "question", "told"),
    [
        ("What you get in Stennick", WEEKS, LEAVE, False),
        ("When it goes wrong", "Fertility treatment: 5 paid days a cycle.", LEAVE, True),
        ("While you're away", "- Up to 10 keep-in-touch days.", LEAVE, True),
        (
            "While you're away",
            "- Up to 10 keep-in-touch days.",
            "what do I have to read while on parental leave?",
            False,
        ),
        ("If you don't agree", WEEKS, "how long do I have if I don't agree?", False),
        ("When you get the money", WEEKS, "when's the payout?", False),
        ("After your leave", WEEKS, LEAVE, True),
        ("Who can have it", WEEKS, LEAVE, True),
        ("Who can have it", WEEKS, "who can have parental leave?", False),
        ("Who can have it", WEEKS, "can I have parental leave?", False),
        ("What you get", "If you lose a pregnancy before 24 weeks, both parents have 10 days.", LEAVE, True),
        ("What you get", "If you lose a pregnancy, both have 10 days.", "how many days if I lose a pregnancy?", False),
        ("What you get", "Full pay for 26 weeks, if you want.", LEAVE, False),
    ],
)
def test_a_case_that_the_question_does_not_name_is_an_aside(
    heading: str, strip: str, question: str, told: bool
) -> None:
    assert aside(question, strip, chunk(strip, title="Parental leave", headings=(heading,))) is told


def test_a_page_is_about_its_title() -> None:
    page = chunk(WEEKS, title="When it goes wrong")
    assert not aside(LEAVE, WEEKS, page)
