"""Refining: only the strips that pass stay."""

from __future__ import annotations

import math

from crag.calibration import Calibration
from crag.grading import Judge
from crag.refining import refined
from crag.types import Grade, Verdict
from tests.crag.scenes import LOWER, UPPER, chunk
from tests.fakes.models import FakeGrader, Script

KITCHEN = "The kitchen is cleaned by the crew whose turn it is, every Friday at four."
DAYS = "Everybody on a full-time contract gets 27 days of holiday in a calendar year."


def grade(text: str, name: str = "a") -> Grade:
    return Grade(chunk(text, name), 0.5, Verdict.AMBIGUOUS, raw=0.5)


async def cut(script: Script, *grades: Grade) -> tuple[dict[str, str], list[Grade], FakeGrader]:
    grader = FakeGrader(script)
    texts, told = await refined("holiday?", grades, Judge(grader, Calibration.uncalibrated(UPPER, LOWER)))
    return texts, told, grader


async def test_only_strips_at_or_above_the_lower_threshold_stay() -> None:
    texts, (told,), _ = await cut({"27": LOWER, "": 0.29}, grade(f"{KITCHEN} {DAYS}"))
    assert texts == {"a": DAYS}
    assert told.strips == ((KITCHEN, 0.29, False), (DAYS, LOWER, True))


async def test_a_chunk_of_one_strip_is_kept_whole_and_not_graded_again() -> None:
    texts, told, grader = await cut({"": 0.0}, grade(DAYS))
    assert (texts, told[0].strips, grader.calls) == ({}, (), [])


async def test_a_chunk_that_loses_all_its_strips_says_so_if_another_survives() -> None:
    texts, _, _ = await cut({"27": 0.9, "": 0.0}, grade(f"{KITCHEN} {DAYS}"), grade(f"{KITCHEN} {KITCHEN}", "b"))
    assert texts == {"a": DAYS, "b": ""}


async def test_if_no_strip_of_any_chunk_survives_nothing_changes() -> None:
    texts, (told,), _ = await cut({"": 0.0}, grade(f"{KITCHEN} {DAYS}"))
    assert texts == {}
    assert [kept for _, _, kept in told.strips] == [False, False]


async def test_an_item_about_what_was_asked_stays_beside_its_neighbours_however_it_was_graded() -> None:
    items = f"- Kitchen: {KITCHEN}\n- Holiday: {DAYS}"
    texts, _, _ = await cut({"Kitchen": 0.9, "": 0.1}, grade(items))
    assert texts == {"a": items}


async def test_a_strip_whose_grade_can_not_be_read_stays() -> None:
    texts, _, _ = await cut({"27": math.nan, "": 0.0}, grade(f"{KITCHEN} {DAYS}"))
    assert texts == {"a": DAYS}


async def test_all_strips_go_to_the_grader_in_one_batch() -> None:
    _, _, grader = await cut({}, grade(f"{KITCHEN} {DAYS}"), grade(f"{DAYS} {KITCHEN}", "b"))
    assert [len(passages) for _, passages in grader.calls] == [4]
