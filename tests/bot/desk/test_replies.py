"""What can be done with a reply afterwards."""

from dataclasses import replace
from typing import Any

import pytest

from crag import wording
from crag.platform import Handover, Person, Place
from crag.types import Chunk, Grade, Verdict
from tests.bot.desk.house import SERVED, House, open_house, real_app, settings
from tests.fakes.journal import FakeJournal
from tests.fakes.platform import ANN, CHANNEL, DIRECT, asking

CHANNELS: dict[str, Any] = {
    "channels": {"default": {}, "slack:T1:HR": {"access": ["everyone", "hr"]}},
    "slack": {"ask_human": "CHELP", "ask_human_mention": "SHELP"},
}


async def given(house: House, place: Place) -> str:
    screen = await house.ask(asking(f"Who in {place.channel}?", place=place))
    return screen.replies[0].trace.id


@pytest.mark.parametrize(
    ("asked", "recalled", "seen"),
    [
        (CHANNEL, CHANNEL, True),
        (CHANNEL, replace(CHANNEL, thread="2.2"), True),
        (CHANNEL, replace(CHANNEL, channel="C2"), True),
        (CHANNEL, replace(CHANNEL, tenant="T2"), False),
        (CHANNEL, replace(CHANNEL, platform="discord"), False),
        (CHANNEL, DIRECT, False),
        (replace(CHANNEL, channel="HR"), CHANNEL, False),
        (replace(CHANNEL, channel="HR"), replace(CHANNEL, channel="HR"), True),
        (DIRECT, DIRECT, True),
        (DIRECT, replace(DIRECT, channel="D2"), False),
        (DIRECT, CHANNEL, False),
    ],
)
async def test_a_past_reply_is_seen_only_where_it_could_have_been_given(
    asked: Place, recalled: Place, seen: bool
) -> None:
    async with open_house(settings(CHANNELS)) as house:
        id = await given(house, asked)
        found = await house.desk.recall(id, recalled, ANN)
        assert (found != wording.GONE) is seen
        assert isinstance(await house.desk.hand_over(id, recalled, ANN), Handover) is (
            seen and recalled.platform == "slack"
        )


async def test_an_unknown_reply_is_gone() -> None:
    async with open_house() as house:
        assert await house.desk.recall("unknown", CHANNEL, ANN) == wording.GONE


@pytest.mark.parametrize("person", [Person("U9", guest=True), Person("U9", external=True), Person("U9", external=None)])
async def test_whoever_gets_no_answer_gets_nothing_from_a_button_either(person: Person) -> None:
    async with open_house(settings(CHANNELS)) as house:
        id = await given(house, CHANNEL)
        refusal = house.desk._places.refusal(CHANNEL, person)
        assert refusal
        assert await house.desk.recall(id, CHANNEL, person) == refusal
        assert await house.desk.vote(id, CHANNEL, person, helpful=True) == refusal
        assert house.journal.kept.votes == {}


@pytest.mark.parametrize(
    ("asked", "now", "seen"),
    [
        ({"access": ["everyone", "hr"]}, {"access": ["everyone", "hr", "board"]}, True),
        ({"access": ["everyone", "hr"]}, {"access": ["everyone"]}, False),
        ({}, {"corpora": ["wiki"]}, False),
        ({"corpora": ["wiki"]}, {"corpora": ["wiki", "default"]}, True),
        ({"corpora": ["wiki", "default"]}, {"corpora": ["wiki"]}, False),
        ({}, {"served": False}, False),
    ],
)
async def test_a_channel_whose_settings_were_tightened_shows_no_old_passages(
    asked: dict[str, Any], now: dict[str, Any], seen: bool
) -> None:
    before, after = (settings({"channels": {"default": one}}, {"slack": CHANNELS["slack"]}) for one in (asked, now))
    chunks = [Chunk("w", "w", "w.md", "W", ("W",), "Lunch is at noon.", (0, 17), "h", corpus="wiki")]
    async with open_house(before, app=real_app(chunks)) as house:
        screen = await house.ask(asking("When is lunch?"))
        id, journal = screen.replies[0].trace.id, FakeJournal(house.journal.kept)
    async with open_house(after, journal=journal) as house:
        assert (await house.desk.recall(id, CHANNEL, ANN) != wording.GONE) is seen
        assert isinstance(await house.desk.hand_over(id, CHANNEL, ANN), Handover) is seen
        assert ("not set up" in await house.desk.vote(id, CHANNEL, ANN, helpful=True)) is ("served" in now)


async def test_a_passage_whose_access_the_place_lacks_is_not_shown() -> None:
    secret = Chunk("p", "p", "p.md", "P", ("P",), "Lunch pay is 9 euros.", (0, 21), "h", access=frozenset({"hr"}))
    async with open_house(settings(CHANNELS)) as house:
        id = await given(house, CHANNEL)
        kept = house.journal.kept.replies[id]
        grades = (Grade(secret, 0.9, Verdict.CORRECT),)
        house.journal.kept.replies[id] = replace(
            kept, reply=replace(kept.reply, trace=replace(kept.reply.trace, grades=grades))
        )
        assert await house.desk.recall(id, CHANNEL, ANN) == wording.GONE


async def test_the_last_vote_of_a_person_counts() -> None:
    async with open_house() as house:
        id = await given(house, CHANNEL)
        await house.desk.vote(id, CHANNEL, ANN, helpful=True)
        assert "helps" in await house.desk.vote(id, CHANNEL, ANN, helpful=False, reason="Too long.")
        assert house.journal.kept.votes == {(id, "U1"): (False, "Too long.")}
        assert house.metric("candor_votes_total", vote="helpful") == 1


async def test_a_question_is_handed_to_humans_with_a_link_back() -> None:
    async with open_house(settings(CHANNELS)) as house:
        id = await given(house, CHANNEL)
        assert await house.desk.hand_over(id, CHANNEL, ANN) == Handover(
            "CHELP", "SHELP", "Who in C1?", "https://slack.example/p12"
        )
        assert "no longer have this reply" in str(await house.desk.hand_over("unknown", CHANNEL, ANN))
        assert "guest" in str(await house.desk.hand_over(id, CHANNEL, Person("U9", guest=True)))


async def test_without_a_channel_for_humans_a_sentence_says_so() -> None:
    async with open_house() as house:
        assert "No channel is set up" in str(await house.desk.hand_over(await given(house, CHANNEL), CHANNEL, ANN))


async def test_the_humans_are_not_called_without_end() -> None:
    async with open_house(settings(CHANNELS, SERVED, {"limits": {"person_per_minute": 2}})) as house:
        id = await given(house, CHANNEL)
        handed = [await house.desk.hand_over(id, CHANNEL, ANN) for _ in range(3)]
    assert [isinstance(one, Handover) for one in handed] == [True, True, False]
