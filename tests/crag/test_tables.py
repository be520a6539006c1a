"""Table rows in words."""

from __future__ import annotations

import pytest

from crag.tables import in_words, told, told_rows

PLANS = "| Plan | Price |\n|:---|---:|\n| Team | 12 EUR |\n| Firm | |"
TWO = f"{PLANS}\n\nAnd:\n\n| City | Desks |\n|---|---|\n| Porto | 38 |"


@pytest.mark.parametrize(
    ("rows", "around", "words"),
    [
        ("| Team | 12 EUR |", PLANS, "- Plan: Team; Price: 12 EUR"),
        (PLANS, PLANS, "- Plan: Team; Price: 12 EUR\n- Plan: Firm"),
        ("| Porto | 38 |", TWO, "- City: Porto; Desks: 38"),
        (
            "| Team | 12 EUR |\n| Club | 9 EUR |",
            f"{PLANS}\n| Club | 9 EUR |",
            "- Plan: Team; Price: 12 EUR\n- Plan: Club; Price: 9 EUR",
        ),
        ("| Own car | 42p | €0.32 |", "| Own car | 42p | €0.32 |\n| Present | £40 | €45 |", "- Own car: 42p, €0.32"),
        ("| Alone |", "", "- Alone"),
        ("| | Core |\n|---|---|\n| Users | 10 |", "", "- Users; Core: 10"),
        ("|---|---|", PLANS, "|---|---|"),
        ("No table | at all", PLANS, "No table | at all"),
        ("| a | b | c |", "", "- a: b, c"),
        ("| Team | 12 EUR | extra |", f"{PLANS}\n| Team | 12 EUR | extra |", "- Plan: Team; Price: 12 EUR; extra"),
    ],
)
def test_a_row_is_told_with_its_own_header(rows: str, around: str, words: str) -> None:
    assert told_rows(rows, around) == words


def test_a_table_is_told_wherever_it_stands() -> None:
    told_plans = "- Plan: Team; Price: 12 EUR\n- Plan: Firm"
    assert in_words(TWO, TWO) == f"{told_plans}\n\nAnd:\n\n- City: Porto; Desks: 38"
    assert in_words(f"Prices:\n{PLANS}\nAll net.", PLANS) == f"Prices:\n{told_plans}\nAll net."
    assert in_words("No table | at all", "") == "No table | at all"


def test_all_tables_of_a_text_are_told() -> None:
    assert told(TWO) == "- Plan: Team; Price: 12 EUR\n- Plan: Firm\n- City: Porto; Desks: 38"
    assert told("No table.") == ""
