"""Every sentence against the evidence it cites: what stands there stays, what doesn't goes."""

from __future__ import annotations

import pytest

from crag.errors import ModelError
from crag.support import Checked, check
from crag.types import Evidence, Support
from tests.crag.scenes import chunk
from tests.fakes.models import FakeGrader

HOLIDAY = (
    "Everybody on a full-time contract has **27 days** of paid holiday in a calendar year. Up to 8 unused days move to "
    "the next year by themselves. They have to be taken by 30 June. We don't pay out unused days. The budget is "
    "1,500 EUR for the office in Porto and 900 EUR for the one in Lisbon."
)
PRICES = "| Plan | Price | Seats |\n|---|---|---|\n| Team | 12 EUR | 50 |\n| Firm | 30 EUR | no limit |"
URLAUB = "Ab dem vierten Kalendertag brauchen wir eine Bescheinigung. Bis zum 30. Juni verfallen sie nicht."


def evidence(*texts: str) -> list[Evidence]:
    return [Evidence(n, chunk(t, f"page {n}"), t, 0.9) for n, t in enumerate(texts, 1)]


async def checked(answer: str, *texts: str, score: float | None = 0.1) -> Checked:
    """The grader sees the same in everything, so that only `score` speaks for it."""
    return await check(answer, evidence(*(texts or (HOLIDAY,))), FakeGrader({"": score}))


@pytest.mark.parametrize(
    "sentence",
    [
        "Up to 8 unused days move to the next year by themselves.",
        "up to 8 unused days move to the next year",
        "- Everybody on a full-time contract has 27 days of paid holiday",
        "Unused days have to be taken by 30 June.",
        "In a calendar year everybody on a full-time contract has twenty-seven days.",
        "The budget for the office in Porto is 1500 EUR.",
        "The office in Porto has a budget of 1.500 EUR.",
        "Yes, up to eight unused days move to the next year.",
        "No. We don't pay out unused days.",
    ],
)
async def test_what_the_passage_says_stands_without_a_model(sentence: str) -> None:
    result = await checked(f"{sentence} [1]")
    assert (result.support, result.text) == (Support.FULL, f"{sentence} [1]"), result.sentences


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("Everybody on a full-time contract has 28 days of paid holiday in a calendar year.", "number 28"),
        ("Everybody on a full-time contract has 30 days of paid holiday in a calendar year.", "30 of something else"),
        ("Up to nine unused days move to the next year.", "number 9"),
        ("They have to be taken by 31 June.", "number 31"),
        ("The budget is 1,500 EUR for the office in Madrid.", "doesn't name Madrid"),
        ("Everybody on a full-time contract has 8 days of paid holiday in a calendar year.", "8 of something else"),
        ("Up to 8 unused days don't move to the next year.", "negates"),
        ("We pay out unused days.", "negates"),
        ("Madrid has a budget of 1,500 EUR.", "doesn't say so"),
        ("The kitchen is cleaned every Friday by the crew.", ""),
        ("You can do this and that.", "says nothing"),
    ],
)
async def test_what_the_passage_does_not_say_goes(sentence: str, why: str) -> None:
    result = await checked(f"{sentence} [1]")
    assert (result.support, result.text) == (Support.NONE, "")
    assert why in result.sentences[0].reason


async def test_a_quote_that_leaves_the_negation_out_goes() -> None:
    result = await checked("Everybody gets 27 days [1].", "It is not true that everybody gets 27 days.")
    assert result.support is Support.NONE


@pytest.mark.parametrize(("score", "support"), [(0.9, Support.FULL), (0.3, Support.NONE), (None, Support.NONE)])
async def test_a_paraphrase_stands_if_the_grader_finds_it(score: float | None, support: Support) -> None:
    result = await checked("Colleagues with a full-time contract get 27 days of paid holiday [1].", score=score)
    assert result.support is support


async def test_the_grader_reads_the_sentences_that_matter_and_not_the_whole_passage() -> None:
    long = " ".join(f"Rule number {n} is about the kitchen." for n in range(100))
    grader = FakeGrader({"27 days": 0.9})
    text = f"{long} {HOLIDAY}"
    result = await check(
        "Colleagues with a full-time contract get 27 days of paid holiday [1].", evidence(text), grader
    )
    assert result.support is Support.FULL
    assert len(grader.calls[0][1][0]) < 500


async def test_a_confident_grader_does_not_save_foreign_words() -> None:
    assert (await checked("The canteen serves lunch at noon [1].", score=0.99)).support is Support.NONE


@pytest.mark.parametrize(
    "row",
    ["Plan: Team; Price: 12 EUR; Seats: 50", "- Plan: Firm; Price: 30 EUR; Seats: no limit", "| Team | 12 EUR | 50 |"],
)
async def test_a_quoted_table_row_stands(row: str) -> None:
    assert (await checked(f"{row} [1]", PRICES)).support is Support.FULL


@pytest.mark.parametrize(
    ("sentence", "support"),
    [
        ("Ab dem vierten Kalendertag brauchen wir eine Bescheinigung.", Support.FULL),
        ("Wir brauchen eine Bescheinigung ab dem vierten Kalendertag.", Support.FULL),
        ("Bis zum 30. Juni verfallen sie.", Support.NONE),
        ("Bis zum 31. Juni verfallen sie nicht.", Support.NONE),
    ],
)
async def test_german_is_checked_as_well(sentence: str, support: Support) -> None:
    assert (await checked(f"{sentence} [1]", URLAUB)).support is support


