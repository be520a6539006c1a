"""What the items of lists and tables are about."""

from __future__ import annotations

import pytest

from crag.subjects import names_all, stands_out, without_strangers
from tests.crag.scenes import chunk

BROKEN = "- Broken: bring it. You get a loan laptop.\n- Accidents happen. The first one is on us."
LOST = "- Lost or stolen: call first, then write\n  the ticket."
CARE = f"{BROKEN}\n{LOST}"
HEAD = "| What | UK | EU |\n|---|---|---|"
HOTEL = "| Hotel, a night with breakfast | £120 | €140 |"
BREAKFAST = "| Breakfast (if not in the hotel price) | £9 | €10 |"
DINNER = "| Dinner on a trip | £28 | €32 |"
CREW = "| Crew dinner, a head | £35 | €40 |"
LIMITS = "\n".join((HEAD, HOTEL, BREAKFAST, DINNER, CREW))


@pytest.mark.parametrize(
    ("question", "text", "left"),
    [
        ("my laptop is lost", CARE, LOST),
        ("my laptop is broken", CARE, "- Broken: bring it. You get a loan laptop."),
        ("is my laptop broken or lost?", CARE, f"- Broken: bring it. You get a loan laptop.\n{LOST}"),
        ("my laptop got nicked", CARE, CARE),
        ("how much is a hotel?", LIMITS, f"{HEAD}\n{HOTEL}"),
        ("dinner on a trip?", LIMITS, f"{HEAD}\n{DINNER}"),
        ("hotel and dinner on a trip?", LIMITS, f"{HEAD}\n{HOTEL}\n{DINNER}"),
        ("how much may a taxi cost?", LIMITS, LIMITS),
        ("what do I do with a customer on my way home after my last dinner with them?", LIMITS, LIMITS),
    ],
)
def test_an_item_about_less_of_the_question_than_its_neighbour_goes(question: str, text: str, left: str) -> None:
    assert without_strangers(question, text, chunk(f"## Care\n\n{text}\n\nAsk Dot.")) == left


def test_a_part_of_a_list_is_held_against_the_whole_of_it() -> None:
    assert without_strangers("lost laptop", BROKEN, chunk(CARE)) == ""
    assert without_strangers("lost laptop", "The first one is on us.", chunk(CARE)) == ""
    assert without_strangers("how much is a hotel?", f"{DINNER}\n{CREW}", chunk(LIMITS)) == ""
    assert without_strangers("a crew dinner?", f"{HEAD}\n{HOTEL}\n{BREAKFAST}", chunk(LIMITS)) == ""
    assert without_strangers("lost laptop", "not from there", chunk(CARE)) == "not from there"


def test_the_item_for_which_its_neighbours_go_is_known() -> None:
    assert stands_out("lost laptop", LOST, chunk(CARE))
    assert not stands_out("lost laptop", BROKEN, chunk(CARE))
    assert not stands_out("my laptop got nicked", LOST, chunk(CARE))


def test_lists_apart_and_code_are_no_neighbours() -> None:
    apart = "- Broken: bring it.\n\nAnd then:\n\n- Lost: call."
    assert without_strangers("lost laptop", apart, chunk(apart)) == apart
    code = "- Lost: call.\n\n```\n- broken: 1\n```"
    assert without_strangers("lost laptop", code, chunk(code)) == code


def test_whether_an_item_says_that_it_is_about_all_that_was_asked() -> None:
    assert names_all("my laptop is lost", "- Laptop, phone or key lost or stolen: extension 4499.")
    assert names_all("what is MDM?", "| Short | Long |\n|---|---|\n| MDM | Mobile Device Management |")
    assert not names_all("my laptop is lost", CARE)
    assert not names_all("what is it?", CARE)
