"""A broken database costs the record, never the answer."""

import asyncio
import logging
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url

from bot.journal import Journal, open_journal
from bot.journal.writer import RECORDS
from tests.bot.journal.scenes import CHANNEL, count, eventually, execute, file_of, incoming, job, reply, until
from tests.servers.postgres import Postgres

PATIENCE_S = 1.5
"""The longest that a question may wait for a journal that fails."""


async def answers_once(journal: Journal, key: str) -> None:
    """A question comes, twice, and is recorded: whatever the database does, soon, and answered once."""
    start = time.monotonic()
    assert await journal.claim([key])
    assert not await journal.claim([key])
    assert time.monotonic() - start < PATIENCE_S
    await journal.open(incoming(key))
    journal.record(incoming(key), reply(f"reply-{key}"))
    journal.vote(f"reply-{key}", "U1", helpful=True)
    await journal.settle(incoming(key).keys)
    assert time.monotonic() - start < 2 * PATIENCE_S


async def is_kept(journal: Journal, id: str) -> None:
    """The record comes, as soon as the machine has written what waits before it."""

    async def is_there() -> bool:
        return await journal.reply(id) is not None

    await eventually(is_there, True)


@asynccontextmanager
async def quick_loop() -> AsyncIterator[None]:
    """The event loop is never held up meanwhile."""
    longest = 0.0

    async def tick() -> None:
        nonlocal longest
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - before)

    ticking = asyncio.create_task(tick())
    try:
        yield
    finally:
        ticking.cancel()
    assert longest < 2.0  # a busy machine stalls for a second by itself; a driver that waits in the loop does for five


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Another program writes, and doesn't stop."""
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


async def test_while_another_program_locks_it_questions_are_answered_and_written_later(sqlite_url: str) -> None:
    async with open_journal(sqlite_url, retention_days=90) as journal, quick_loop():
        with locked(file_of(sqlite_url)):
            await answers_once(journal, "k1")
            await until(lambda: "locked" in journal.problem)
            await answers_once(journal, "k2")
            assert await journal.reply("reply-k1") is None
        await until(lambda: journal.problem == "")
        await is_kept(journal, "reply-k1")
        await is_kept(journal, "reply-k2")
        assert journal.lost == 0
    async with open_journal(sqlite_url, retention_days=90) as journal:
        assert not await journal.claim(["k2"])
        assert await journal.pending("slack") == []


async def test_a_start_with_a_locked_database_waits_no_longer_than_some_seconds(sqlite_url: str) -> None:
    async with open_journal(sqlite_url, retention_days=90):
        pass
    with locked(file_of(sqlite_url)):
        async with open_journal(sqlite_url, retention_days=90) as journal:
            assert "locked" in journal.problem
            await answers_once(journal, "k1")


