"""Numbers, names and negations, compared word by word."""

from __future__ import annotations

import pytest

from crag.facts import contradicted, names, opens_unknown, uniform


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1,500", "1500"), ("1.500", "1500"), ("1,234,567", "1234567"), ("16.50", "16.5"), ("16,5", "16.5"),
        ("09:00", "9"), ("9:30", "9:30"), ("12.00", "12"), ("007", "7"), ("0", "0"), ("0.5", "0.5"), ("10:05", "10:05"),
        ("fifteen", "15"), ("Twenty-five days", "25 days"), ("twenty one", "21"), ("one", "one"), ("zwölf", "12"),
        ("2025-01-06", "6 January 2025"), ("12.03.2024", "12 3 2024"), ("often", "often"), ("1/260", "1/260"),
    ],
)  # fmt: skip
def test_a_number_has_one_spelling(text: str, same: str) -> None:
    assert uniform(text) == same


def test_names_are_words_with_a_capital_inside_of_a_sentence() -> None:
    assert names("The office in Porto is Ana-Maria's. Lisbon is not.") == ["Porto", "Ana", "Maria's"]
    assert names("Der Urlaub ist für die Kollegen im Büro.") == []


PASSAGE = "Porto opens at 9 and has a cellar for bicycles. The one in Lisbon has 38 desks, a garden and a big kitchen."


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("The office in Porto opens at 9.", ""),
        ("It opens at 38.", "38 of something else"),
        ("There are 40 desks.", "number 40"),
        ("The one in Madrid has a garden.", "doesn't name Madrid"),
        ("The desks in Porto: 38.", "porto of something else"),
        ("The one in Lisbon hasn't a garden, or does not have it.", "negates"),
        ("No, the one in Lisbon has 38 desks.", ""),
    ],
)
def test_a_claim_is_contradicted_by_what_stands_beside_its_facts(claim: str, wrong: str) -> None:
    found = contradicted(claim, PASSAGE, "Offices")
    assert wrong in found
    assert bool(wrong) == bool(found)


def test_a_heading_holds_for_all_that_stands_under_it() -> None:
    assert contradicted("The desks of Porto: 38.", PASSAGE, "Offices > Porto > 38") == ""


@pytest.mark.parametrize(
    ("claim", "unknown"), [("Madrid opens at 9.", True), ("Porto opens.", False), ("It opens.", False)]
)
def test_the_first_word_may_be_a_name_too(claim: str, unknown: bool) -> None:
    assert opens_unknown(claim, PASSAGE) is unknown
