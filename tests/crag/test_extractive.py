"""The writer that quotes: an answer in the documents' own words, readable and cited."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext

import pytest

from crag.calibration import Calibration, Term
from crag.errors import ModelError
from crag.extractive import MAX_CHARACTERS, MAX_STRIPS, ExtractiveWriter
from crag.grading import Judge
from crag.ports import Embedder, Writer
from crag.strips import GAP
from crag.types import Evidence
from tests.contracts.writer import WriterContract
from tests.crag.scenes import chunk
from tests.fakes.models import FakeEmbedder, FakeGrader, Script

QUESTION = "How many days of holiday do I get?"
KITCHEN = "The kitchen is cleaned by the crew whose turn it is, every Friday at four."
DAYS = "Everybody on a full-time contract gets 27 days of holiday in a calendar year."
CARRY = "They move to the next year where they are unused, and at most eight of them."


def quoting(grader: FakeGrader, embedder: Embedder | None = None, calibration: Calibration | None = None) -> Writer:
    return ExtractiveWriter(Judge(grader, calibration or Calibration.uncalibrated()), embedder or FakeEmbedder())


class TestExtractiveWriter(WriterContract):
    def open(self) -> AbstractAsyncContextManager[Writer]:
        return nullcontext(quoting(FakeGrader()))


async def written(script: Script, *texts: str, titles: tuple[str, ...] = ()) -> str:
    titles = titles or tuple(f"Page {n}" for n in range(1, len(texts) + 1))
    pairs = enumerate(zip(texts, titles, strict=True), 1)
    evidence = [Evidence(n, chunk(text, f"p{n}", title=title), text, 0.9) for n, (text, title) in pairs]
    return "".join([piece async for piece in quoting(FakeGrader(script)).write(QUESTION, evidence)])


async def test_the_best_strip_is_quoted_and_cited() -> None:
    assert await written({"27": 0.9, "": 0.1}, f"{KITCHEN} {DAYS} {KITCHEN}") == f"{DAYS} [1]"


async def test_quotes_come_in_reading_order_with_one_mark_a_place() -> None:
    text = await written({"27": 0.88, "eight": 0.9, "Friday": 0.85}, f"{DAYS} {CARRY}", KITCHEN)
    assert text == f"{DAYS} {CARRY} [1]\n\n{KITCHEN} [2]"


async def test_every_paragraph_has_its_own_mark() -> None:
    assert await written({"": 0.9}, f"{DAYS}\n\n{KITCHEN}") == f"{DAYS} [1]\n\n{KITCHEN} [1]"


async def test_a_table_and_what_follows_it_have_a_mark_each() -> None:
    table = "| Days | Who |\n|---|---|\n| 27 | all |\n\nIt is counted by months."
    text = await written({"": 0.9}, DAYS, table)
    assert text == f"{DAYS} [1]\n\n- Days: 27; Who: all [2]\n\nIt is counted by months. [2]"


async def test_what_is_far_from_the_best_is_left_out() -> None:
    assert KITCHEN not in await written({"27": 0.9, "Friday": 0.5}, DAYS, KITCHEN)


async def test_a_strip_that_leans_on_the_one_before_brings_it_along() -> None:
    assert await written({"eight": 0.9, "": 0.1}, f"{KITCHEN} {DAYS} {CARRY}") == f"{DAYS} {CARRY} [1]"


async def test_what_the_calibration_finds_best_is_quoted_by_its_own_cosine() -> None:
    """As with passages: the embedder may know better than the grader."""
    calibration = Calibration(0.7, 0.3, terms={"logit": Term(0.3), "cosine": Term(20.0, 0.5)})
    evidence = [Evidence(1, chunk(DAYS), f"{KITCHEN} {DAYS}", 0.9)]
    writer = quoting(FakeGrader({"Friday": 0.6, "27": 0.4}), calibration=calibration)
    assert "".join([piece async for piece in writer.write(QUESTION, evidence)]) == f"{DAYS} [1]"


async def test_an_answer_stays_short() -> None:
    texts = [f"Everybody in group {n} gets {n} days of holiday a year, and no day more than that." for n in range(20)]
    text = await written({"": 0.9}, " ".join(texts))
    assert text.count("group") == MAX_STRIPS
    assert len(text) < MAX_CHARACTERS + 50


async def test_the_same_words_of_two_documents_are_quoted_once() -> None:
    assert await written({"": 0.9}, DAYS, DAYS) == f"{DAYS} [1]"


async def test_documents_that_contradict_each_other_are_both_cited() -> None:
    other = DAYS.replace("27", "25")
    many = " ".join(f"{KITCHEN[:-1]} in week {n}." for n in range(MAX_STRIPS + 2))
    titles = ("Holiday", "Kitchen", "Contracts")
    for score in (0.86, 0.1):
        text = await written({"27": 0.9, "week": 0.88, "25": score}, DAYS, many, other, titles=titles)
        assert DAYS in text
        assert f"{other} [3]" in text


async def test_an_item_about_its_neighbour_is_not_quoted_however_good_it_looks() -> None:
    text = await written({"27": 0.9, "": 0.2}, f"- Illness: {DAYS}\n- Holiday: {CARRY}")
    assert text == f"- Holiday: {CARRY} [1]"


async def test_a_side_rule_yields_to_the_rule_of_its_page_only() -> None:
    case = "If you are ill abroad, the time counts as sick leave, with a note of a doctor there."
    assert await written({"27": 0.88, "ill": 0.9, "": 0.1}, f"{case} {DAYS}") == f"{DAYS} [1]"
    assert await written({"27": 0.3, "ill": 0.9, "": 0.1}, f"{case} {DAYS}") == f"{case} [1]"
    assert await written({"27": 0.88, "ill": 0.9}, case, DAYS) == f"{case} [1]\n\n{DAYS} [2]"


async def test_the_item_that_names_all_that_was_asked_comes_first() -> None:
    named = "- Days of holiday: see Roost, where yours are counted from the day that you began."
    text = await written({"27": 0.8, "Roost": 0.1, "": 0.2}, DAYS, f"- Illness: none\n{named}")
    assert text == f"{named} [2]\n\n{DAYS} [1]"


async def test_a_superseded_document_is_not_quoted_before_a_current_one() -> None:
    titles = ("Holiday (superseded)", "Holiday")
    text = await written({"25": 0.95, "27": 0.8}, DAYS.replace("27", "25"), f"{DAYS} {KITCHEN}", titles=titles)
    assert f"{DAYS} [2]" in text


async def test_a_table_is_told_in_words() -> None:
    table = "| Days a week | Holiday |\n|---|---|\n| 5 | 27 |\n| 4 | 22 |"
    assert await written({}, table) == "- Days a week: 5; Holiday: 27\n- Days a week: 4; Holiday: 22 [1]"


async def test_a_table_behind_its_introduction_is_told_in_words_too() -> None:
    table = "| Days a week | Holiday |\n|---|---|\n| 5 | 27 |"
    told = "- Days a week: 5; Holiday: 27"
    assert await written({}, f"This is what you get:\n\n{table}") == f"This is what you get:\n\n{told} [1]"
    assert await written({}, "> " + table.replace("\n", "\n> ")) == f"{told} [1]"


async def test_headings_and_quote_signs_are_not_shown() -> None:
    assert await written({}, f"## Holiday\n\n> {DAYS}") == f"Holiday\n\n{DAYS} [1]"


async def test_what_was_refined_away_is_not_joined_over() -> None:
    text = await written({"": 0.9}, f"{DAYS}\n\n{GAP}\n\n{CARRY}")
    assert GAP not in text
    assert text == f"{DAYS} [1]\n\n{CARRY} [1]"


async def test_nothing_is_written_from_nothing() -> None:
    assert await written({}) == ""
    assert await written({}, "https://a.example ...") == ""


@pytest.mark.parametrize("score", [None, float("nan")])
async def test_grades_that_can_not_be_read_still_leave_a_quote(score: float | None) -> None:
    assert DAYS in await written({"": score}, f"{DAYS} {KITCHEN}")


async def test_a_grader_that_fails_is_heard_of() -> None:
    evidence = [Evidence(1, chunk(DAYS), f"{DAYS} {KITCHEN}", 0.9)]
    with pytest.raises(ModelError):
        [piece async for piece in quoting(FakeGrader(error=ModelError("no"))).write(QUESTION, evidence)]
