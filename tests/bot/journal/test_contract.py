"""What the journal promises, on SQLite and on a real PostgreSQL."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from bot.journal import Votes, open_journal
from crag.errors import SettingsError
from crag.platform import JobPhase, Place
from crag.types import Courtesy, Reply, Turn
from tests.adapters.console import samples
from tests.bot.journal.scenes import CHANNEL, DAY_S, Clock, eventually, execute, incoming, job, reply, until

DAY = date(2027, 1, 15)


async def test_a_question_is_claimed_once_by_any_of_its_keys(url: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        assert journal.problem == ""
        assert await journal.claim(["event-1", "message-1"])
        assert not await journal.claim(["message-1", "event-2"])
        assert not await journal.claim(["event-2"])
        assert await journal.claim(["event-3"])
        assert journal.lost == 0


async def test_many_deliveries_at_once_give_one_answer(url: str) -> None:
    async with open_journal(url, retention_days=90) as one, open_journal(url, retention_days=90) as two:
        claims = [journal.claim(["event-1", f"delivery-{n}"]) for n in range(20) for journal in (one, two)]
        assert sum(await asyncio.gather(*claims)) == 1


async def test_a_claim_outlives_a_restart(url: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        await journal.claim(["event-1"])
    async with open_journal(url, retention_days=90) as journal:
        assert not await journal.claim(["event-1"])


@pytest.mark.parametrize("made", [samples.answered, samples.partly, samples.abstained])
async def test_a_recorded_reply_comes_back_as_it_was(url: str, made: Callable[[], Reply], clock: Clock) -> None:
    asked = incoming(history=(Turn("What about leave?", author="U2"), Turn("28 days [1].", by_bot=True)))
    async with open_journal(url, retention_days=90, clock=clock) as journal:
        journal.record(asked, made())
        found = await journal.reply("abc123")
        assert found
        assert (found.incoming, found.reply) == (asked, made())
        assert found.at == pytest.approx(clock.now, abs=1)
        assert await journal.reply("unknown") is None


async def test_small_talk_and_scores_that_are_no_numbers_come_back_too(url: str) -> None:
    grade = replace(samples.GRADES[0], score=math.nan, raw=math.inf)
    talk = Reply(samples.QUESTION, Courtesy("Hello!"), replace(samples.TRACE, id="t", grades=(grade,)))
    async with open_journal(url, retention_days=90) as journal:
        journal.record(incoming(), talk)
        found = await journal.reply("t")
        assert found
        assert found.reply.body == Courtesy("Hello!")
        assert math.isnan(found.reply.trace.grades[0].score)
        assert found.reply.trace.grades[0].raw == math.inf


@pytest.mark.parametrize("change", ["version = 2", "record = '[]'", "record = 'half a rec'"])
async def test_a_record_that_cannot_be_read_any_more_is_none(url: str, change: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        journal.record(incoming(), reply())
        assert await journal.reply("r1")
        execute(url, f"update replies set {change}")
        assert await journal.reply("r1") is None


async def test_each_person_has_one_vote_and_the_last_counts(url: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        assert await journal.votes("r1") == Votes()
        journal.vote("r1", "U1", helpful=False, reason="It is about contractors.")
        journal.vote("r1", "U2", helpful=False, reason="Outdated.")
        journal.vote("r1", "U3", helpful=True)
        journal.vote("r2", "U4", helpful=True)
        assert await journal.votes("r1") == Votes(1, 2, ("It is about contractors.", "Outdated."))
        journal.vote("r1", "U1", helpful=True)
        assert await journal.votes("r1") == Votes(2, 1, ("Outdated.",))


async def test_an_unanswered_question_is_handed_out_once_after_a_restart(url: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        first, second, done = incoming("k1"), incoming("k2", person="U2"), incoming("k3")
        for asked in (first, second, done, incoming("k4", place=Place("discord", "G", "C"))):
            await journal.open(asked)
        await journal.settle(done.keys)
        assert await journal.pending("slack") == []
    async with open_journal(url, retention_days=90) as journal, open_journal(url, retention_days=90) as other:
        found = [*await journal.pending("slack"), *await other.pending("slack")]
        assert found == [first, second]
        assert await journal.pending("slack") == []
        assert len(await other.pending("discord")) == 1


async def test_a_question_that_a_living_bot_is_answering_is_left_to_it(url: str) -> None:
    async with open_journal(url, retention_days=90) as one:
        await one.open(incoming("k1"))
        async with open_journal(url, retention_days=90) as two:
            assert await two.pending("slack") == []
            await two.open(incoming("k2"))
        assert [asked.keys[0] for asked in await one.pending("slack")] == ["k2"]


async def test_a_job_is_seen_as_it_last_was(url: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        assert await journal.last_job() is None
        await journal.start_job(job(), "U1", CHANNEL)
        await journal.update_job(replace(job(), done=7))
        last = await journal.last_job()
        assert last
        assert (last.view, last.person, last.place) == (replace(job(), done=7), "U1", CHANNEL)
        assert await journal.unfinished_jobs() == []


async def test_a_job_whose_process_ended_is_unfinished_until_it_is_settled(url: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        await journal.start_job(job("j1", JobPhase.QUEUED), "U1", CHANNEL)
        await journal.start_job(job("j2"), "U1", CHANNEL)
        await journal.start_job(job("j3"), "U1", CHANNEL)
        await journal.update_job(job("j3", JobPhase.DONE))
    async with open_journal(url, retention_days=90) as journal:
        assert [left.view.id for left in await journal.unfinished_jobs()] == ["j1", "j2"]
        await journal.update_job(job("j1", JobPhase.FAILED))
        assert [left.view.id for left in await journal.unfinished_jobs()] == ["j2"]
        last = await journal.last_job()
        assert last
        assert last.view.id == "j3"


async def test_a_daily_counter_counts_what_all_bots_do(url: str) -> None:
    async with open_journal(url, retention_days=90) as one, open_journal(url, retention_days=90) as two:
        one.bump("llm", DAY)
        one.bump("llm", DAY, by=2)
        await one.count("llm", DAY)
        two.bump("llm", DAY)
        assert await two.count("llm", DAY) == 4
        assert await one.count("llm", DAY) == 4
        assert await one.count("llm", date(2027, 1, 16)) == 0
        assert await one.count("other", DAY) == 0


async def test_a_small_text_outlives_the_process(url: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        assert await journal.get("discord.commands") is None
        await journal.put("discord.commands", "hash-1")
        await journal.put("discord.commands", "hash-2")
    async with open_journal(url, retention_days=90) as journal:
        assert await journal.get("discord.commands") == "hash-2"


async def test_what_is_older_than_the_retention_goes_and_the_rest_stays(url: str, clock: Clock) -> None:
    async with open_journal(url, retention_days=30, clock=clock) as journal:
        for number in range(450):
            journal.vote(f"old-{number}", "U1", helpful=True)
        for number in range(3):
            await journal.open(incoming(f"old-{number}"))
        await asyncio.gather(*(journal.claim([f"old-{number}"]) for number in range(450)))
        journal.record(incoming(), reply("old"))
        journal.bump("llm", DAY)
        await journal.start_job(job("old", JobPhase.DONE), "U1", CHANNEL)
        clock.now += 31 * DAY_S
        journal.record(incoming(), reply("new"))
        await journal.claim(["new"])
        assert await journal.tidy() == 2 * 450 + 3 + 3
        assert await journal.reply("old") is None
        assert await journal.votes("old-1") == Votes()
        assert await journal.last_job() is None
        assert await journal.reply("new")
    async with open_journal(url, retention_days=30, clock=clock) as journal:
        assert await journal.claim(["old-1"])
        assert not await journal.claim(["new"])
        assert await journal.pending("slack") == []


async def test_old_rows_go_by_themselves(url: str, clock: Clock) -> None:
    async with open_journal(url, retention_days=30, clock=clock) as journal:
        journal.record(incoming(), reply("old"))
        assert await journal.reply("old")
    clock.now += 31 * DAY_S
    async with open_journal(url, retention_days=30, clock=clock) as journal:
        await eventually(lambda: journal.reply("old"), None)


async def test_secrets_are_never_written(url: str) -> None:
    secret = "xoxb-123456789012-AbCdEfGhIjKl"
    asked = incoming(text=f"Is\n{secret} still valid?", history=(Turn(f"Use\tsk-{'AbCdEf' * 4}"),))
    async with open_journal(url, retention_days=90) as journal:
        await journal.open(asked)
        journal.record(asked, reply("r1", asked))
        journal.vote("r1", "U1", helpful=False, reason=f"{secret} is old")
        await journal.start_job(replace(job(), error=f"401 for {secret}"), "U1", CHANNEL)
        found, votes, started = await journal.reply("r1"), await journal.votes("r1"), await journal.last_job()
    async with open_journal(url, retention_days=90) as journal:
        pending = await journal.pending("slack")
    assert found
    assert found.incoming.text == "Is\nxox[redacted] still valid?"
    assert "AbCd" not in f"{found}{votes}{started}{pending}"
    assert len(pending) == 1


@pytest.mark.parametrize("odd", ["a\0b", "half a \ud83d pair"])
async def test_text_that_a_database_cannot_hold_costs_that_record_at_most(url: str, odd: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        journal.vote("r1", odd, helpful=True, reason=odd)
        journal.record(incoming(text=odd), reply("odd"))
        journal.record(incoming(), reply("fine"))
        assert await journal.claim([odd]) in (True, False)
        assert await journal.reply(odd) is None
        assert await journal.reply("fine")
        assert journal.problem == ""
        assert await journal.claim(["k"])


async def test_what_waits_is_written_before_the_journal_closes(url: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        for number in range(120):
            journal.record(incoming(), reply(f"r{number}"))
        assert journal.waiting == 120
    async with open_journal(url, retention_days=90) as journal:
        assert await journal.reply("r0")
        assert await journal.reply("r119")


async def test_when_too_much_waits_a_record_is_dropped_and_counted(url: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        for number in range(250):
            journal.record(incoming(), reply(f"r{number}"))
        assert journal.lost == 50
        assert await journal.claim(["k"])
        await until(lambda: journal.waiting == 0)
        assert await journal.reply("r199")
        assert await journal.reply("r200") is None


@pytest.mark.parametrize("wrong", ["mysql://a/b", "sqlite://", "sqlite:///:memory:", "journal.db", "postgresql://host"])
async def test_an_address_that_is_none_of_ours_is_named_without_its_password(wrong: str) -> None:
    with pytest.raises(SettingsError, match=r"CANDOR_JOURNAL__URL is .* must be sqlite:///PATH"):
        async with open_journal(wrong, retention_days=90):
            pass
    with pytest.raises(SettingsError) as raised:
        async with open_journal("mysql://me:hunter2@host/db", retention_days=90):
            pass
    assert "hunter2" not in str(raised.value)
