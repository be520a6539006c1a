"""What can be done with a reply afterwards."""

from dataclasses import replace
from typing import Any

import pytest

from crag.platform import Handover, Person, Place
from tests.bot.desk.house import SERVED, House, open_house, settings
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
        found = await house.desk.recall(id, recalled)
        assert (found is not None) is seen
        assert isinstance(await house.desk.hand_over(id, recalled, ANN), Handover) is (
            seen and recalled.platform == "slack"
        )


async def test_an_unknown_reply_is_none() -> None:
    async with open_house() as house:
        assert await house.desk.recall("unknown", CHANNEL) is None


async def test_the_last_vote_of_a_person_counts() -> None:
    async with open_house() as house:
        id = await given(house, CHANNEL)
        await house.desk.vote(id, ANN, helpful=True)
        assert "helps" in await house.desk.vote(id, ANN, helpful=False, reason="Too long.")
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
