"""The admins are told once, and surely."""

import asyncio

from bot.desk.notices import Notices
from crag.errors import ScreenError
from tests.bot.desk.house import settings
from tests.fakes.journal import FakeJournal
from tests.fakes.platform import FakeBot

CHOSEN = settings({"slack": {"admin_channel": "CADMIN"}})


class Failing(FakeBot):
    """Can't be told anything until it is well."""

    well = False

    async def tell(self, channel: str, text: str) -> None:
        if not self.well:
            raise ScreenError("Slack can't be reached.")
        await super().tell(channel, text)


async def test_a_notice_that_could_not_be_told_is_told_on_the_next_occasion_and_then_no_more() -> None:
    bot, journal = Failing(), FakeJournal()
    notices = Notices(CHOSEN, journal, {"slack": bot}, again_s=0.01)
    notices.once("llm_calls", "2026-12-01", "The limit is used up.")
    await asyncio.sleep(0.03)
    assert bot.told == []
    bot.well = True
    for _ in range(3):
        notices.once("llm_calls", "2026-12-01", "The limit is used up.")
        await asyncio.sleep(0.03)
    assert bot.told == [("CADMIN", "The limit is used up.")]
    again = Notices(CHOSEN, FakeJournal(journal.kept), {"slack": bot})
    again.once("llm_calls", "2026-12-01", "The limit is used up.")
    await again.close()
    assert len(bot.told) == 1
    again.once("llm_calls", "2026-12-02", "The limit is used up again.")
    await again.close()
    assert len(bot.told) == 2


class Slow(FakeBot):
    """Takes a moment, in which others look too."""

    async def tell(self, channel: str, text: str) -> None:
        await asyncio.sleep(0.02)
        await super().tell(channel, text)


async def test_of_two_processes_at_the_same_moment_one_tells_it() -> None:
    journal, bots = FakeJournal(), [Slow(), Slow()]
    both = [Notices(CHOSEN, FakeJournal(journal.kept), {"slack": bot}, again_s=0.03) for bot in bots]
    for _ in range(3):
        for notices in both:
            notices.once("llm_calls", "2026-12-01", "The limit is used up.")
        await asyncio.sleep(0.04)
    assert sorted(len(bot.told) for bot in bots) == [0, 1]


async def test_what_a_process_was_killed_over_another_one_tells_once() -> None:
    journal = FakeJournal()
    assert await journal.claim(["notice:llm_calls:slack:2026-12-01:0"])
    bots = [FakeBot(), FakeBot()]
    both = [Notices(CHOSEN, FakeJournal(journal.kept), {"slack": bot}, again_s=0.01) for bot in bots]
    for _ in range(5):
        for notices in both:
            notices.once("llm_calls", "2026-12-01", "The limit is used up.")
        await asyncio.sleep(0.02)
    assert sum(len(bot.told) for bot in bots) == 1


async def test_a_notice_that_a_dying_process_did_not_tell_is_told_by_the_next_one() -> None:
    journal = FakeJournal()
    for bot in (Failing(), FakeBot()):
        notices = Notices(CHOSEN, FakeJournal(journal.kept), {"slack": bot})
        notices.once("llm_calls", "2026-12-01", "The limit is used up.")
        await notices.close()
    assert bot.told == [("CADMIN", "The limit is used up.")]
