"""What people say replies should have been, kept."""

from dataclasses import replace

from bot.journal import open_journal
from bot.journal.corrections import corrected
from bot.journal.database import Database
from bot.journal.people import Deleted, Who, erase, export, stats
from crag.corrections import Corrected, Correction, Truth
from tests.bot.journal.scenes import DAY_S, Clock, execute, incoming, reply

ANN, BOB = "U0ANN", "U0BOB"
NOTHING = Correction(Truth.UNANSWERABLE)
FOUND = Correction(Truth.ANSWERABLE, (1,), "travel.md")


async def fill(url: str) -> None:
    """Ann asked; she and Bob corrected the reply. Bob asked, and Ann corrected that."""
    async with open_journal(url, retention_days=90) as journal:
        for number, person in ((1, ANN), (2, BOB)):
            asked = incoming(f"k{number}", person=person, text=f"Question {number}?")
            journal.record(asked, reply(f"r{number}", asked))
        await journal.correct("r1", "slack", ANN, NOTHING, ())
        await journal.correct("r1", "slack", BOB, FOUND, ("leave.md", "travel.md"))
        await journal.correct("r2", "slack", ANN, NOTHING, ())


async def opened(url: str) -> Database:
    database = Database(url)
    await database.prepare()
    return database


async def kept(url: str) -> list[Corrected]:
    database = await opened(url)
    found = await corrected(database)
    await database.close()
    return found


async def test_a_correction_is_found_with_what_was_asked_and_who_says_so(url: str) -> None:
    await fill(url)
    first, second, third = await kept(url)
    assert (first.person, first.truth, first.text) == ("slack:U0ANN", Truth.UNANSWERABLE, "Question 1?")
    assert (second.person, second.sources) == ("slack:U0BOB", ("leave.md", "travel.md"))
    assert (third.text, third.tenant) == ("Question 2?", "local")


async def test_a_person_has_one_correction_of_a_reply_the_last_and_may_withdraw_it(url: str) -> None:
    await fill(url)
    async with open_journal(url, retention_days=90) as journal:
        await journal.correct("r1", "slack", ANN, FOUND, ("travel.md",))
        assert await journal.withdraw("r2", "slack", ANN)
        assert not await journal.withdraw("r2", "slack", ANN)
        assert not await journal.withdraw("r1", "discord", ANN)
    assert [(one.person, one.sources) for one in await kept(url)] == [
        ("slack:U0BOB", ("leave.md", "travel.md")),
        ("slack:U0ANN", ("travel.md",)),
    ]


async def test_a_persons_corrections_are_exported_and_deleted_with_those_of_their_questions(url: str) -> None:
    await fill(url)
    database = await opened(url)
    data = await export(database, Who("slack", ANN))
    assert isinstance(data["corrections"], list)
    assert [(one["reply"], one["truth"]) for one in data["corrections"]] == [
        ("r1", "unanswerable"),
        ("r2", "unanswerable"),
    ]
    assert (await stats(database))["corrections"] == 3
    assert await erase(database, Who("slack", ANN)) == Deleted(questions=1, corrections=3)
    assert (await stats(database))["corrections"] == 0
    await database.close()


async def test_what_is_not_known_any_more_can_not_be_corrected_any_more(url: str) -> None:
    await fill(url)
    execute(url, "delete from replies where id = 'r1'")
    assert [one.text for one in await kept(url)] == ["Question 2?"]
    execute(url, "update replies set record = '{}'")
    assert await kept(url) == []


async def test_old_corrections_are_tidied_away(url: str, clock: Clock) -> None:
    async with open_journal(url, retention_days=90, clock=clock) as journal:
        asked = incoming("k1")
        journal.record(asked, reply("r1", asked))
        await journal.correct("r1", "slack", ANN, NOTHING, ())
        clock.now += 91 * DAY_S
        assert await journal.tidy() == 2
    assert await kept(url) == []


async def test_keys_in_a_pages_name_are_blacked_out(url: str) -> None:
    await fill(url)
    async with open_journal(url, retention_days=90) as journal:
        await journal.correct("r2", "slack", BOB, FOUND, ("sk-aaaabbbbccccddddeeee",))
    assert (await kept(url))[-1].sources == ("sk-[redacted]",)


async def test_the_tenant_and_the_scope_are_the_questions(url: str) -> None:
    asked = incoming("k1")
    question = replace(reply("r1", asked).question, tenant="T9", access=frozenset({"hr"}))
    async with open_journal(url, retention_days=90) as journal:
        journal.record(asked, replace(reply("r1", asked), question=question))
        await journal.correct("r1", "slack", ANN, NOTHING, ())
    (one,) = await kept(url)
    assert (one.tenant, one.access) == ("T9", frozenset({"hr"}))
