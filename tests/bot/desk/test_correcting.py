"""What people say a reply should have been."""

from typing import Any

import pytest

from crag import wording
from crag.corrections import Correction, Truth
from crag.errors import SearchError
from crag.platform import Person, Place
from crag.types import Chunk
from tests.bot.desk.house import SERVED, House, open_house, real_app, settings
from tests.fakes.platform import ANN, CHANNEL, DIRECT, asking

NOTHING = Correction(Truth.UNANSWERABLE)


def chunk(name: str, text: str, *, url: str = "", access: str = "everyone") -> Chunk:
    title = name.rsplit("/", 1)[-1].removesuffix(".md").title()
    return Chunk(name, name, name, title, (title,), text, (0, len(text)), "h", url=url, access=frozenset({access}))


CHUNKS = [
    chunk("hr/lunch.md", "Lunch is at noon in the canteen."),
    chunk("hr/travel.md", "Trains go second class.", url="https://docs.example/travel"),
    chunk("hr/salaries.md", "Everybody earns a lot.", access="board"),
]


async def given(house: House, text: str = "When is lunch?", place: Place = CHANNEL) -> str:
    return (await house.ask(asking(text, place=place))).replies[0].trace.id


def house() -> Any:
    return open_house(app=real_app(CHUNKS))


async def test_that_nothing_answers_is_noted_and_changes_nothing_by_itself() -> None:
    async with house() as opened:
        id = await given(opened)
        told = await opened.desk.correct(id, CHANNEL, ANN, NOTHING)
        assert told.startswith("Thank you, noted: our documents have no answer to this.")
        assert "next calibration that an admin starts" in told
        assert opened.journal.kept.corrections == {(id, "slack", "U1"): (NOTHING, ())}


async def test_passages_are_noted_by_their_documents() -> None:
    async with house() as opened:
        id = await given(opened)
        told = await opened.desk.correct(id, CHANNEL, ANN, Correction(Truth.ANSWERABLE, (1,)))
        assert "the answer is in hr/lunch.md." in told
        assert opened.journal.kept.corrections[id, "slack", "U1"][1] == ("hr/lunch.md",)


@pytest.mark.parametrize(
    "named",
    [
        "hr/travel.md",
        " Travel ",
        "travel.md",
        "“HR/Travel.md”",
        "https://docs.example/travel#booking",
        "<https://docs.example/travel/>",
    ],
)
async def test_a_page_is_known_by_its_title_path_or_address(named: str) -> None:
    async with house() as opened:
        id = await given(opened)
        told = await opened.desk.correct(id, CHANNEL, ANN, Correction(Truth.ANSWERABLE, (), named))
        assert "the answer is in hr/travel.md." in told
        assert "no page" not in told


@pytest.mark.parametrize("named", ["nowhere.md", "hr/salaries.md", "Salaries", "md", "…"])
async def test_a_page_that_nobody_may_see_here_is_as_unknown_as_one_that_is_not_there(named: str) -> None:
    async with house() as opened:
        id = await given(opened)
        told = await opened.desk.correct(id, CHANNEL, ANN, Correction(Truth.ANSWERABLE, (), named))
        assert f"I see no page “{named}” here" in told
        assert opened.journal.kept.corrections[id, "slack", "U1"][1] == (named,)


async def test_an_index_that_fails_costs_the_look_and_not_the_correction() -> None:
    app = real_app(CHUNKS)
    async with open_house(app=app) as opened:
        id = await given(opened)

        def broken(operation: str) -> None:
            raise SearchError("The index is gone.")

        app.library.index.database.on_call = broken  # type: ignore[attr-defined]
        told = await opened.desk.correct(id, CHANNEL, ANN, Correction(Truth.ANSWERABLE, (1,), "other.md"))
        assert "hr/lunch.md and other.md" in told


@pytest.mark.parametrize("passages", [(), (99,)])
async def test_an_answer_has_to_stand_somewhere(passages: tuple[int, ...]) -> None:
    async with house() as opened:
        id = await given(opened)
        assert await opened.desk.correct(id, CHANNEL, ANN, Correction(Truth.ANSWERABLE, passages)) == (
            wording.NAME_WHAT_ANSWERS
        )
        assert opened.journal.kept.corrections == {}


async def test_wrong_is_noted_with_what_would_help() -> None:
    async with house() as opened:
        told = await opened.desk.correct(await given(opened), CHANNEL, ANN, Correction(Truth.UNSAID))
        assert "Should you learn what is right" in told


async def test_the_last_correction_of_a_person_counts_and_can_be_taken_back() -> None:
    async with house() as opened:
        id = await given(opened)
        await opened.desk.correct(id, CHANNEL, ANN, NOTHING)
        await opened.desk.correct(id, CHANNEL, ANN, Correction(Truth.ANSWERABLE, (1,)))
        assert len(opened.journal.kept.corrections) == 1
        assert "is gone" in await opened.desk.correct(id, CHANNEL, ANN, None)
        assert opened.journal.kept.corrections == {}
        assert "nothing to take back" in await opened.desk.correct(id, CHANNEL, ANN, None)


@pytest.mark.parametrize("person", [Person("U9", guest=True), Person("U9", external=True), Person("U9", external=None)])
async def test_whoever_gets_no_answer_corrects_none(person: Person) -> None:
    async with house() as opened:
        id = await given(opened)
        told = await opened.desk.correct(id, CHANNEL, person, NOTHING)
        assert told == opened.desk._places.refusal(CHANNEL, person)
        assert opened.journal.kept.corrections == {}


async def test_a_reply_is_corrected_only_where_it_is_seen() -> None:
    async with house() as opened:
        id = await given(opened)
        assert await opened.desk.correct(id, DIRECT, ANN, NOTHING) == wording.GONE
        assert await opened.desk.correct("unknown", CHANNEL, ANN, NOTHING) == wording.GONE
    async with open_house(settings({"channels": {"default": {"served": False}}})) as opened:
        assert await opened.desk.correct(id, CHANNEL, ANN, NOTHING) == wording.NOT_HERE


async def test_nobody_corrects_without_end() -> None:
    chosen = settings(SERVED, {"limits": {"person_per_minute": 2}})
    async with open_house(chosen, app=real_app(CHUNKS)) as opened:
        id = await given(opened)
        told = [await opened.desk.correct(id, CHANNEL, ANN, NOTHING) for _ in range(3)]
    assert ["noted" in one for one in told] == [True, True, False]
    assert "corrected twice" in told[2] or "corrected 2 times" in told[2]