async def test_a_date_may_be_written_out() -> None:
    assert (await checked("It holds from 6 January 2025 [1].", "It holds from 2025-01-06.")).support is Support.FULL


async def test_only_what_fails_is_dropped() -> None:
    first, bad, last = (
        "Up to 8 unused days move to the next year [1].",
        "Contractors get 40 [1].",
        "We don't pay out unused days [1].",
    )
    result = await checked(f"{first} {bad}\n\n{last}")
    assert result.support is Support.PARTIAL
    assert result.text == f"{first} {last}"
    assert [s.supported for s in result.sentences] == [True, False, True]


async def test_a_mark_after_the_full_stop_belongs_to_the_sentence_before_it() -> None:
    result = await checked(
        f"{HOLIDAY.split('. ')[0]}. [1] Desks are booked in Roost. [2]", HOLIDAY, "Desks are booked in Roost."
    )
    assert [s.cites for s in result.sentences] == [(1,), (2,)]
    assert result.support is Support.FULL


async def test_a_sentence_without_a_mark_shares_that_of_its_paragraph() -> None:
    other = "Desks are booked in Roost."
    text = f"Up to 8 unused days move to the next year. They have to be taken by 30 June [1].\n\n{other} [2]"
    result = await checked(text, HOLIDAY, other)
    assert [s.cites for s in result.sentences] == [(1,), (1,), (2,)]
    assert result.support is Support.FULL


async def test_a_paragraph_without_a_mark_may_stand_in_either_neighbour() -> None:
    other = "Desks are booked in Roost."
    text = f"We don't pay out unused days. [1]\n\nThey have to be taken by 30 June.\n\n{other} [2]"
    result = await checked(text, HOLIDAY, other)
    assert [s.cites for s in result.sentences] == [(1,), (1,), (2,)]
    assert result.support is Support.FULL


async def test_the_number_of_a_list_item_is_no_fact() -> None:
    text = "4. Up to 8 unused days move to the next year [1].\n5. They have to be taken by 30 June [1]."
    assert (await checked(text)).support is Support.FULL


async def test_a_list_shares_the_mark_at_its_end() -> None:
    text = "You need:\n\n- a pass for the door\n- a key for the safe"
    result = await checked(f"{text} [1]", text)
    assert result.support is Support.FULL
    assert result.text == f"{text} [1]"


async def test_without_any_mark_nothing_is_supported() -> None:
    result = await checked("Up to 8 unused days move to the next year.")
    assert (result.support, result.cites) == (Support.NONE, ())


@pytest.mark.parametrize("text", ["", "   ", "[1]", "[1][2] [1]", "...", "a [1]", "🦊 [1]"])
async def test_nothing_is_not_supported(text: str) -> None:
    assert (await checked(text)).support is Support.NONE


async def test_a_grader_that_fails_is_heard_of() -> None:
    with pytest.raises(ModelError):
        await check(
            "Colleagues with a full-time contract get 27 days [1].",
            evidence(HOLIDAY),
            FakeGrader(error=ModelError("no")),
        )


async def test_a_sentence_that_points_to_the_wrong_passage_is_moved_to_the_one_that_has_it() -> None:
    result = await checked("Everybody on a full-time contract has 27 days of paid holiday [2].", HOLIDAY, PRICES)
    assert result.support is Support.FULL
    assert result.text == "Everybody on a full-time contract has 27 days of paid holiday. [1]"
    assert "cited another passage" in result.sentences[0].reason


async def test_a_sentence_that_no_passage_has_is_not_moved() -> None:
    assert (await checked("Everybody has 31 days of paid holiday [2].", HOLIDAY, PRICES)).support is Support.NONE


async def test_a_sentence_keeps_its_borrowed_mark_when_the_one_that_carried_it_goes() -> None:
    result = await checked("They have to be taken by 30 June. Everybody has 31 days [1].")
    assert result.text == "They have to be taken by 30 June. [1]"


@pytest.mark.parametrize(
    "answer",
    [
        "Up to 8 unused days move to the next year. [1][2]",
        "Up to 8 unused days move to the next year. [2, 1]",
        "The team plan has 50 seats. [2]\n\nUp to 8 unused days move to the next year.\n\nThe office is in Porto. [1]",
    ],
)
async def test_a_sentence_cites_only_the_passages_that_say_it(answer: str) -> None:
    result = await checked(answer, HOLIDAY, "The team plan has 50 seats.")
    moved = next(sentence for sentence in result.sentences if "unused" in sentence.text)
    assert (moved.cites, moved.supported) == ((1,), True)
    assert "Up to 8 unused days move to the next year. [1]" in result.text
    assert "[1][2]" not in result.text


async def test_a_sentence_that_takes_two_passages_cites_both() -> None:
    result = await checked(
        "Up to 8 unused days move to the next year and the team plan has 50 seats. [1][2]",
        HOLIDAY,
        "The team plan has 50 seats.",
    )
    assert result.sentences[0].cites == (1, 2)
