"""A question's way over the desk."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.desk import receiving as room
from crag.errors import ScreenError
from crag.events import Event, Piece, Restart, Stage, State
from crag.platform import Entry, Incoming, Person, Place
from crag.types import Abstention, Reason
from tests.bot.desk.house import SERVED, WIDE, FakeEngine, open_house, settings
from tests.fakes.journal import FakeJournal
from tests.fakes.platform import ANN, CHANNEL, DIRECT, FakeScreen, asking


async def test_a_question_is_answered_recorded_and_settled() -> None:
    async with open_house() as house:
        screen = await house.ask(asking("Who?"))
    assert screen.steps[-1] == "reply"
    assert screen.replies[0].question.text == "Who?"
    assert [kept.incoming.text for kept in house.journal.kept.replies.values()] == ["Who?"]
    assert house.journal.kept.open == {}
    assert house.metric("candor_questions_total", outcome="answered") == 1
    assert house.metric("crag_actions_total", action="generate") == 1
    assert house.metric("candor_support_total", support=screen.answer.support.value) == 1


async def test_a_channel_that_is_not_configured_gets_nothing_and_costs_nothing() -> None:
    engine = FakeEngine()
    async with open_house(settings(), engine=engine) as house:
        screen = await house.ask(asking("Who?"))
        assert not house.desk.serves(CHANNEL)
        assert house.desk.serves(DIRECT)
    assert screen.nothing
    assert engine.asked == []
    assert house.journal.kept.claimed == set()


async def test_only_the_named_channel_is_served() -> None:
    named = settings({"channels": {"slack:T1:C1": {"follow_ups": True}, "direct": {"served": False}}})
    async with open_house(named) as house:
        assert house.desk.serves(CHANNEL)
        assert house.desk.follows_up(CHANNEL)
        assert not house.desk.serves(replace(CHANNEL, channel="C2"))
        assert not house.desk.serves(replace(CHANNEL, tenant="T2"))
        assert not house.desk.serves(replace(CHANNEL, platform="discord"))
        assert not house.desk.serves(DIRECT)
        assert not house.desk.follows_up(DIRECT)


async def test_a_guild_that_is_not_named_is_not_served() -> None:
    async with open_house(settings(SERVED, {"discord": {"guilds": ["G1"]}})) as house:
        assert house.desk.serves(Place("discord", "G1", "7"))
        assert not house.desk.serves(Place("discord", "G2", "7"))


async def test_what_is_delivered_twice_is_answered_once_also_over_a_restart() -> None:
    engine, journal = FakeEngine(), FakeJournal()
    twice = asking("Who?", "event-1")
    again = replace(twice, keys=("event-2", "event-1"))
    async with open_house(engine=engine, journal=journal) as house:
        first, second = await asyncio.gather(house.ask(twice), house.ask(again))
        assert first.replies
        assert second.nothing
        assert house.metric("candor_questions_total", outcome="duplicate") == 1
    async with open_house(engine=engine, journal=FakeJournal(journal.kept)) as house:
        assert (await house.ask(again)).nothing
    assert len(engine.asked) == 1


@pytest.mark.parametrize(
    ("person", "sentence"),
    [
        (Person("U1", guest=True), "you are a guest here"),
        (Person("U1", guest=None), "can't find out right now"),
        (Person("U1", external=True), "you are from another one"),
        (Person("U1", external=None), "can't find out right now"),
        (Person("U1", external=True, shared=True), "read along here"),
    ],
)
async def test_guests_and_outsiders_are_refused_with_a_sentence(person: Person, sentence: str) -> None:
    engine = FakeEngine()
    async with open_house(engine=engine) as house:
        screen = await house.ask(asking("Who?", person=person))
        assert sentence in screen.notices[0]
        assert sentence in str(await house.desk.grade(asking("Who then?", person=person)))
    assert engine.asked == []
    assert house.metric("candor_questions_total", outcome="refused") == 2


async def test_guests_and_outsiders_are_answered_where_the_settings_say_so() -> None:
    open_door = settings(SERVED, {"slack": {"guests": "allow", "external": "allow"}})
    async with open_house(open_door) as house:
        assert (await house.ask(asking("Who?", person=Person("U1", guest=True, external=None)))).replies


async def test_a_person_over_the_rate_is_told_when_to_ask_again() -> None:
    async with open_house(settings(SERVED, {"limits": {"person_per_minute": 2}})) as house:
        screens = [await house.ask(asking(f"Who {n}?")) for n in range(3)]
        other = await house.ask(asking("And who?", person=Person("U2")))
    assert screens[1].replies
    assert screens[2].notices == ["You've asked 2 times within a minute. Please try again in 60 seconds."]
    assert other.replies
    assert house.metric("candor_questions_total", outcome="limited") == 1


async def test_a_channel_over_the_rate_is_told_and_private_talks_go_on() -> None:
    async with open_house(settings(SERVED, {"limits": {"channel_per_minute": 1}})) as house:
        await house.ask(asking("Who?"))
        screen = await house.ask(asking("Who else?", person=Person("U2")))
        direct = [await house.ask(asking(f"Who {n}?", place=DIRECT)) for n in range(2)]
    assert screen.notices == ["This channel has asked once within a minute. Please try again in 60 seconds."]
    assert all(one.replies for one in direct)


async def test_a_flood_of_messages_is_not_answered_with_a_flood_of_notices_but_a_command_always_is() -> None:
    async with open_house(settings(SERVED, {"limits": {"person_per_minute": 1}})) as house:
        screens = [await house.ask(asking(f"Who {n}?")) for n in range(4)]
        command = await house.ask(asking("Who?", entry=Entry.COMMAND))
    assert [len(screen.notices) for screen in screens] == [0, 1, 0, 0]
    assert len(command.notices) == 1


async def test_a_full_queue_says_so_at_once() -> None:
    engine = FakeEngine(gate=asyncio.Event())
    async with open_house(settings(SERVED, WIDE, {"limits": {"at_once": 2, "queue": 1}}), engine=engine) as house:
        asked = [asyncio.create_task(house.ask(asking(f"Who {n}?"))) for n in range(3)]
        await asyncio.sleep(0.02)
        assert house.metric("candor_queue_depth") == 1
        assert house.metric("candor_in_flight") == 2
        screen = await asyncio.wait_for(house.ask(asking("Who else?")), 0.5)
        assert screen.steps == ["notice"]
        assert screen.notices[0].startswith("I'm busy: all my hands are full and 1 question is waiting before yours.")
        assert engine.gate
        engine.gate.set()
        assert all([(await one).replies for one in asked])
    assert engine.most == 2
    assert house.journal.kept.open == {}


async def test_waiting_in_the_queue_has_an_end() -> None:
    engine = FakeEngine(gate=asyncio.Event())
    short = settings(SERVED, WIDE, {"limits": {"at_once": 1}, "crag": {"deadline_s": 0.05}})
    async with open_house(short, engine=engine) as house:
        first = asyncio.create_task(house.ask(asking("Who?")))
        await asyncio.sleep(0.01)
        screen = await house.ask(asking("Who else?"))
        assert screen.notices[0].startswith("I'm busy")
        assert house.journal.kept.open.keys() == {("Who?",)}
        first.cancel()
        await asyncio.wait([first])


async def test_whatever_the_engine_does_a_reply_comes() -> None:
    async with open_house(engine=FakeEngine(error=ZeroDivisionError())) as house:
        screen = await house.ask(asking("Who?"))
    body = screen.replies[0].body
    assert isinstance(body, Abstention)
    assert body.reason is Reason.INTERNAL
    assert house.metric("candor_abstentions_total", reason="internal") == 1


async def test_stages_and_pieces_are_shown_in_their_order_and_a_restart_clears_them() -> None:
    events: list[Event] = [
        Stage(State.SEARCH),
        Stage(State.WRITE),
        Piece("Five "),
        Piece("days."),
        Restart(),
        Piece("“Six.”"),
    ]
    engine = FakeEngine(events=events, delay_s=0.01)
    async with open_house(engine=engine) as house:
        screen = await house.ask(asking("Who?"))
    shown = screen.steps
    assert shown[-1] == "reply"
    assert shown.index("write") < shown.index("+Five ") < shown.index("+") < shown.index("+“Six.”")
    assert "answered" not in shown


async def test_a_slow_screen_never_makes_the_engine_wait_and_sees_the_newest_only() -> None:
    events: list[Event] = [Stage(State.SEARCH), *(Piece(f"{n} ") for n in range(50)), Stage(State.SUPPORT)]
    screen = FakeScreen(delay_s=0.05)
    async with open_house(engine=FakeEngine(events=events, delay_s=0.12)) as house:
        await house.ask(asking("Who?"), screen)
    assert screen.steps[0] == "search"
    assert "".join(f"{n} " for n in range(50)) in screen.steps[1]
    assert screen.steps[-1] == "reply"
    assert len(screen.steps) <= 5


async def test_a_reply_that_the_platform_refuses_is_counted_and_kept() -> None:
    screen = FakeScreen(refusal=ScreenError("The thread is locked."))
    async with open_house() as house:
        await house.ask(asking("Who?"), screen)
    assert house.metric("candor_unshown_total", platform="slack") == 1
    assert house.journal.kept.replies
    assert house.journal.kept.open == {}


async def test_a_screen_that_breaks_says_that_something_went_wrong() -> None:
    screen = FakeScreen(refusal=ZeroDivisionError())
    async with open_house() as house:
        await house.ask(asking("Who?"), screen)
    assert screen.notices == ["Something went wrong on my side. The log has the details; asking again may help."]


async def test_a_mistake_of_ours_ends_in_a_sentence_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_house() as house:
        monkeypatch.setattr(house.journal, "open", None)
        monkeypatch.setattr(house.journal, "record", None)
        screen = await house.ask(asking("Who?"))
        assert screen.notices == ["Something went wrong on my side. The log has the details; asking again may help."]
        assert str(await house.desk.grade(asking("Who else?"))).startswith("Something went wrong on my side.")
        assert house.metric("candor_questions_total", outcome="failed") == 2


async def test_the_question_carries_the_conversation_and_the_asker() -> None:
    engine = FakeEngine()
    async with open_house(engine=engine) as house:
        await house.ask(asking("Who?"))
    assert engine.asked[0].conversation == "slack:T1:C1:1.1"
    assert engine.asked[0].asker == ANN.id
    assert engine.asked[0].tenant == "local"


async def test_grade_gives_the_reply_and_counts_against_the_same_limits() -> None:
    async with open_house(settings(SERVED, {"limits": {"person_per_minute": 1}})) as house:
        graded = await house.desk.grade(asking("Who?", "1"))
        assert not isinstance(graded, str)
        assert graded.trace.grades
        assert await house.desk.recall(graded.trace.id, CHANNEL, ANN) == graded
        assert "You've asked once within a minute" in str(await house.desk.grade(asking("Who?", "2")))
        assert await house.desk.grade(asking("Who?", "1")) == ""
        elsewhere = replace(CHANNEL, platform="discord", tenant="")
        assert house.desk.serves(elsewhere)
    async with open_house(settings()) as house:
        assert "not set up for this channel" in str(await house.desk.grade(asking("Who?")))


async def test_500_questions_at_20_a_second_are_all_answered_or_told_that_it_is_busy() -> None:
    """Ten times as fast as that, and an engine ten times as fast, so that it doesn't take 25 s."""
    engine = FakeEngine(delay_s=0.04)
    async with open_house(settings(SERVED, WIDE, {"limits": {"at_once": 4, "queue": 16}}), engine=engine) as house:
        screens = [FakeScreen() for _ in range(500)]
        tasks = []
        for number, screen in enumerate(screens):
            tasks.append(asyncio.create_task(house.desk.ask(asking(f"Who {number}?"), screen)))
            await asyncio.sleep(0.005)
        await asyncio.gather(*tasks)
    answered = sum(len(screen.replies) for screen in screens)
    busy = sum(len(screen.notices) for screen in screens)
    assert all(len(screen.replies) + len(screen.notices) == 1 for screen in screens)
    assert answered
    assert busy
    assert engine.most == 4
    assert house.metric("candor_questions_total", outcome="busy") == busy
    assert house.journal.kept.open == {}


