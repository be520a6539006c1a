"""The small signals beside the models."""

from __future__ import annotations

import math

import pytest

from crag.features import LOGIT_LIMIT, Candidate, features, logit, set_features, stem


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
    assert not {"raw", "logit", "cosine", "set_cosine_best", "set_logit_best", "set_agree"} & set(row)


def test_words_meet_in_other_forms_and_in_the_heading() -> None:
    row = one("How do I request parental leaves?", "Parental leave\nRequests go to your lead.")
    assert row["coverage"] == 1.0


def test_the_share_of_words_counts_content_only() -> None:
    assert one("What is the refund deadline of the portal?", "The refund is made in the portal.")["coverage"] == (
        pytest.approx(2 / 3)
    )


def test_a_word_that_no_candidate_has_weighs_more_than_one_that_all_have() -> None:
    rows = features("zephyr leave", [Candidate("leave one"), Candidate("leave two"), Candidate("leave three")])
    assert rows[0]["coverage"] == 0.5
    assert rows[0]["coverage_idf"] < 0.5


def test_a_name_that_the_passage_lacks_is_counted() -> None:
    assert one("Who leads the Lisbon office?", "The Berlin office is led by Ana.")["missing_names"] == 1.0
    assert one("Who leads the Lisbon office?", "Lisbon\nThe office is led by Ana.")["missing_names"] == 0.0


def test_a_quoted_term_is_looked_for_as_it_stands() -> None:
    assert one('What does "red zone" mean?', "The zone was red.")["missing_names"] == 1.0
    assert one('What does "red zone" mean?', "The Red Zone is closed.")["missing_names"] == 0.0


def test_a_heading_in_capitals_names_nobody() -> None:
    assert one("Reset Your Admin Password", "Passwords are set again in the portal.")["missing_names"] == 0.0


def test_a_number_must_stand_there_whole() -> None:
    assert one("What changed in 2023?", "In 20231 nothing changed; 2022 was worse.")["missing_numbers"] == 1.0
    assert one("What changed in 2023?", "In 2023, all of it.")["missing_numbers"] == 0.0


@pytest.mark.parametrize(
    ("question", "without", "with_it"),
    [
        ("How many days do I get?", "You get some.", "You get 25."),
        ("When does the office close?", "It closes.", "It closes at 18:00."),
        ("Who approves travel?", "It is approved.", "Maria Silva approves it."),
    ],
)
def test_the_kind_of_answer_that_was_asked_for_is_looked_for(question: str, without: str, with_it: str) -> None:
    assert one(question, without)["wanted_kind_missing"] == 1.0
    assert one(question, with_it)["wanted_kind_missing"] == 0.0


def test_a_question_that_asks_for_no_kind_misses_none() -> None:
    assert one("Explain the travel policy", "Nothing here.")["wanted_kind_missing"] == 0.0


def test_scripts_without_spaces_are_compared_by_pairs_of_characters() -> None:
    assert (
        one("有給休暇は何日ですか", "有給休暇は二十日です")["coverage"]
        > one("有給休暇は何日ですか", "経費の精算")["coverage"]
    )


@pytest.mark.parametrize("question", ["", "?!", "🙂🙂", "the of and", "a" * 10_000, "(unclosed [ \\ *"])
def test_strange_questions_give_finite_signals(question: str) -> None:
    rows = features(question, [Candidate("Some passage.", 0.5, 0.8), Candidate("", 0.0, -1.0)])
    assert all(math.isfinite(value) for row in rows for value in row.values())


def test_the_set_knows_best_gap_and_mean_of_both_models() -> None:
    rows = features("x", [Candidate("a", 0.5, 0.9), Candidate("b", 0.5, 0.7), Candidate("c", 0.5, 0.8)])
    for row in rows:
        assert row["set_cosine_best"] == 0.9
        assert row["set_cosine_gap"] == pytest.approx(0.1)
        assert row["set_cosine_top3"] == pytest.approx(0.8)


def test_the_set_knows_whether_both_models_prefer_the_same_chunk() -> None:
    assert features("x", [Candidate("a", 0.9, 0.9), Candidate("b", 0.1, 0.7)])[0]["set_agree"] == 1.0
    assert features("x", [Candidate("a", 0.1, 0.9), Candidate("b", 0.9, 0.7)])[0]["set_agree"] == 0.0


def test_an_empty_set_has_no_signals() -> None:
    assert set_features([]) == {}


@pytest.mark.parametrize(
    ("p", "expected"), [(0.5, 0.0), (0.0, -LOGIT_LIMIT), (1.0, LOGIT_LIMIT), (1e-30, -LOGIT_LIMIT)]
)
def test_the_logit_is_finite_at_certainty(p: float, expected: float) -> None:
    assert logit(p) == expected


@pytest.mark.parametrize(
    ("a", "b"), [("requests", "requested"), ("policy", "policies"), ("Team", "teams"), ("approving", "approve")]
)
def test_forms_of_one_word_share_a_stem(a: str, b: str) -> None:
    assert stem(a) == stem(b)


def test_a_stem_keeps_three_letters() -> None:
    assert stem("is") == "is"
    assert stem("uses") == "use"
