"""From raw opinions to verdicts, and to the band of a retrieval."""

from __future__ import annotations

import math

import pytest

from crag.calibration import Calibration
from crag.grading import UNREADABLE, Judge, band, explained, merged, readable, strategy
from crag.types import Band, Grade, Hit, Verdict
from tests.crag.scenes import HOLIDAY, LOWER, UPPER, chunk
from tests.fakes.models import FakeEmbedder, FakeGrader, Script

JUDGED = Calibration.uncalibrated(UPPER, LOWER)


def grade(name: str, score: float, *, raw: float | None = 0.5, title: str = "") -> Grade:
    return Grade(chunk(HOLIDAY, name, title=title), score, JUDGED.verdict(score), raw=raw)


async def graded(script: Script, *names: str, title: str = "") -> list[Grade]:
    hits = [Hit(chunk(name, name, title=title), 1.0, 0.8, "shelf") for name in names]
    return await Judge(FakeGrader(script), JUDGED).grade("holiday?", hits, "the query")


@pytest.mark.parametrize(
    ("score", "verdict"), [(0.7, "CORRECT"), (0.69, "AMBIGUOUS"), (0.3, "AMBIGUOUS"), (0.29, "INCORRECT")]
)
async def test_two_thresholds_make_three_verdicts(score: float, verdict: str) -> None:
    (one,) = await graded({"a": score}, "a")
    assert (one.verdict, one.score, one.raw, one.cosine, one.retriever, one.query) == (
        verdict, score, score, 0.8, "shelf", "the query",
    )  # fmt: skip


@pytest.mark.parametrize("raw", [None, math.nan, math.inf])
async def test_what_can_not_be_read_is_ambiguous_at_the_lower_threshold(raw: float | None) -> None:
    (one,) = await graded({"a": raw}, "a")
    assert (one.verdict, one.score, one.raw, one.reason) == (Verdict.AMBIGUOUS, LOWER, None, UNREADABLE)


async def test_all_passages_go_to_the_grader_in_one_batch() -> None:
    grader = FakeGrader()
    await Judge(grader, JUDGED).grade("q", [Hit(chunk("a", n), 1.0) for n in "abc"], "q")
    assert len(grader.calls) == 1


async def test_a_superseded_document_is_never_correct_and_says_why() -> None:
    (one,) = await graded({"a": 0.99}, "a", title="Rota (superseded)")
    assert (one.verdict, one.score) == (Verdict.AMBIGUOUS, 0.99)
    assert "no longer current" in one.reason
    (weak,) = await graded({"a": 0.1}, "a", title="Rota (superseded)")
    assert weak.verdict is Verdict.INCORRECT


async def test_a_given_text_is_graded_without_an_index() -> None:
    one = await Judge(FakeGrader({"27": 0.9}), JUDGED).passage("How much holiday?", HOLIDAY, FakeEmbedder())
    assert one.verdict is Verdict.CORRECT
    assert one.cosine is not None


def test_the_band_is_the_best_verdict_and_nothing_unreadable_lifts_it() -> None:
    assert band([]) is Band.INCORRECT
    assert band([grade("a", 0.1), grade("b", 0.5)]) is Band.AMBIGUOUS
    assert band([grade("a", 0.5), grade("b", 0.9)]) is Band.CORRECT
    assert band([grade("a", 0.1), grade("b", 0.9, raw=None)]) is Band.INCORRECT
    assert readable([grade("b", 0.9, raw=None)]) == []


def test_a_correct_chunk_counts_also_below_a_superseded_one() -> None:
    old = Grade(chunk(HOLIDAY, "old"), 0.99, Verdict.AMBIGUOUS, raw=0.99)
    assert band([old, grade("a", 0.8)]) is Band.CORRECT


def test_two_searches_are_merged_without_doubles_best_first() -> None:
    both = merged([grade("a", 0.2), grade("b", 0.5)], [grade("a", 0.9), grade("b", 0.1), grade("c", 0.6)])
    assert [(g.chunk.id, g.score) for g in both] == [("a", 0.9), ("c", 0.6), ("b", 0.5)]


def test_a_grade_that_can_be_read_replaces_one_that_can_not() -> None:
    (one,) = merged([grade("a", LOWER, raw=None)], [grade("a", 0.1)])
    assert one.raw == 0.5


def test_the_strategy_of_nothing_is_none() -> None:
    assert strategy([]) == "none"


def test_the_graders_own_reason_stays_in_front() -> None:
    assert explained(grade("a", 0.5), kept=True, why="evidence").reason == "evidence"
    told = explained(explained(grade("a", 0.5), kept=False, why="names it"), kept=True, why="evidence")
    assert (told.reason, told.kept) == ("names it; evidence", True)
