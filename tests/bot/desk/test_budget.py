"""The daily cap on calls of language models."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from bot.desk.budget import COUNTER, Budget, Metered
from crag.errors import LanguageModelError
from crag.types import Prompt
from tests.bot.desk.house import SERVED, FakeEngine, open_house, settings
from tests.fakes.journal import FakeJournal
from tests.fakes.language_model import ScriptedLanguageModel
from tests.fakes.platform import asking

PROMPT = Prompt("Be brief.", "Who?")
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC).timestamp()


class Clock:
    now = NOON

    def __call__(self) -> float:
        return self.now


async def test_a_call_beyond_the_cap_is_not_made() -> None:
    days: list[date] = []
    model = ScriptedLanguageModel("yes")
    metered = Metered(model, Budget(FakeJournal(), 2, days.append, now=Clock()))
    await metered.complete(PROMPT, max_tokens=5)
    assert [piece async for piece in metered.stream(PROMPT, max_tokens=5)]
    with pytest.raises(LanguageModelError, match=r"Today's limit of 2 calls"):
        await metered.complete(PROMPT, max_tokens=5)
    with pytest.raises(LanguageModelError):
        _ = [piece async for piece in metered.stream(PROMPT, max_tokens=5)]
    assert len(model.prompts) == 2
    assert set(days) == {date(2026, 12, 1)}


async def test_the_count_outlives_a_restart_and_starts_anew_at_midnight() -> None:
    journal, clock = FakeJournal(), Clock()
    await Budget(journal, 1, lambda _: None, now=clock).spend()
    again = Budget(FakeJournal(journal.kept), 1, lambda _: None, now=clock)
    assert not await again.left()
    clock.now += 12 * 3600
    assert await again.left()


async def test_calls_of_another_process_count() -> None:
    journal, clock = FakeJournal(), Clock()
    budget = Budget(journal, 10, lambda _: None, now=clock)
    await budget.spend()
    FakeJournal(journal.kept).bump(COUNTER, date(2026, 12, 1), 9)
    clock.now += 11
    assert not await budget.left()


async def test_beyond_the_cap_the_answer_is_quoted_with_a_note_and_the_admins_hear_of_it_once() -> None:
    engine = FakeEngine()
    cap: dict[str, Any] = {"limits": {"llm_calls_per_day": 0}, "slack": {"admin_channel": "CADMIN"}}
    capped = settings(SERVED, cap, {"writer": {"kind": "ollama", "model": "m"}})
    journal = FakeJournal()
    for start in range(2):
        async with open_house(capped, engine=engine, journal=FakeJournal(journal.kept)) as house:
            for number in range(2):
                screen = await house.ask(asking(f"Who {start} {number}?"))
                assert screen.answer.notes[0].startswith("Today's limit of calls to the language model is used up")
        told = house.bot.told
        assert len(told) == (1 if start == 0 else 0)
        assert engine.kinds[-2:] == [{"second": True, "llm": False}] * 2


async def test_without_a_language_model_there_is_no_cap() -> None:
    engine = FakeEngine()
    async with open_house(settings(SERVED, {"limits": {"llm_calls_per_day": 0}}), engine=engine) as house:
        assert (await house.ask(asking("Who?"))).answer.notes == ()
    assert engine.kinds[-1] == {"second": True, "llm": True}
