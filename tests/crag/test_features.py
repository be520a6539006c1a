"""The small signals beside the models."""

from __future__ import annotations

import math

import pytest

from crag.features import LOGIT_LIMIT, Candidate, features, logit


def one(question: str, passage: str, raw: float | None = 0.5, cosine: float | None = 0.8) -> dict[str, float]:
    return features(question, [Candidate(passage, raw, cosine)])[0]


def test_no_candidates_give_no_rows() -> None:
    assert features("How many days of leave?", []) == []


def test_rows_come_in_the_order_of_the_candidates() -> None:
    rows = features("leave days", [Candidate("a", 0.1, 0.7), Candidate("b", 0.9, 0.6)])
    assert [row["raw"] for row in rows] == [0.1, 0.9]
    assert [row["cosine"] for row in rows] == [0.7, 0.6]


@pytest.mark.parametrize("unknown", [None, math.nan])
def test_an_unknown_signal_is_left_out_and_not_zero(unknown: float | None) -> None:
    row = one("leave days", "leave days", raw=unknown, cosine=unknown)
    assert not {"raw", "logit", "cosine"} & set(row)


def test_a_name_that_the_passage_lacks_is_counted() -> None:
    assert one("Who leads the Lisbon office?", "The Berlin office is led by Ana.")["missing_names"] == 1.0
    assert one("Who leads the Lisbon office?", "Lisbon\nThe office is led by Ana.")["missing_names"] == 0.0


def test_a_quoted_term_is_looked_for_as_it_stands() -> None:
    assert one('What does "red zone" mean?', "The zone was red.")["missing_names"] == 1.0
    assert one('What does "red zone" mean?', "The Red Zone is closed.")["missing_names"] == 0.0


def test_a_heading_in_capitals_names_nobody() -> None:
    assert one("Reset Your Admin Password", "Passwords are set again in the portal.")["missing_names"] == 0.0


def test_a_question_word_or_a_pronoun_names_nobody() -> None:
    assert one("If I move, What happens?", "Nothing.")["missing_names"] == 0.0


def test_a_number_must_stand_there_whole() -> None:
    assert one("What changed in 2023?", "In 20231 nothing changed; 2022 was worse.")["missing_numbers"] == 1.0
    assert one("What changed in 2023?", "In 2023, all of it.")["missing_numbers"] == 0.0


@pytest.mark.parametrize("question", ["", "?!", "🙂🙂", "the of and", "a" * 10_000, "(unclosed [ \\ *"])
def test_strange_questions_give_finite_signals(question: str) -> None:
    rows = features(question, [Candidate("Some passage.", 0.5, 0.8), Candidate("", 0.0, -1.0)])
    assert all(math.isfinite(value) for row in rows for value in row.values())


@pytest.mark.parametrize(
    ("p", "expected"), [(0.5, 0.0), (0.0, -LOGIT_LIMIT), (1.0, LOGIT_LIMIT), (1e-30, -LOGIT_LIMIT)]
)
def test_the_logit_is_finite_at_certainty(p: float, expected: float) -> None:
    assert logit(p) == expected
