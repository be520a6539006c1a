"""Documents that contradict each other on what was asked, and documents that only look like it."""

from __future__ import annotations

import pytest

from crag.disagreement import disagreements
from crag.types import Chunk, Evidence
from tests.crag.scenes import chunk

QUESTION = "how expensive may a hotel in the UK be per night?"
TRAVEL = "The cap for a hotel is £135 a night, breakfast included, for UK trips."
EXPENSES = "| What | UK | EU |\n|---|---|---|\n| Hotel, a night with breakfast | £120 | €140 |"


def found(one: Chunk, other: Chunk, question: str = QUESTION) -> list[tuple[str, str]]:
    first, second = (Evidence(n, c, c.text, 0.9) for n, c in enumerate((one, other), 1))
    told = disagreements(question, [(one.text, first)], [first, second])
    return [(d.one.chunk.id, d.other.chunk.id) for d in told]


def test_two_documents_with_different_figures_for_the_same_disagree() -> None:
    assert found(chunk(TRAVEL, "travel"), chunk(EXPENSES, "expenses")) == [("travel", "expenses")]


LIMITS = chunk(
    "| What | Stennick / UK | Altenbrück / rest of EU |\n|---|---|---|\n"
    "| Hotel, a night with breakfast | £120 | €140 |\n| Lunch on a trip | £14 | €16 |",
    "expenses",
    headings=("Limits",),
)
CAP = chunk(
    "The cap is £135 a night, breakfast included, for UK trips; for Altenbrück we have a rate with Gasthof Lotsenhaus "
    "(€96) and you should stay there. Trundle's chat can lift the cap by up to 30 %.",
    "travel",
    title="Business travel",
    headings=("Hotel",),
)


@pytest.mark.parametrize("question", ["how much can I spend on a hotel?", "what's the hotel limit in the UK?"])
def test_one_word_of_a_question_is_enough_where_two_statements_are_alike(question: str) -> None:
    row = "- What: Hotel, a night with breakfast; Stennick / UK: £120; Altenbrück / rest of EU: €140"
    first, second = Evidence(1, LIMITS, LIMITS.text, 0.9), Evidence(2, CAP, "Trundle's chat can lift the cap.", 0.8)
    told = disagreements(question, [(row, first)], [first, second])
    assert [(d.figure, d.other.chunk.id, d.instead) for d in told] == [("£120", "travel", "£135")]


def test_who_asks_for_one_column_is_not_told_of_another() -> None:
    assert found(CAP, LIMITS, "how much is a hotel in Altenbrück?") == []


def test_short_statements_that_share_little_are_none() -> None:
    one, other = chunk("The link works for 7 days.", "a"), chunk("A link in Inkwell is valid for 14 days.", "b")
    assert found(one, other, "for how many days is a link valid?") == []


def test_working_days_are_days() -> None:
    one = chunk("Your lead answers a request within 5 working days.", "a")
    for text, figures in (("10 days", [("5 working days", "10 days")]), ("5 days", [])):
        other = chunk(f"A lead answers requests within {text}.", "b")
        first, second = Evidence(1, one, one.text, 0.9), Evidence(2, other, other.text, 0.9)
        told = disagreements("when does my lead answer a request?", [(one.text, first)], [first, second])
        assert [(d.figure, d.instead) for d in told] == figures


def test_an_address_is_no_statement() -> None:
    one = chunk("[Staffing](https://docs.example.com/document/d/18Fx/edit) form", "a")
    other = chunk("[Terms](https://docs.example.com/document/d/93Fx/edit) form", "b")
    assert found(one, other, "where is the document with the form?") == []


def test_the_same_figure_in_another_spelling_is_none() -> None:
    same = "A hotel for UK trips is £135.00 a night at most, with breakfast."
    assert found(chunk(TRAVEL, "travel"), chunk(same, "expenses")) == []


@pytest.mark.parametrize(
    ("text", "title", "headings"),
    [
        (EXPENSES, "Travel for guests", ()),
        (EXPENSES, "Expenses (superseded)", ()),
        ("A taxi in the UK may cost £30.", "Expenses", ()),
        ("The cap for a hotel is £150 a night, breakfast included, for US trips.", "Expenses", ()),
        ("The cap for a hotel is 3 stars a night, breakfast included, for UK trips.", "Expenses", ()),
    ],
)
def test_a_sibling_an_old_page_another_matter_place_or_unit_is_none(
    text: str, title: str, headings: tuple[str, ...]
) -> None:
    assert found(chunk(TRAVEL, "travel"), chunk(text, "other", title=title, headings=headings)) == []


def test_pages_cut_from_one_pattern_describe_different_things() -> None:
    one, other = "Free lunch on Thursday, sign up 3 days ahead.", "Free lunch on Tuesday, sign up 2 days ahead."
    pattern = {"headings": ("Food",)}
    stennick, altenbrueck = (
        chunk(one, "a", title="Kiln House", **pattern),  # type: ignore[arg-type]
        chunk(other, "b", title="Speicher 4", **pattern),  # type: ignore[arg-type]
    )
    assert found(stennick, altenbrueck, "how many days ahead must I sign up for free lunch?") == []
    alone = chunk(other, "b", title="Speicher 4")
    assert found(stennick, alone, "how many days ahead must I sign up for free lunch?") == [("a", "b")]


def test_two_passages_of_one_document_are_none() -> None:
    assert found(chunk(TRAVEL, "travel"), chunk(TRAVEL.replace("135", "120"), "travel")) == []
