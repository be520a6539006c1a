"""A language model's second opinion on what lies between the thresholds."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from crag.adjudication import NO_TIME, Adjudicator
from crag.calibration import Calibration
from crag.cascade import Limits
from crag.grading import OUTDATED, Judge
from crag.llm.grader import LLMGrader
from crag.ports import Grader
from crag.types import Completion, Grade, Hit, Verdict
from tests.crag.scenes import LOWER, UPPER, chunk
from tests.fakes.language_model import ScriptedLanguageModel, refused_key
from tests.fakes.models import FakeGrader, Script

JUDGED = Calibration.uncalibrated(UPPER, LOWER)
SCORES = {"good": 0.9, "open": 0.5, "weak": 0.1}


async def graded(
    second: Grader, *names: str, script: Script = SCORES, title: str = "", within_s: float | None = None
) -> Mapping[str, Grade]:
    """The verdicts by name, after the second opinion."""
    judge = Judge(FakeGrader(script), JUDGED, adjudicator=Adjudicator(second, Calibration.uncalibrated()))
    hits = [Hit(chunk(f"{name} passage", name, title=title), 1.0, 0.8) for name in names]
    ends = None if within_s is None else asyncio.get_running_loop().time() + within_s
    return {grade.chunk.id: grade for grade in await judge.grade("holiday?", hits, "q", Limits(ends=ends))}


def says(yes: float, *, hang: bool = False) -> LLMGrader:
    said = Completion("Yes", first_token={"Yes": yes, "No": 1 - yes})
    return LLMGrader(ScriptedLanguageModel(said, hang=hang))


async def test_only_what_the_grader_leaves_open_is_asked_about() -> None:
    second = FakeGrader({"": 0.9})
    grades = await graded(second, "good", "open", "weak")
    assert [passages for _, passages in second.calls] == [("Open\nopen passage",)]
    assert [grades[name].verdict for name in ("good", "open", "weak")] == ["CORRECT", "CORRECT", "INCORRECT"]
    assert grades["open"].score == 0.5
    assert [grades[name].adjudicated for name in ("good", "open", "weak")] == [None, 0.9, None]


@pytest.mark.parametrize(
    ("yes", "verdict", "reason"),
    [
        (0.7, "CORRECT", "a language model says yes (P(Yes) 0.70)"),
        (0.5, "AMBIGUOUS", "a language model isn't sure (P(Yes) 0.50)"),
        (0.29, "INCORRECT", "a language model says no (P(Yes) 0.29)"),
    ],
)
async def test_its_verdict_replaces_the_open_one_and_the_reason_says_so(yes: float, verdict: str, reason: str) -> None:
    one = (await graded(says(yes), "open"))["open"]
    assert (one.verdict.value, one.reason) == (verdict, reason)
    assert one.adjudicated == pytest.approx(yes)


async def test_what_could_not_be_read_is_not_asked_about() -> None:
    second = FakeGrader({"": 0.9})
    one = (await graded(second, "open", script={"": None}))["open"]
    assert (one.verdict, one.adjudicated, second.calls) == (Verdict.AMBIGUOUS, None, [])


async def test_a_model_that_fails_leaves_the_graders_verdict() -> None:
    one = (await graded(LLMGrader(ScriptedLanguageModel(refused_key())), "open"))["open"]
    assert (one.verdict, one.adjudicated) == (Verdict.AMBIGUOUS, None)
    assert "was asked, and gave no grade" in one.reason
    assert "refused the key" in one.reason


async def test_a_model_that_says_nothing_readable_leaves_the_graders_verdict() -> None:
    one = (await graded(LLMGrader(ScriptedLanguageModel("Well, well."), method="json"), "open"))["open"]
    assert (one.verdict, one.adjudicated) == (Verdict.AMBIGUOUS, None)
    assert "Well, well" in one.reason


async def test_a_model_that_is_late_leaves_the_graders_verdict() -> None:
    loop = asyncio.get_running_loop()
    start = loop.time()
    one = (await graded(says(0.9, hang=True), "open", within_s=0.1))["open"]
    assert loop.time() - start < 2
    assert (one.verdict, one.adjudicated, one.reason) == (Verdict.AMBIGUOUS, None, NO_TIME)


async def test_passages_are_asked_about_at_once() -> None:
    model = ScriptedLanguageModel(Completion("Yes", first_token={"Yes": 0.9, "No": 0.1}))
    await graded(LLMGrader(model, concurrency=3), *(f"open{n}" for n in range(6)))
    assert model.most_at_once == 3
    assert len(model.prompts) == 6


async def test_a_superseded_document_does_not_become_correct_by_a_second_opinion() -> None:
    one = (await graded(says(0.95), "open", title="Rota (superseded)"))["open"]
    assert one.verdict is Verdict.AMBIGUOUS
    assert one.adjudicated == pytest.approx(0.95)
    assert one.reason.endswith(OUTDATED)


async def test_the_model_is_named_by_its_grader() -> None:
    assert Adjudicator(FakeGrader(model="tiny"), JUDGED).model == "tiny"
