"""A bot that is stopped, and the one that starts after it."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from bot.desk import ongoing
from bot.desk import questions as room
from crag.platform import Person
from crag.types import Reply
from tests.bot.desk.house import SERVED, FakeEngine, House, open_house, settings
from tests.fakes.journal import FakeJournal
from tests.fakes.platform import FakeBot, FakeScreen, asking

LATER = "I'm restarting right now. I'll answer this when I'm back."


async def started(*work: Coroutine[Any, Any, Any]) -> list[asyncio.Task[Any]]:
    tasks = [asyncio.create_task(one) for one in work]
    await asyncio.sleep(0.02)
    return tasks


async def test_a_running_question_is_finished_before_the_end() -> None:
    engine = FakeEngine(delay_s=0.05)
    async with open_house(engine=engine) as house:
        screen = FakeScreen()
        tasks = await started(house.ask(asking("Who?"), screen))
        await house.desk.questions.drain(5)
        assert screen.replies
        await asyncio.gather(*tasks)


async def test_what_is_not_finished_is_said_so_and_answered_after_the_next_start() -> None:
    journal = FakeJournal()
    stuck = FakeEngine(gate=asyncio.Event())
    async with open_house(settings(SERVED, {"limits": {"at_once": 1}}), engine=stuck, journal=journal) as house:
        running, waiting, late = FakeScreen(), FakeScreen(), FakeScreen()
        tasks = await started(house.ask(asking("Who?"), running), house.ask(asking("Who waits?"), waiting))
        drained = asyncio.create_task(house.desk.questions.drain(0.05))
        await asyncio.sleep(0.01)
        await house.ask(asking("Who is late?"), late)
        await asyncio.gather(drained, *tasks)
        assert [screen.notices for screen in (running, waiting, late)] == [[LATER]] * 3
        assert house.metric("candor_questions_total", outcome="postponed") == 3
    async with open_house(journal=FakeJournal(journal.kept)) as house:
        await resumed(house, house.bot)
        answered = {keys[0]: screen.replies for keys, screen in house.bot.screens.items()}
        assert answered.keys() == {"Who?", "Who waits?", "Who is late?"}
        assert all(answered.values())
        assert house.journal.kept.open == {}
        assert (await house.ask(asking("Who?"))).nothing


async def resumed(house: House, bot: FakeBot) -> None:
    await house.desk.questions.resume(bot)
    await house.desk.questions.drain(5)


async def test_a_killed_bots_questions_are_answered_after_the_next_start_in_their_platform() -> None:
    journal = FakeJournal()
    await journal.claim(("Who?",))
    await journal.open(asking("Who?"))
    async with open_house(journal=FakeJournal(journal.kept)) as house:
        other = FakeBot("discord")
        await resumed(house, other)
        assert other.screens == {}
        house.desk.questions.ongoing.stopped.clear()
        await resumed(house, house.bot)
        assert house.bot.screens["Who?",].replies


NOBODY = Person("U1", guest=None, external=None)
"""As long as the platform hasn't said who it is."""


@pytest.mark.parametrize(
    ("people", "outcome"),
    [({"U1": Person("U1")}, "reply"), ({"U1": Person("U1", guest=True)}, "notice"), ({}, "")],
)
async def test_a_question_that_was_just_received_is_completed_and_then_answered_or_refused(
    people: dict[str, Person], outcome: str
) -> None:
    kept = FakeJournal().kept
    killed = asking("Who?", person=NOBODY)
    async with open_house(journal=FakeJournal(kept)) as house:
        receiving = asyncio.create_task(house.desk.receiving(killed).__aenter__())
        assert await receiving
    async with open_house(journal=FakeJournal(kept)) as house:
        house.bot.people = people
        await resumed(house, house.bot)
        screen = house.bot.screens.get(killed.keys, FakeScreen())
        assert screen.steps[-1:] == ([outcome] if outcome else [])
        assert kept.open == {}


async def test_a_channel_that_is_no_longer_served_gets_no_late_reply() -> None:
    journal = FakeJournal()
    await journal.open(asking("Who?"))
    async with open_house(settings(), journal=FakeJournal(journal.kept)) as house:
        await resumed(house, house.bot)
        assert house.bot.screens == {}
        assert journal.kept.open == {}


async def test_resuming_waits_for_the_connection() -> None:
    journal = FakeJournal()
    await journal.open(asking("Who?"))
    async with open_house(journal=FakeJournal(journal.kept)) as house:
        house.bot.connected = False
        (resuming,) = await started(house.desk.questions.resume(house.bot))
        assert house.bot.screens == {}
        house.bot.connected = True
        await resuming
        await house.desk.questions.drain(5)
        assert house.bot.screens["Who?",].replies


class Slow(FakeScreen):
    """Takes its time for a reply."""

    async def reply(self, reply: Reply) -> None:
        await asyncio.sleep(0.1)
        await super().reply(reply)


async def test_a_reply_that_is_being_shown_is_not_cut_off() -> None:
    async with open_house() as house:
        screen = Slow()
        tasks = await started(house.ask(asking("Who?"), screen))
        await house.desk.questions.drain(0.01)
        await asyncio.gather(*tasks)
    assert len(screen.replies) == 1
    assert screen.notices == []
    assert house.journal.kept.open == {}


async def test_a_screen_that_hangs_does_not_keep_the_bot_from_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hanging(FakeScreen):
        async def reply(self, reply: Reply) -> None:
            await asyncio.Event().wait()

        async def notice(self, text: str) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr(ongoing, "SHOWING_S", 0.05)
    monkeypatch.setattr(room, "NOTICE_S", 0.02)
    async with open_house() as house:
        tasks = await started(house.ask(asking("Who?"), Hanging()))
        async with asyncio.timeout(2):
            await house.desk.questions.drain(0.01)
        await asyncio.gather(*tasks)
    assert house.journal.kept.open.keys() == {("Who?",)}


async def test_grade_is_told_to_come_back_when_the_bot_stops() -> None:
    engine = FakeEngine(gate=asyncio.Event())
    async with open_house(engine=engine) as house:
        (grading,) = await started(house.desk.grade(asking("Who?")))
        await house.desk.questions.drain(0.01)
        assert await grading == await house.desk.grade(asking("Who else?"))
        assert await grading == "I'm restarting right now. Please try again in a minute."


async def test_an_adapter_that_gives_up_a_question_ends_it() -> None:
    engine = FakeEngine(gate=asyncio.Event())
    async with open_house(engine=engine) as house:
        (asked,) = await started(house.ask(asking("Who?")))
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert engine.now == 0
