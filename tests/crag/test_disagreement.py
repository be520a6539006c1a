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
    pairs = disagreements(question, [(one.text, first)], [first, second])
    return [(a.chunk.id, b.chunk.id) for a, b in pairs]


def test_two_documents_with_different_figures_for_the_same_disagree() -> None:
    assert found(chunk(TRAVEL, "travel"), chunk(EXPENSES, "expenses")) == [("travel", "expenses")]


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
