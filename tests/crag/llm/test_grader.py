"""The grader on a language model, with a scripted one: probabilities, stated grades, and whatever else it says."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from crag.errors import LanguageModelError
from crag.llm.grader import LLMGrader, Method
from crag.llm.prompts import GRADE_SCHEMA
from crag.llm.window import estimate_tokens
from crag.ports import Grader
from crag.text import content_words
from crag.types import Completion, Prompt
from tests.contracts.grader import GraderContract
from tests.fakes.language_model import ScriptedLanguageModel, refused_key


def by_overlap(prompt: Prompt) -> Completion:
    """P(Yes) is the share of the question's words that stand in the passage."""
    passage, _, rest = prompt.user.partition("</passage")
    asked = content_words(rest.partition("\n<question")[2].partition("</question")[0].partition(">")[2])
    found = set(content_words(passage.partition(">")[2]))
    share = min(0.95, max(0.05, len(found & set(asked)) / max(1, len(asked))))
    return Completion("Yes" if share > 0.5 else "No", finished=False, first_token={"Yes": share, "No": 1 - share})


class TestLLMGrader(GraderContract):
    @asynccontextmanager
    async def open(self) -> AsyncIterator[Grader]:
        yield LLMGrader(ScriptedLanguageModel(by_overlap, context_window=100_000))


def by_passage(**answers: str | Exception) -> ScriptedLanguageModel:
    """Answers by the word that stands in the passage."""
    return ScriptedLanguageModel(lambda prompt: next(a for word, a in answers.items() if f"\n{word}\n" in prompt.user))


async def test_each_verdict_goes_to_its_own_passage() -> None:
    model = by_passage(
        one='{"grade": "CORRECT", "confidence": 0.9, "reason": "says so"}',
        two='{"grade": "INCORRECT", "confidence": 0.9, "reason": "other topic"}',
        three="No, not relevant.",
        four='{"grade": "CORR',
        five="Sorry, I can't.",
        six='```json\n{"grade": "INCORRECT", "confidence": 1, "reason": "no"}\n```',
    )
    judged = await LLMGrader(model, method="json").grade("When?", ["one", "two", "three", "four", "five", "six"])
    assert [j.score for j in judged] == [pytest.approx(0.95), pytest.approx(0.05), 0.0, None, None, 0.0]
    assert judged[0].reason == "says so"
    assert set(map(id, model.schemas)) == {id(GRADE_SCHEMA)}


async def test_without_probabilities_the_grade_is_stated_and_after_three_that_is_remembered() -> None:
    model = ScriptedLanguageModel(
        lambda p: '{"grade": "CORRECT", "confidence": 0.8, "reason": "x"}' if "JSON" in p.user else "Yes"
    )
    grader = LLMGrader(model, concurrency=1)
    assert [j.score for j in await grader.grade("When?", ["a", "b", "c", "d"])] == [pytest.approx(0.9)] * 4
    assert len(model.prompts) == 7
    assert grader.model == "scripted (json)"


async def test_one_answer_without_probabilities_changes_nothing_for_the_next() -> None:
    odd = iter([Completion("Yes")])
    sure = Completion("Yes", first_token={"Yes": 0.9, "No": 0.1})
    stated = '{"grade": "CORRECT", "confidence": 0.8, "reason": "x"}'
    model = ScriptedLanguageModel(lambda p: stated if "JSON" in p.user else next(odd, sure))
    grader = LLMGrader(model, concurrency=1)
    assert [j.score for j in await grader.grade("When?", ["a", "b"])] == [pytest.approx(0.9)] * 2
    assert grader.model == "scripted (probability)"


async def test_a_model_that_says_neither_yes_nor_no_is_asked_for_json() -> None:
    stated = '{"grade": "INCORRECT", "confidence": 1, "reason": "x"}'
    vague = Completion("The", finished=False, first_token={"The": 0.9, "Yes": 0.1})
    model = ScriptedLanguageModel(lambda p: stated if "JSON" in p.user else vague)
    grader = LLMGrader(model, concurrency=1)
    assert [j.score for j in await grader.grade("When?", ["a", "b"])] == [0.0, 0.0]
    assert len(model.prompts) == 4


async def test_one_failed_call_leaves_its_passage_ungraded_with_the_reason() -> None:
    model = by_passage(one="CORRECT", two=refused_key())
    judged = await LLMGrader(model, method="json").grade("When?", ["one", "two"])
    assert judged[0].score == 0.75
    assert judged[1].score is None
    assert "refused the key" in judged[1].reason


@pytest.mark.parametrize("method", ["probability", "json"])
async def test_if_every_call_fails_the_failure_is_raised(method: str) -> None:
    grader = LLMGrader(ScriptedLanguageModel(refused_key()), method=method)  # type: ignore[arg-type]
    with pytest.raises(LanguageModelError, match="refused the key"):
        await grader.grade("When?", ["one", "two"])


async def test_calls_run_at_once_but_never_more_than_allowed_over_all_questions() -> None:
    model = ScriptedLanguageModel(by_overlap)
    grader = LLMGrader(model, concurrency=3)
    await asyncio.gather(*(grader.grade(f"When {n}?", [f"p{i}" for i in range(10)]) for n in range(4)))
    assert model.most_at_once == 3
    assert len(model.prompts) == 40


async def test_only_the_first_800_characters_of_a_passage_are_read() -> None:
    model = ScriptedLanguageModel(by_overlap)
    await LLMGrader(model).grade("When?", ["x" * 800 + "UNREAD"])
    assert "x" * 800 in model.prompts[0].user
    assert "UNREAD" not in model.prompts[0].user


async def test_scores_are_never_nan() -> None:
    model = ScriptedLanguageModel(Completion("Yes", first_token={"Yes": math.nan, "No": 0.9}))
    assert [j.score for j in await LLMGrader(model).grade("When?", ["a"])] == [0.0]


async def test_a_cancelled_grading_frees_its_places() -> None:
    model = ScriptedLanguageModel(by_overlap, hang=True)
    grader = LLMGrader(model, concurrency=2)
    task = asyncio.create_task(grader.grade("When?", ["a", "b", "c"]))
    for _ in range(5):
        await asyncio.sleep(0)
    assert model.running == 2
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    model.hang = False
    assert len(await grader.grade("When?", ["a", "b", "c"])) == 3


async def test_the_method_belongs_to_the_fingerprint() -> None:
    model = ScriptedLanguageModel()
    assert LLMGrader(model).model != LLMGrader(model, method="json").model


@pytest.mark.parametrize("method", ["probability", "json"])
async def test_of_a_passage_the_model_reads_what_its_window_holds(method: Method) -> None:
    sure = Completion('{"grade": "CORRECT"}', first_token={"Yes": 0.9, "No": 0.1})
    model = ScriptedLanguageModel(sure, context_window=1024)
    [judged] = await LLMGrader(model, method=method, max_characters=20_000).grade("When?", ["有給休暇 " * 3000])
    [prompt] = model.prompts
    assert judged.score
    assert 500 < estimate_tokens(prompt.system + prompt.user) < 1024
    assert ("JSON" if method == "json" else "Say only Yes or No") in prompt.user


async def test_a_question_that_fills_the_window_is_an_error_and_nothing_is_sent() -> None:
    model = ScriptedLanguageModel(context_window=1024)
    with pytest.raises(LanguageModelError, match="don't fit into the 1024 tokens"):
        await LLMGrader(model).grade("why " * 2000, ["one", "two"])
    assert not model.prompts