async def test_a_slow_journal_does_not_delay_the_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(FakeJournal):
        async def claim(self, keys: Sequence[str], incoming: Incoming | None = None) -> bool:
            await asyncio.sleep(0.1)
            return await super().claim(keys, incoming)

        async def open(self, incoming: Incoming) -> None:
            await asyncio.sleep(0.1)
            await super().open(incoming)

    monkeypatch.setattr(room, "RECORD_S", 0.01)
    screen = FakeScreen()
    async with open_house(journal=Slow()) as house:
        asked = asyncio.create_task(house.ask(asking("Who?"), screen))
        await asyncio.sleep(0.05)
        assert screen.steps == ["received"]
        await asked
        assert screen.replies


class Watching(FakeJournal):
    """Takes a moment to write a question down, and notes what the screen showed by then."""

    screen: FakeScreen
    shown: tuple[str, ...] | None = None

    async def claim(self, keys: Sequence[str], incoming: Incoming | None = None) -> bool:
        await asyncio.sleep(0.02)
        self.shown = (*self.screen.steps,)
        return await super().claim(keys, incoming)


@pytest.mark.parametrize("received", [False, True])
async def test_a_question_is_written_down_before_anything_of_it_is_shown(received: bool) -> None:
    """So a kill leaves no placeholder without its question."""
    journal = Watching()
    journal.screen = FakeScreen()
    async with open_house(journal=journal) as house:
        incoming = asking("Who?")
        if received:
            async with house.desk.receiving(incoming) as new:
                assert new
                assert journal.kept.open.keys() == {("Who?",)}
                await house.ask(incoming, journal.screen)
        else:
            await house.ask(incoming, journal.screen)
    assert journal.shown == ()
    assert journal.screen.steps[0] == "received"
    assert journal.screen.replies
    assert journal.kept.open == {}


