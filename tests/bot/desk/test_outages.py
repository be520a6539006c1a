"""A platform that can't be reached for a while."""

import asyncio

import pytest

from bot.desk import delivering
from crag.errors import ScreenUnreachable
from tests.bot.desk.house import open_house
from tests.fakes.journal import FakeJournal
from tests.fakes.platform import FakeScreen, asking

AWAY = ScreenUnreachable("Slack can't be reached.")


async def test_a_reply_is_shown_when_the_platform_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "FIRST_PAUSE_S", 0.01)
    screen = FakeScreen(failures=[AWAY, TimeoutError(), AWAY])
    async with open_house() as house:
        await house.ask(asking("Who?"), screen)
        assert len(screen.replies) == 1
        assert house.journal.kept.open == {}
        assert house.metric("candor_unshown_total", platform="slack") == 0


async def test_a_reply_that_hangs_is_shown_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hanging(FakeScreen):
        async def reply(self, reply: object) -> None:
            self.steps.append("tried")
            if len(self.steps) < 3:
                await asyncio.sleep(60)

    monkeypatch.setattr(delivering, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(delivering, "SHOW_S", 0.01)
    screen = Hanging()
    async with open_house() as house:
        await house.ask(asking("Who?"), screen)
        assert screen.steps.count("tried") >= 2
        assert house.journal.kept.open == {}


async def test_the_next_start_answers_what_an_outage_kept_from_being_shown() -> None:
    journal = FakeJournal()
    async with open_house(journal=journal) as house:
        asked = asyncio.create_task(house.ask(asking("Who?"), FakeScreen(refusal=AWAY)))
        await asyncio.sleep(0.02)
        assert journal.kept.open
        async with asyncio.timeout(1):
            await house.desk.questions.drain(60)
            await asked
        assert journal.kept.open
    async with open_house(journal=FakeJournal(journal.kept)) as house:
        await house.desk.questions.resume(house.bot)
        await house.desk.questions.drain(5)
        assert [len(screen.replies) for screen in house.bot.screens.values()] == [1]
        assert journal.kept.open == {}


async def test_after_a_day_nobody_waits_for_the_reply_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(delivering, "PATIENCE_S", 0.05)
    async with open_house() as house:
        await house.ask(asking("Who?"), FakeScreen(refusal=AWAY))
        assert house.journal.kept.open == {}
        assert house.metric("candor_unshown_total", platform="slack") == 1


def test_the_pauses_grow_up_to_some_minutes() -> None:
    pauses = delivering._pauses()
    assert [next(pauses) for _ in range(6)] == [5, 15, 45, 135, 300, 300]
