"""What the desk relies on in a journal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import date

import pytest

from bot.desk.ports import Journal
from crag.corrections import Correction, Truth
from crag.platform import JobPhase, JobView
from tests.adapters.console.samples import answered
from tests.fakes.platform import CHANNEL, asking

Opening = Callable[[], AbstractAsyncContextManager[Journal]]
"""Opens the journal anew over the same store each time: leaving it is the end of a process."""
DAY = date(2026, 12, 1)


class JournalContract:
    """Subclasses give the fixture `opening`."""

    @pytest.fixture
    def opening(self) -> Opening:
        raise NotImplementedError

    async def test_a_question_is_claimed_once_by_any_of_its_keys_also_over_a_restart(self, opening: Opening) -> None:
        async with opening() as journal:
            assert await journal.claim(["event-1", "message-1"])
            assert not await journal.claim(["event-2", "message-1"])
        async with opening() as journal:
            assert not await journal.claim(["event-1"])
            assert await journal.claim(["event-3"])

    async def test_a_question_that_was_claimed_is_remembered_in_the_same_moment(self, opening: Opening) -> None:
        left, done = asking("Left?"), asking("Done?")
        async with opening() as journal:
            assert await journal.claim(left.keys, left)
            assert not await journal.claim(left.keys, replace(left, text="Again?"))
            assert await journal.claim(done.keys, done)
            await journal.settle(done.keys)
        for _ in range(2):
            async with opening() as journal:
                assert await journal.pending("slack") == [left]
        async with opening() as journal:
            assert await journal.pending("slack") == [left]
            await journal.settle(left.keys)
        async with opening() as journal:
            assert await journal.pending("slack") == []

    async def test_what_was_left_open_is_handed_to_the_next_process_once(self, opening: Opening) -> None:
        left, done = asking("Left?"), asking("Done?")
        async with opening() as journal:
            await journal.open(left)
            await journal.open(done)
            await journal.settle(done.keys)
            assert await journal.pending("slack") == []
        async with opening() as journal:
            assert await journal.pending("discord") == []
            assert await journal.pending("slack") == [left]
            assert await journal.pending("slack") == []

    async def test_a_reply_is_found_by_its_traces_id(self, opening: Opening) -> None:
        asked, reply = asking("Who?"), replace(answered(), trace=replace(answered().trace, id="r1"))
        async with opening() as journal:
            journal.record(asked, reply)
            assert await journal.reply("r1")
        async with opening() as journal:
            found = await journal.reply("r1")
            assert found
            assert (found.incoming, found.reply) == (asked, reply)
            assert await journal.reply("unknown") is None

    async def test_a_correction_can_be_withdrawn_once(self, opening: Opening) -> None:
        async with opening() as journal:
            await journal.correct("r1", "slack", "U1", Correction(Truth.ANSWERABLE), ("leave.md",))
        async with opening() as journal:
            assert not await journal.withdraw("r1", "slack", "U2")
            assert await journal.withdraw("r1", "slack", "U1")
            assert not await journal.withdraw("r1", "slack", "U1")

    async def test_a_job_that_was_cut_off_is_unfinished_until_it_is_settled(self, opening: Opening) -> None:
        view = JobView("j1", JobPhase.RUNNING, ("handbook",))
        async with opening() as journal:
            assert await journal.last_job() is None
            await journal.start_job(view, "UADMIN", CHANNEL)
        async with opening() as journal:
            assert [job.view for job in await journal.unfinished_jobs()] == [view]
            await journal.update_job(replace(view, phase=JobPhase.FAILED, removed_paths=("old.md",)))
            assert await journal.unfinished_jobs() == []
            last = await journal.last_job()
            assert last
            assert (last.view.phase, last.view.removed_paths) == (JobPhase.FAILED, ("old.md",))

    async def test_counters_and_texts_outlive_the_process(self, opening: Opening) -> None:
        async with opening() as journal:
            journal.bump("calls", DAY)
            journal.bump("calls", DAY, 2)
            assert await journal.count("calls", DAY) == 3
            await journal.put("tree", "hash")
        async with opening() as journal:
            assert await journal.count("calls", DAY) == 3
            assert await journal.count("calls", date(2026, 12, 2)) == 0
            assert await journal.get("tree") == "hash"
            assert await journal.get("other") is None

    async def test_a_well_journal_has_lost_nothing(self, opening: Opening) -> None:
        async with opening() as journal:
            journal.vote("r1", "U1", helpful=True)
            assert (journal.lost, journal.problem) == (0, "")