async def test_a_question_that_is_received_but_not_asked_is_forgotten() -> None:
    async with open_house() as house:
        async with house.desk.receiving(asking("Who?")):
            pass
        with pytest.raises(ZeroDivisionError):
            async with house.desk.receiving(asking("Who else?")):
                raise ZeroDivisionError
        assert house.journal.kept.open == {}
    async with open_house(settings()) as house:
        async with house.desk.receiving(asking("Who?")) as new:
            assert not new
        assert house.journal.kept.claimed == set()


async def test_a_question_that_is_received_twice_is_asked_once() -> None:
    engine = FakeEngine()
    async with open_house(engine=engine) as house:
        async with house.desk.receiving(asking("Who?")) as first:
            async with house.desk.receiving(asking("Who?")) as second:
                assert (first, second) == (True, False)
            screen = await house.ask(asking("Who?"))
            async with house.desk.receiving(asking("Who?")) as third:
                assert not third
        assert screen.replies
    assert len(engine.asked) == 1


async def test_a_journal_that_hangs_keeps_nobody_from_receiving(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hanging(FakeJournal):
        async def claim(self, keys: Sequence[str], incoming: Incoming | None = None) -> bool:
            await asyncio.sleep(0.1)
            return await super().claim(keys, incoming)

    async with open_house(journal=Hanging()) as house:
        began = time.monotonic()
        async with house.desk.receiving(asking("Who?"), within_s=0.01) as new:
            assert new
            assert time.monotonic() - began < 0.09
        assert house.journal.kept.open == {}
        async with house.desk.receiving(asking("Who else?"), within_s=0.01):
            assert (await house.ask(asking("Who else?"))).replies


@pytest.mark.parametrize("refused", [True, False])
async def test_what_is_not_answered_does_not_stay_open(refused: bool) -> None:
    """Neither a refusal nor a mistake of ours is answered after the next start."""
    person = Person("U1", guest=refused)
    async with open_house(engine=FakeEngine()) as house:
        if not refused:
            house.desk.questions._admission.refusal = None  # type: ignore[method-assign,assignment]
        assert (await house.ask(asking("Who?", person=person))).notices
        assert house.journal.kept.claimed == {"Who?"}
        assert house.journal.kept.open == {}
