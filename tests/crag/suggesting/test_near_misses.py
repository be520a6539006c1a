"""Near misses: one thing is changed, and the change is named."""

import re

from crag.suggesting.proposals import Kind
from tests.crag.suggesting.samples import missed, passage

OFFICES = passage("You work in the Stennick or Altenbrück office. The office in Stennick opens early.", document="o.md")


def test_another_name_is_one_that_stands_beside_it() -> None:
    rule = passage("You can book 5 desks in Stennick for your team.")
    swapped = {p.question: p for p in missed(OFFICES, rule) if p.kind is Kind.OTHER_NAME}
    proposal = swapped["How many desks can I book in Altenbrück for my team?"]
    assert proposal.note == "Asks of Altenbrück what is told of Stennick."
    assert re.search(proposal.telltale, "The desks of Altenbrück")


def test_a_name_that_stands_everywhere_is_not_swapped() -> None:
    own = [passage(f"Everybody at Quillmere or Acme reads page {n}.", document=f"{n}.md") for n in range(20)]
    rule = passage("You can book 5 desks at Quillmere for your team.")
    assert not any("Acme" in p.question for p in missed(*own, rule))


def test_another_number_is_one_that_no_page_mentions() -> None:
    rule = passage("The battery of a Tellow 2 lasts for 3 years. A Tellow 4 is planned, say the Tellow people.")
    swapped = [p.question for p in missed(rule) if p.kind is Kind.OTHER_NUMBER]
    assert "How long does the battery of a Tellow 5 last?" in swapped
    assert not any("Tellow 3" in text for text in swapped)


def test_another_scope_is_a_role_a_place_or_a_year() -> None:
    rule = passage("You can request up to 240 hours of sick leave. A lost badge costs £10.")
    asked = [p.question for p in missed(rule) if p.kind in (Kind.OTHER_SCOPE, Kind.OTHER_NUMBER)]
    assert "How many hours of sick leave can I request as a contractor?" in asked
    assert any(re.fullmatch(r"How many hours of sick leave could I request in 20\d\d\?", text) for text in asked)
    assert any(re.fullmatch(r"How much does a lost badge cost in [A-Z]\w+\?", text) for text in asked)


def test_a_detail_is_asked_of_what_one_does_of_people_and_of_tools() -> None:
    page = passage(
        "To request a parking space, write to Dot. Bela Krumm helps with the forms. Roost is a tool for all of HR.",
        document="d.md",
    )
    more = passage("We use Roost, and only Roost, for this.", document="e.md")
    asked = {p.question for p in missed(page, more) if p.kind is Kind.NOT_TOLD}
    assert {
        "How long does it take to request a parking space?",
        "Can I request a parking space for a colleague?",
        "Who stands in for Bela Krumm on holiday?",
        "When was Roost introduced?",
    } <= asked


def test_a_title_in_front_is_not_swapped() -> None:
    rule = passage("You have 10 minutes to acknowledge.", "Stennick", "Alarms")
    assert not any("Altenbrück" in p.question for p in missed(OFFICES, rule))
