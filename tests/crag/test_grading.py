"""From raw opinions to verdicts, and to the band of a retrieval."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

import pytest

from crag.calibration import Calibration
from crag.cascade import Limits
from crag.errors import ModelError
from crag.features import Candidate, features
from crag.grading import OUT_OF_TIME, UNREADABLE, Judge, band, merged, readable, strategy
from crag.types import Band, Grade, Hit, Judgement, Verdict
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


def near(**cosines: float | None) -> list[Hit]:
    """Hits in the order of the search, by name and cosine."""
    return [Hit(chunk(name, name), 1.0, cosine) for name, cosine in cosines.items()]


async def test_only_the_nearest_are_graded_and_the_others_are_incorrect_and_say_why() -> None:
    grader = FakeGrader({"": 0.9})
    hits = near(a=0.7, b=0.9, c=0.8, d=0.6)
    grades = await Judge(grader, JUDGED).grade("q", hits, "the query", Limits(best=2))
    assert [passage[-1] for _, passages in grader.calls for passage in passages] == ["b", "c"]
    told = [(g.chunk.id, g.verdict, g.graded, g.raw, g.reason) for g in grades]
    beyond = (Verdict.INCORRECT, False, None, "not graded: ranked below the best 2 by similarity")
    assert told == [
        ("b", Verdict.CORRECT, True, 0.9, ""),
        ("c", Verdict.CORRECT, True, 0.9, ""),
        ("a", *beyond),
        ("d", *beyond),
    ]
    assert [(g.cosine, g.query) for g in grades[2:]] == [(0.7, "the query"), (0.6, "the query")]


@pytest.mark.parametrize("unknown", [None, math.nan])
async def test_without_a_cosine_the_order_of_the_search_decides(unknown: float | None) -> None:
    grades = await Judge(FakeGrader({"": 0.9}), JUDGED).grade("q", near(a=0.1, b=unknown, c=0.9), "q", Limits(best=2))
    assert [(g.chunk.id, g.graded) for g in grades] == [("a", True), ("b", True), ("c", False)]


async def test_when_time_runs_out_what_is_graded_counts_and_the_rest_is_incorrect() -> None:
    class Slower(FakeGrader):
        async def grade(self, question: str, passages: Sequence[str]) -> Sequence[Judgement]:
            self.delay = 30.0 if self.calls else 0.0
            return await super().grade(question, passages)

    grader = Slower({"": 0.9})
    ends = asyncio.get_running_loop().time() + 0.1
    hits = near(a=0.9, b=0.8, c=0.7, d=0.6)
    grades = await Judge(grader, JUDGED, portion=2).grade("q", hits, "q", Limits(best=3, ends=ends))
    assert asyncio.get_running_loop().time() < ends + 1
    assert [(g.chunk.id, g.verdict, g.graded) for g in grades] == [
        ("a", Verdict.CORRECT, True),
        ("b", Verdict.CORRECT, True),
        ("c", Verdict.INCORRECT, False),
        ("d", Verdict.INCORRECT, False),
    ]
    assert grades[2].reason == OUT_OF_TIME == "not graded: time ran out"
    assert grades[3].reason == "not graded: ranked below the best 3 by similarity"
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_when_time_is_over_nobody_is_asked() -> None:
    grader = FakeGrader({"": 0.9})
    ends = asyncio.get_running_loop().time()
    (grade_,) = await Judge(grader, JUDGED).grade("q", near(a=0.9), "q", Limits(ends=ends))
    assert (grade_.verdict, grade_.reason, grader.calls) == (Verdict.INCORRECT, OUT_OF_TIME, [])


async def test_what_is_not_graded_is_not_unreadable_and_lifts_nothing() -> None:
    grades = await Judge(FakeGrader({"": 0.5}), JUDGED).grade("q", near(a=0.9, b=0.8), "q", Limits(best=1))
    assert [g.chunk.id for g in readable(grades)] == ["a"]
    assert band(grades) is Band.AMBIGUOUS
    assert band(grades[1:]) is Band.INCORRECT
    assert strategy(grades) == "all"


async def test_a_call_that_fails_leaves_its_portion_unreadable_and_the_others_count() -> None:
    def script(question: str, passage: str) -> float:
        if "b" in passage:
            raise ModelError("The model hiccuped.")
        return 0.9

    one, two = await Judge(FakeGrader(script), JUDGED, portion=1).grade("q", near(a=0.9, b=0.8), "q")
    assert (one.verdict, one.graded) == (Verdict.CORRECT, True)
    assert (two.verdict, two.raw, two.graded, two.reason) == (Verdict.AMBIGUOUS, None, True, "The model hiccuped.")
    with pytest.raises(ModelError, match="hiccuped"):
        await Judge(FakeGrader(script), JUDGED, portion=1).grade("q", near(b=0.8), "q")


async def test_signals_that_compare_see_only_what_was_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def spy(question: str, candidates: Sequence[Candidate]) -> list[dict[str, float]]:
        seen.append(len(candidates))
        return features(question, candidates)

    monkeypatch.setattr("crag.grading.features", spy)
    await Judge(FakeGrader(), JUDGED, portion=1).grade("q", near(a=0.9, b=0.8, c=0.7), "q", Limits(best=2))
    assert seen == [2]


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
    assert grade("a", 0.5).explained("evidence", kept=True).reason == "evidence"
    told = grade("a", 0.5).explained("names it").explained("evidence", kept=True)
    assert (told.reason, told.kept) == ("names it; evidence", True)
