"""One person's records: all of them out, all of them away."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.journal import open_journal
from bot.journal.database import Database
from bot.journal.people import Deleted, Who, erase, export
from crag.platform import JobPhase, Place
from crag.types import Turn
from tests.bot.journal.scenes import execute, file_of, incoming, job, reply

ANN, BOB = "U0ANN", "U0BOB"
THREAD = Place("slack", "T1", "C1", "17.5")
DIRECT = Place("slack", "T1", "D0ANN", direct=True)
SECRET = "Am I in the Zanzibar programme?"


async def fill(url: str) -> None:
    """Ann asked in a thread and in private; Bob asked in the same thread, later, and elsewhere."""
    async with open_journal(url, retention_days=90) as journal:
        by_ann = incoming(f"slack:{ANN}:1", person=ANN, text=SECRET, place=THREAD)
        unsigned = incoming(
            "k2", person=BOB, text="And me?", place=THREAD, history=(Turn(SECRET), Turn("No.", by_bot=True))
        )
        signed = replace(unsigned, history=(Turn(SECRET, author=ANN),), place=Place("slack", "T1", "C2", "18.1"))
        about = incoming("k4", person=BOB, text=f"What did <@{ANN}> say?", place=Place("slack", "T1", "C3"))
        own = incoming("k5", person=BOB, text="Who may travel?", history=(Turn("Hello", author=BOB),), place=THREAD)
        for number, asked in enumerate((by_ann, unsigned, signed, about, own), start=1):
            await journal.claim(asked.keys)
            journal.record(asked, reply(f"r{number}", asked))
        await journal.open(replace(by_ann, place=DIRECT, keys=("open-ann",)))
        await journal.open(replace(unsigned, keys=("open-bob",)))
        await journal.open(replace(own, keys=("open-own",)))
        journal.vote("r1", BOB, helpful=True)
        journal.vote("r5", ANN, helpful=False, reason="Zanzibar is missing.")
        journal.vote("r5", BOB, helpful=True)
        await journal.start_job(job("j1", JobPhase.DONE), ANN, DIRECT)
        await journal.claim([f"slack:{ANN}9:1"])


async def opened(url: str) -> Database:
    database = Database(url)
    await database.prepare()
    return database


async def test_an_export_has_all_that_a_person_asked_voted_and_started(url: str) -> None:
    await fill(url)
    database = await opened(url)
    data = await export(database, Who("slack", ANN))
    nobody = await export(database, Who("discord", ANN))
    await database.close()
    text = str(data)
    assert data["user"] == "slack:U0ANN"
    (question,) = data["questions"] if isinstance(data["questions"], list) else []
    assert (question["id"], question["text"], question["place"]["thread"]) == ("r1", SECRET, "17.5")
    assert question["reply"]["trace"]["grades"]
    assert text.count("Zanzibar is missing.") == 1
    assert "'text': 'Am I in the Zanzibar programme?', 'incoming'" in text
    assert "'job': {'id': 'j1'" in text
    assert BOB not in text
    assert [nobody[part] for part in ("questions", "unanswered", "votes", "jobs")] == [[], [], [], []]


async def test_a_deletion_leaves_no_trace_of_a_person_and_the_others_untouched(url: str) -> None:
    await fill(url)
    database = await opened(url)
    gone = await erase(database, Who("slack", ANN))
    nothing = await erase(database, Who("slack", ANN))
    await database.close()
    assert gone == Deleted(questions=1, others=3, votes=2, jobs=1)
    assert nothing == Deleted()
    async with open_journal(url, retention_days=90) as journal:
        assert [await journal.reply(f"r{number}") is not None for number in range(1, 6)] == [False] * 4 + [True]
        assert (await journal.votes("r5")).helpful == 1
        last = await journal.last_job()
        assert last
        assert (last.person, last.place, last.view.id) == ("", Place("slack", "", ""), "j1")
        assert await journal.claim([f"slack:{ANN}:1"])
        assert not await journal.claim([f"slack:{ANN}9:1"])
        assert [asked.keys for asked in await journal.pending("slack")] == [("open-own",)]


async def test_a_deletion_leaves_nothing_in_the_files(sqlite_url: str) -> None:
    await fill(sqlite_url)
    assert "Zanzibar" in contents(file_of(sqlite_url))
    async with open_journal(sqlite_url, retention_days=90) as running:
        await running.put("a", "b")
        database = await opened(sqlite_url)
        await erase(database, Who("slack", ANN))
        await database.close()
        left = contents(file_of(sqlite_url))
    assert "Zanzibar" not in left
    assert f"<@{ANN}>" not in left
    assert "Who may travel?" in left


def contents(file: Path) -> str:
    return "".join(path.read_bytes().decode("latin-1") for path in file.parent.glob(f"{file.name}*"))


@pytest.mark.parametrize("person", ["12345678901234567", "U_%", "a'b"])
async def test_an_id_is_taken_as_it_is(url: str, person: str) -> None:
    grades = tuple(replace(grade, score=0.12345678901234567) for grade in reply().trace.grades)
    scored = replace(reply("r2"), trace=replace(reply("r2").trace, grades=grades))
    async with open_journal(url, retention_days=90) as journal:
        journal.record(incoming("k1", person=person), reply("r1"))
        journal.record(incoming("k2", person=BOB), scored)
        await journal.claim(["U0X", "aXb", f"key:{person}"])
    database = await opened(url)
    assert await erase(database, Who("slack", person)) == Deleted(questions=1)
    await database.close()
    async with open_journal(url, retention_days=90) as journal:
        assert await journal.reply("r2")
        assert not await journal.claim(["U0X"])
        assert await journal.claim([f"key:{person}"])


async def test_a_record_that_cannot_be_read_is_exported_as_it_is_and_deleted(url: str) -> None:
    await fill(url)
    execute(url, "update replies set record = '{\"old\": 1}'")
    database = await opened(url)
    data = await export(database, Who("slack", ANN))
    assert "'unreadable': '{\"old\": 1}'" in str(data["questions"])
    assert await erase(database, Who("slack", ANN)) == Deleted(questions=1, others=2, votes=3, jobs=1)
    await database.close()