@contextmanager
def limited_files(file: Path) -> Iterator[None]:
    """No file of this process grows beyond the size that the database has now: more can't be written."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = max(path.stat().st_size for path in file.parent.iterdir() if path.name.startswith(file.name))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_where_no_more_can_be_written_questions_are_answered_and_the_loss_is_counted(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_journal(sqlite_url, retention_days=90) as journal, quick_loop():
        await journal.claim(["before"])
        with limited_files(file_of(sqlite_url)):
            for number in range(RECORDS + 20):
                journal.record(incoming(), reply(f"r{number}"))
            await until(lambda: journal.problem != "")
            await answers_once(journal, "k1")
            assert not await journal.claim(["before"])
            assert journal.lost > 0
        await until(lambda: journal.problem == "")
        await until(lambda: journal.waiting == 0, 60.0)
        await answers_once(journal, "k2")
        await is_kept(journal, "reply-k2")
    complaints = [record for record in caplog.records if "lost so far" in record.message]
    assert len(complaints) == 1
    assert "SELECT" not in caplog.text
    assert "INSERT" not in caplog.text


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB; only root can have one."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "candor-test", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def remount(disk: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", disk], check=True)


def garble(file: Path) -> None:
    """Another program writes nonsense into it, after the first page."""
    code = "import sys, os; n = os.path.getsize(sys.argv[1]); f = open(sys.argv[1], 'r+b'); f.seek(4096); "
    subprocess.run([sys.executable, "-c", code + "f.write(b'garbage!' * ((n - 4096) // 8))", file], check=True)


def _can_mount() -> bool:
    if os.geteuid() != 0 or sys.platform != "linux":
        return False
    return subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0


if _can_mount():

    async def test_a_full_disk_costs_the_records_and_when_there_is_room_it_goes_on(small_disk: Path) -> None:
        async with open_journal(f"sqlite:///{small_disk / 'journal.db'}", retention_days=90) as journal, quick_loop():
            await journal.claim(["before"])
            filler = small_disk / "filler"
            with pytest.raises(OSError, match="No space left"):
                filler.write_bytes(bytes(1 << 21))
            for number in range(30):
                journal.record(incoming(), reply(f"r{number}"))
            await until(lambda: "full" in journal.problem)
            await answers_once(journal, "k1")
            filler.unlink()
            await until(lambda: journal.problem == "")
            await until(lambda: journal.waiting == 0)
            await is_kept(journal, "reply-k1")
            assert not await journal.claim(["before"])

    async def test_a_read_only_disk_is_said_and_survived(small_disk: Path) -> None:
        async with open_journal(f"sqlite:///{small_disk / 'journal.db'}", retention_days=90) as journal:
            await journal.claim(["before"])
        remount(small_disk, "ro")
        async with open_journal(f"sqlite:///{small_disk / 'journal.db'}", retention_days=90) as journal:
            assert "ead-only file system" in journal.problem
            await answers_once(journal, "k1")
            remount(small_disk, "rw")
            await until(lambda: journal.problem == "")
            await is_kept(journal, "reply-k1")
            assert not await journal.claim(["before"])


async def test_a_folder_that_cannot_be_is_said_and_survived(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    async with open_journal(f"sqlite:///{tmp_path}/file/journal.db", retention_days=90) as journal:
        assert str(tmp_path / "file" / "journal.db") in journal.problem
        await answers_once(journal, "k1")
        assert await journal.last_job() is None
        waiting = asyncio.create_task(journal.pending("slack"))
        (tmp_path / "file").unlink()
        await until(lambda: journal.problem == "")
        assert await waiting == []
        await is_kept(journal, "reply-k1")


@pytest.mark.parametrize("content", [b"This is no database. " * 500, b"SQLite format 3\0" + bytes(range(256)) * 40])
async def test_a_file_that_is_no_database_is_kept_and_a_new_one_begun(
    sqlite_url: str, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    file = file_of(sqlite_url)
    file.parent.mkdir()
    file.write_bytes(content)
    async with open_journal(sqlite_url, retention_days=90) as journal:
        assert journal.problem == ""
        await answers_once(journal, "k1")
        await is_kept(journal, "reply-k1")
    (kept,) = file.parent.glob("journal.db.damaged-*")
    assert kept.read_bytes() == content
    assert f"was damaged. It is kept as {kept.name}" in caplog.text


async def test_a_file_that_gets_damaged_while_it_is_used_is_kept_and_a_new_one_begun(sqlite_url: str) -> None:
    file = file_of(sqlite_url)
    async with open_journal(sqlite_url, retention_days=90) as journal:
        for number in range(100):
            journal.record(incoming(), reply(f"r{number}"))
        await is_kept(journal, "r1")
        with closing(sqlite3.connect(file)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        garble(file)
        await answers_once(journal, "k1")
        await until(lambda: bool(list(file.parent.glob("journal.db.damaged-*"))))
        await until(lambda: journal.problem == "")
        await answers_once(journal, "k2")
        await is_kept(journal, "reply-k2")
        await journal.start_job(job(), "U1", CHANNEL)
    assert count(file, "jobs") == 1


async def test_a_database_of_a_newer_candor_is_left_alone(url: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        await journal.claim(["before"])
    execute(url, "update journal_version set version_num = '9999'")
    async with open_journal(url, retention_days=90) as journal:
        assert "was written by a newer Candor" in journal.problem
        await answers_once(journal, "k1")


async def test_a_postgresql_that_goes_away_and_comes_back(postgres: Postgres, postgresql_url: str) -> None:
    url, name = postgresql_url, postgresql_url.rsplit("/", 1)[1]

    async with open_journal(url, retention_days=90) as journal, quick_loop():
        await journal.open(incoming("open"))
        postgres.execute(
            f"alter database {name} allow_connections false",
            f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'",
        )
        await answers_once(journal, "k1")
        await until(lambda: "not currently accepting connections" in journal.problem)
        assert (make_url(url).password or "?") not in journal.problem
        await answers_once(journal, "k2")
        postgres.execute(f"alter database {name} allow_connections true")
        await until(lambda: journal.problem == "")
        await eventually(lambda: _has(journal, "reply-k1"), True)
        async with open_journal(url, retention_days=90) as other:
            assert not await other.claim(["k2"])
            assert await other.pending("slack") == []


async def test_a_postgresql_that_hangs_holds_nobody_up(postgres: Postgres, postgresql_url: str) -> None:
    which = f"select pid from pg_stat_activity where datname = '{postgresql_url.rsplit('/', 1)[1]}' "
    which += "and pid not in (select pid from pg_locks where locktype = 'advisory')"
    async with open_journal(postgresql_url, retention_days=90) as journal, quick_loop():
        await journal.claim(["before"])
        hanging = [int(row[0]) for row in postgres.ask(which)]
        for pid in hanging:
            os.kill(pid, signal.SIGSTOP)
        try:
            await answers_once(journal, "k1")
            await until(lambda: "doesn't answer" in journal.problem, 20)
            await until(lambda: journal.problem == "", 20)
            await answers_once(journal, "k2")
            assert not await journal.claim(["before"])
            await is_kept(journal, "reply-k1")
        finally:
            for pid in hanging:
                os.kill(pid, signal.SIGCONT)


async def test_a_postgresql_that_is_read_only_is_survived(postgres: Postgres, postgresql_url: str) -> None:
    url, name = postgresql_url, postgresql_url.rsplit("/", 1)[1]
    async with open_journal(url, retention_days=90):
        pass
    postgres.execute(f"alter database {name} set default_transaction_read_only = on")
    async with open_journal(url, retention_days=90) as journal:
        assert "read-only transaction" in journal.problem
        await answers_once(journal, "k1")
        postgres.execute(f"alter database {name} set default_transaction_read_only = off")
        await until(lambda: journal.problem == "")
        await is_kept(journal, "reply-k1")


async def _has(journal: Journal, id: str) -> bool:
    return await journal.reply(id) is not None


async def test_an_error_that_nobody_foresaw_costs_one_record(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_journal(sqlite_url, retention_days=90) as journal:

        def refuse(*_: object) -> None:
            raise ZeroDivisionError("unforeseen")

        monkeypatch.setattr(journal._make, "vote", refuse)
        monkeypatch.setattr(journal._make, "claim", refuse)
        journal.vote("reply-k1", "U1", helpful=True)
        assert await journal.claim(["k1"])
        await until(lambda: journal.lost == 2)
        monkeypatch.undo()
        await answers_once(journal, "k2")
        await is_kept(journal, "reply-k2")
    assert "unforeseen" in caplog.text


async def test_the_end_waits_for_a_broken_database_only_some_seconds(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_journal(sqlite_url, retention_days=90):
        pass
    with locked(file_of(sqlite_url)):
        async with open_journal(sqlite_url, retention_days=90) as journal:
            journal.record(incoming(), reply())
            start = time.monotonic()
        assert time.monotonic() - start < 8
        assert journal.lost >= 1
    assert [r.levelno for r in caplog.records if "Candor ends before" in r.message] == [logging.WARNING]
