"""Text as every stage sees it."""

from __future__ import annotations

import pytest

from crag.text import clean, content_words, has_words, sentences, stem


def cut(text: str) -> list[str]:
    for piece in (found := sentences(text)):
        assert text[slice(*piece.span)] == piece.text
    return [piece.text for piece in found]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Use no. 5. Is it new? No. Not at all.", ["Use no. 5.", "Is it new?", "No.", "Not at all."]),
        ("Ask Dr. Pell, e.g. by mail. Then wait.", ["Ask Dr. Pell, e.g. by mail.", "Then wait."]),
        ("Am 30. Juni verfallen sie. Danach nicht.", ["Am 30. Juni verfallen sie.", "Danach nicht."]),
        ("1. Tell git.\n2. Sign it.", ["1. Tell git.", "2. Sign it."]),
        ("You need:\n- a pass\n- a key", ["You need:", "- a pass", "- a key"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "|---|---|", "| 1 | 2 |"]),
        ("Heading\n\nText goes\non here.", ["Heading", "Text goes\non here."]),
        ("It costs 3.50 EUR. OK?", ["It costs 3.50 EUR.", "OK?"]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_text_is_cut_into_sentences_items_and_rows(text: str, pieces: list[str]) -> None:
    assert cut(text) == pieces


def test_a_code_fence_stays_one_piece() -> None:
    fence = "```sh\nmake. Then run.\n\nmake test\n```"
    assert cut(f"Run this:\n\n{fence}\n\nDone.") == ["Run this:", fence, "Done."]


@pytest.mark.parametrize("text", ["```\nnever closed", "~~~", "." * 500, "| " * 500, "? " * 500])
def test_strange_text_is_cut_without_loss_of_words(text: str) -> None:
    assert "".join("".join(cut(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("pay\u200bload\ufeff", "payload"),
        ("a\U000e0041b", "ab"),
        ("left\u202eright", "leftright"),
        ("bell\x07 and\x1b[31m", "bell and[31m"),
        ("a\r\nb\rc\td", "a\nb\nc\td"),
        ("e\u0301", "é"),
        ("half \ud83d pair", "half  pair"),
        ("👩\u200d🚀 有給", "👩🚀 有給"),
        ("le\u200eft\u200f \u061cin\u2061vis\u2064ible", "left invisible"),
        ("fil\u3164ler\u115f, jo\u034fin, select\ufe0f", "filler, join, select"),
        ("\u0600 ٤٢", "\u0600 ٤٢"),
    ],
)
def test_what_a_reader_can_not_see_is_dropped(text: str, seen: str) -> None:
    assert clean(text) == seen


@pytest.mark.parametrize(("one", "other"), [("days", "day"), ("expensed", "expense"), ("policies", "policy")])
def test_a_stem_joins_the_forms_of_a_word(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["is", "bus", "2024", "q3s", "dies"])
def test_a_stem_is_never_shorter_than_three_letters(word: str) -> None:
    assert len(stem(word)) >= min(3, len(word))


def test_content_words_leave_out_what_carries_no_meaning() -> None:
    assert content_words("How many days of Holiday, and which holidays?") == ["day", "holiday"]


@pytest.mark.parametrize(("text", "found"), [("?!", False), ("🦊", False), ("", False), ("7", True), ("有", True)])
def test_words_are_letters_or_digits(text: str, found: bool) -> None:
    assert has_words(text) is found
