"""Reading a model's verdict: what is clear is taken, what isn't is None, and nothing is read generously."""

from __future__ import annotations

import pytest

from crag.llm.parsing import parse_judgement, parse_text, yes_probability

FENCED = '```json\n{"grade": "INCORRECT", "confidence": 0.9, "reason": "other topic"}\n```'
AFTER_PROSE = 'Sure! Here is my grade:\n{"grade": "CORRECT", "confidence": 0.9, "reason": "x"} Enjoy {!}'


@pytest.mark.parametrize(
    ("said", "score"),
    [
        ('{"grade": "CORRECT", "confidence": 1.0, "reason": "x"}', 1.0),
        ('{"grade": "CORRECT", "confidence": 0.2, "reason": "x"}', 0.6),
        ('{"grade": "AMBIGUOUS", "confidence": 1.0, "reason": "x"}', 0.5),
        ('{"grade": "INCORRECT", "confidence": 1.0, "reason": "x"}', 0.0),
        ('{"grade": "INCORRECT", "confidence": 0.4, "reason": "x"}', 0.3),
        ('{"grade": "incorrect"}', 0.0),
        ('{"grade": "CORRECT", "confidence": 90, "reason": "x"}', 0.95),
        ('{"grade": "CORRECT", "confidence": "90%"}', 0.95),
        ('{"grade": "CORRECT", "confidence": "very"}', 0.75),
        ('{"grade": "CORRECT", "confidence": -3}', 0.75),
        ('{"grade": "CORRECT", "confidence": true}', 0.75),
        ('{"grade": "CORRECT", "confidence": NaN}', 0.75),
        (FENCED, 0.05),
        (AFTER_PROSE, 0.95),
        ("INCORRECT", 0.0),
        ("**Incorrect.**", 0.0),
        ("not correct", 0.0),
        ("CORRECT", 0.75),
        ("Yes.", 0.75),
        ("ambiguous", 0.5),
        ("No", 0.0),
        ("No, not relevant.", 0.0),
        ("no – it is about parking", 0.0),
    ],
)
def test_a_clear_verdict_is_read(said: str, score: float) -> None:
    assert parse_judgement(said).score == pytest.approx(score)


@pytest.mark.parametrize(
    "said",
    [
        "",
        " \n",
        "Not supported",
        "It is CORRECT that the office opens at 9, but the passage is INCORRECT.",
        "The passage is correct about parking.",
        "Yes and no",
        "No doubt it answers",
        "Nothing here",
        "Notable: yes",
        '{"grade": "CORRECT", "conf',
        '{"grade": "CORRECT"',
        '{"grade": "INCORRECT"} {"grade": "CORRECT"}',
        '{"grade": "NOT CORRECT"}',
        '{"grade": ["CORRECT"]}',
        '{"grade": null}',
        '{"verdict": "CORRECT"}',
        '["CORRECT"]',
        "{" * 10_000,
        '{"a":' * 10_000,
        "\ufffd\x00",
    ],
)
def test_what_is_not_clear_is_unreadable_and_says_why(said: str) -> None:
    judgement = parse_judgement(said)
    assert judgement.score is None
    assert "can't read" in judgement.reason
    assert len(judgement.reason) < 150


def test_a_reason_is_kept_on_one_line_and_short() -> None:
    reason = parse_judgement('{"grade": "CORRECT", "confidence": 1, "reason": "a\\nb ' + "c" * 900 + '"}').reason
    assert reason.startswith("a b ccc")
    assert len(reason) == 200


@pytest.mark.parametrize(
    ("first_token", "score"),
    [
        ({"Yes": 0.8, "No": 0.2}, 0.8),
        ({"Yes": 0.3, " yes": 0.3, "YES": 0.1, "No": 0.2, "no": 0.1}, 0.7),
        ({"▁Yes": 0.25, "Ġno": 0.25, '"No': 0.5}, 0.25),
        ({"No": 0.99}, 0.0),
        ({"Yes": 0.6}, 1.0),
        ({"Yes": 0.4, "No": 0.1, "The": 0.5}, 0.8),
    ],
)
def test_p_yes_counts_every_spelling_of_the_two_words(first_token: dict[str, float], score: float) -> None:
    assert yes_probability(first_token) == pytest.approx(score)


@pytest.mark.parametrize(
    "first_token",
    [{}, {"The": 0.9, "Yes": 0.1}, {"Yesterday": 0.9}, {"Not": 0.9}, {"None": 1.0}, {"Yes": float("nan")}],
)
def test_p_yes_is_unknown_where_the_model_says_something_else(first_token: dict[str, float]) -> None:
    assert yes_probability(first_token) is None


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ('{"query": "paid  time\\noff"}', "paid time off"),
        ('```json\n{"query": "x"}\n```', "x"),
        ('{"query": ""}', None),
        ('{"query": 3}', None),
        ('{"query": "half', None),
        ('{"query": "a"} {"query": "b"}', None),
        ("just words", None),
        ("", None),
    ],
)
def test_a_text_field_is_read_or_none(said: str, text: str | None) -> None:
    assert parse_text(said, "query") == text
