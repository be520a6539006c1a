"""Several bots on one journal, and bots that are killed."""

import asyncio
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import closing
from pathlib import Path

import pytest

from bot.journal import open_journal
from tests.bot.journal.scenes import file_of, incoming

CHECKOUT = Path(__file__).resolve().parents[3]


async def begun(url: str, what: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bot.journal.user", url, what, stdin=PIPE, stdout=PIPE, cwd=CHECKOUT
    )


async def lines(process: Process, number: int) -> list[str]:
    assert process.stdout
    async with asyncio.timeout(30):
        return [(await process.stdout.readline()).decode().strip() for _ in range(number)]


async def test_bots_that_start_at_once_on_no_database_are_all_well(url: str) -> None:
    bots = [await begun(url, "start") for _ in range(3)]
    assert [await lines(bot, 1) for bot in bots] == [["well"]] * 3
    assert [await bot.wait() for bot in bots] == [0] * 3


async def test_two_bots_never_claim_the_same_question(url: str) -> None:
    bots = [await begun(url, "claim") for _ in range(2)]
    for bot in bots:
        await lines(bot, 1)
    ended = await asyncio.gather(*(bot.communicate(step) for bot, step in zip(bots, (b"1\n", b"-1\n"), strict=True)))
    outputs = [out.decode().split() for out, _ in ended]
    assert [output.pop() for output in outputs] == ["0"] * 2
    assert sorted(int(number) for output in outputs for number in output) == list(range(200))
    assert all(outputs)


@pytest.mark.parametrize("after", [1, 40])
async def test_what_a_killed_bot_had_accepted_is_known_to_the_next_at_once(url: str, after: int) -> None:
    bot = await begun(url, "work")
    done = [int(line) for line in await lines(bot, after)]
    async with open_journal(url, retention_days=90) as living:
        assert await living.pending("slack") == []
        assert await living.unfinished_jobs() == []
    bot.kill()
    assert bot.stdout
    done += [int(line) for line in (await bot.stdout.read()).decode().split()]
    await bot.wait()

    async with open_journal(url, retention_days=90) as journal:
        assert journal.problem == ""
        assert not any([await journal.claim([f"k{number}"]) for number in done])
        pending = {asked.keys[0] for asked in await journal.pending("slack")}
        assert {f"k{number}" for number in done if number % 2 == 0} <= pending
        assert incoming("k0") not in await journal.pending("slack")
        assert [job.view.id for job in await journal.unfinished_jobs()] == ["j1"]
        if after > 1:
            assert await journal.reply("r0")
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(file_of(url))) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert not list(file_of(url).parent.glob("*-run-*"))


async def test_only_the_locks_of_bots_that_were_killed_are_cleared_away(
    sqlite_url: str,
) -> None:
    async with open_journal(sqlite_url, retention_days=90):
        (living,) = file_of(sqlite_url).parent.glob("*-run-*")
        left = living.with_name("journal.db-run-1")
        left.touch()
        async with open_journal(sqlite_url, retention_days=90):
            assert not left.exists()
            assert living.exists()
    assert not living.exists()
