"""What the rooms of the peer share: the app under test, the clock, the records, and the waiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tests.peers.discord.faults import Fault, Rates
from tests.peers.discord.interactions import Interaction, Modal, Timing
from tests.peers.discord.messages import Message
from tests.peers.discord.permissions import Permission
from tests.peers.discord.world import APP, Channel, World

Json = dict[str, Any]
T = TypeVar("T")

PRIVILEGED_FLAGS = {"presences": 1 << 13, "members": 1 << 15, "message_content": 1 << 19}


@dataclass
class App:
    """The app under test as Discord's developer portal knows it. `privileged` are the intents switched on there:
    `message_content`, `members`, `presences`. `dead`: its token was reset."""

    id: str = APP
    token: str = "OTAwMDAwMDAwMDAwMDAwMTk5.candor.token-of-the-bot"
    name: str = "Candor"
    owner: str = "900000000000000103"
    privileged: set[str] = field(default_factory=set)
    public: bool = True
    identifies_a_day: int = 1000
    dead: bool = False

    @property
    def flags(self) -> int:
        return sum(PRIVILEGED_FLAGS[name] for name in self.privileged)


@dataclass(frozen=True)
class ApiCall:
    """One request as it came. `name` is the call's (`create_message`), `at` time.monotonic(), `error` Discord's code,
    `http 500` or `dropped`; None if it went well."""

    name: str
    method: str
    path: str
    query: dict[str, str]
    body: Any
    at: float
    status: int
    error: str | None
    answer: Any


@dataclass(frozen=True)
class Typing:
    channel: str
    at: float


class State:
    """One for each peer. `now()` is Unix time plus what `skip()` added: everything that expires by it can be aged."""

    def __init__(self, world: World, rates: Rates, timing: Timing, app: App) -> None:
        self.world = world
        self.rates = rates
        self.timing = timing
        self.app = app
        self.base_url = ""
        self.down = False
        self.faults: list[Fault] = []
        self.calls: list[ApiCall] = []
        self.interactions: list[Interaction] = []
        self.modals: list[Modal] = []
        self.typings: list[Typing] = []
        self.commands: dict[str, list[Json]] = {}  # "" is global, else by guild
        self.creates: dict[str, int] = {}  # of commands: by the same key
        self.identifies = 0
        self._skipped = 0.0
        self._news = asyncio.Event()

    @property
    def gateway_url(self) -> str:
        return self.base_url.replace("http", "ws", 1)

    def now(self) -> float:
        return time.time() + self._skipped

    def skip(self, seconds: float) -> None:
        self._skipped += seconds

    def minted(self) -> str:
        return self.world.minted(self.now())

    def may(self, channel: Channel, *needed: Permission) -> bool:
        """Whether the bot may do all of that there."""
        granted = self.world.allowed(self.world.bot.id, channel)
        return all(permission in granted for permission in needed)

    def reads_content(self, message: Message, *, intended: bool) -> bool:
        """MESSAGE_CONTENT (`intended`) or not, the bot may read direct messages, its own, and those that mention it."""
        bot = self.world.bot.id
        private = self.world.channels[message.channel].guild is None
        return intended or private or message.author == bot or bot in message.mentions.users

    def changed(self) -> None:
        """Wakes everyone who waits for something to happen."""
        self._news.set()
        self._news = asyncio.Event()

    async def until(self, found: Callable[[], T | None], within_s: float, complaint: Callable[[], str]) -> T:
        """What `found` gives as soon as it gives something; AssertionError with `complaint` after `within_s`. Looks at
        each change and ten times a second."""
        deadline = time.monotonic() + within_s
        while True:
            if (value := found()) is not None:
                return value
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(complaint())
            try:
                await asyncio.wait_for(self._news.wait(), min(left, 0.1))
            except TimeoutError:
                continue
