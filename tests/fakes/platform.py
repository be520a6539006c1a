"""A platform without a network: questions are given to the desk by the test, screens say what they were shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from crag.errors import CandorError, ScreenError
from crag.events import State
from crag.platform import Desk, Entry, Incoming, Person, Place
from crag.types import Answer, Reply

CHANNEL = Place("slack", "T1", "C1", thread="1.1")
DIRECT = Place("slack", "T1", "D1", direct=True)
ANN = Person("U1")


def asking(
    text: str, key: str = "", *, place: Place = CHANNEL, person: Person = ANN, entry: Entry = Entry.MENTION
) -> Incoming:
    """A question; its key is its text unless it is given."""
    return Incoming((key or text,), place, person, entry, text, message="1.2", link="https://slack.example/p12")


@dataclass
class FakeScreen:
    """`delay_s` passes in each step; `refusal` is raised for replies and notices, `failures` one after the other for
    replies."""

    delay_s: float = 0.0
    refusal: Exception | None = None
    failures: list[Exception] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    async def stage(self, state: State) -> None:
        await asyncio.sleep(self.delay_s)
        self.steps.append(state.value)

    async def piece(self, text: str) -> None:
        await asyncio.sleep(self.delay_s)
        self.steps.append(f"+{text}")

    async def reply(self, reply: Reply) -> None:
        if self.refusal:
            raise self.refusal
        if self.failures:
            raise self.failures.pop(0)
        self.steps.append("reply")
        self.replies.append(reply)

    async def notice(self, text: str) -> None:
        if isinstance(self.refusal, ScreenError):
            raise self.refusal
        self.steps.append("notice")
        self.notices.append(text)

    @property
    def nothing(self) -> bool:
        return not (self.steps or self.replies or self.notices)

    @property
    def answer(self) -> Answer:
        body = self.replies[0].body
        assert isinstance(body, Answer), body
        return body


@dataclass
class FakeBot:
    """Satisfies crag.platform.PlatformBot. `people` are those whose questions can be completed; `end` makes `run`
    return, or raise what is set as its exception."""

    platform: str = "slack"
    connected: bool = True
    desk: Desk | None = None
    screens: dict[tuple[str, ...], FakeScreen] = field(default_factory=dict)
    told: list[tuple[str, str]] = field(default_factory=list)
    people: dict[str, Person] = field(default_factory=dict)
    intake: bool = True
    running: bool = False
    error: CandorError | None = None
    end: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        self.running = True
        await self.end.wait()
        self.connected = False
        if self.error:
            raise self.error

    async def stop_intake(self) -> None:
        self.intake = False

    async def completed(self, incoming: Incoming) -> Incoming | None:
        return replace(incoming, person=self.people[incoming.person.id]) if incoming.person.id in self.people else None

    def screen_for(self, incoming: Incoming) -> FakeScreen:
        return self.screens.setdefault(incoming.keys, FakeScreen())

    async def tell(self, channel: str, text: str) -> None:
        self.told.append((channel, text))

    @asynccontextmanager
    async def opened(self, desk: Desk) -> AsyncIterator[FakeBot]:
        self.desk = desk
        yield self
