"""Chunks into strips, and back."""

from __future__ import annotations

import pytest

from crag.strips import GAP, MAX_STRIP, MIN_STRIP, recompose, strips

LONG = "The kitchen is cleaned by the crew whose turn it is, every Friday at four."
OTHER = "Desks are booked in the morning, by everybody who has none of their own."


def cut(text: str) -> list[str]:
    for strip in (found := strips(text)):
        assert text[slice(*strip.span)] == strip.text
    return [strip.text for strip in found]


def test_a_short_text_is_one_strip() -> None:
    assert cut("Ask first. Then go.") == ["Ask first. Then go."]


def test_sentences_of_some_length_stand_alone() -> None:
    assert cut(f"{LONG} {OTHER}") == [LONG, OTHER]


def test_a_short_sentence_joins_what_follows_it() -> None:
    assert cut(f"{LONG}\n\nBook ahead. {OTHER}") == [LONG, f"Book ahead. {OTHER}"]


def test_a_short_sentence_at_the_end_joins_what_stands_before_it() -> None:
    assert cut(f"{OTHER}\n\n{LONG} No excuses.") == [OTHER, f"{LONG} No excuses."]


def test_a_lists_introduction_and_a_heading_stay_with_what_they_introduce() -> None:
    intro = "Everybody who travels for more than two days has to do all of the following:"
    assert cut(f"{LONG}\n\n{intro}\n\n- {OTHER}")[1] == f"{intro}\n\n- {OTHER}"
    assert cut(f"{LONG}\n\n## {OTHER}\n\n{LONG}")[1] == f"## {OTHER}\n\n{LONG}"


def test_a_tables_header_stays_with_its_first_row() -> None:
    table = "| Plan of the customer | Price a month |\n|---|---|\n| Team | 12 EUR |"
    assert cut(f"{LONG}\n\n{table}")[1] == table


def test_nothing_is_joined_over_a_gap() -> None:
    assert cut(f"Short one.\n\n{GAP}\n\n{LONG}") == ["Short one.", LONG]


@pytest.mark.parametrize("text", ["", "?!", "word " * 400, "Ab. " * 400, "| x | y |\n" * 100, "- item\n" * 100])
def test_no_strip_is_empty_and_joined_ones_keep_the_limit(text: str) -> None:
    assert all(strip for strip in cut(text))
    assert all(len(strip) <= MAX_STRIP + MIN_STRIP for strip in cut(text) if text.startswith(("Ab.", "|", "-")))


def test_recomposed_text_is_in_reading_order_with_its_gaps_marked() -> None:
    text = f"{LONG} {OTHER} {LONG} {OTHER}"
    first, second, _, last = strips(text)
    assert recompose(text, [last, second, first]) == f"{LONG} {OTHER}\n\n{GAP}\n\n{OTHER}"
    assert recompose(text, strips(text)) == text
    assert recompose(text, []) == ""
