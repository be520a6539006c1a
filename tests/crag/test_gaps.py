"""What the evidence doesn't mention, and what isn't worth mentioning."""

from __future__ import annotations

import pytest

from crag.gaps import MOST, gap
from crag.types import Evidence
from tests.crag.scenes import HOLIDAY, chunk


def missing(question: str) -> tuple[str, ...]:
    return gap(question, [Evidence(1, chunk(HOLIDAY), HOLIDAY, 0.9)])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many days of holiday do contractors get?", ("contractors",)),
        ("How long is a sabbatical, and is it paid holiday?", ("sabbatical",)),
        ("How much holiday in Bonn in 2023?", ("Bonn", "2023")),
        ("Is holiday on plan B4 paid?", ("B4",)),
        ("Wie viel Urlaub bekomme ich in der Probezeit?", ("Urlaub", "Probezeit")),
    ],
)
def test_numbers_names_and_nouns_that_stand_nowhere_are_a_gap(question: str, words: tuple[str, ...]) -> None:
    assert missing(question) == words


@pytest.mark.parametrize(
    "question",
    [
        "what's the way I've got to take for holiday?",
        "How many holidays?",
        "can I take leftover days of holiday early?",
        "i think the latest rule is unfair, how often may everybody complain about holiday",
        "was mache ich, wenn der holiday brauche",
        "Everybody gets how much on the 2nd holiday?",
        "Holiday: Regularly allowed?",
        "🦊 ?!",
        "",
    ],
)
def test_other_words_for_the_same_are_none(question: str) -> None:
    assert missing(question) == ()


def test_the_long_form_of_an_abbreviation_counts() -> None:
    assert missing("How much PTO (paid holiday) is there?") == ()


def test_no_more_than_four_are_named() -> None:
    assert len(missing("Is it so in Bonn, Rome, Oslo, Graz, Bern and Lyon?")) == MOST
