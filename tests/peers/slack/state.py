"""What the rooms of the peer share: the app under test, the clock, the records, and the waiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tests.peers.slack.delivery import Delivery, Post, Timing
from tests.peers.slack.faults import Fault, Rates, Refusal
from tests.peers.slack.rendering import rendered
from tests.peers.slack.workspace import Channel, Message, Version, Workspace

Json = dict[str, Any]
T = TypeVar("T")

BOT_SCOPES = (
    *("app_mentions:read", "assistant:write", "channels:history", "channels:read", "chat:write", "commands"),
    *("groups:history", "groups:read", "im:history", "im:read", "im:write", "mpim:history", "mpim:read"),
    *("reactions:read", "reactions:write", "team:read", "usergroups:read", "users:read"),
)
EVENTS = (
    *("app_mention", "message.channels", "message.groups", "message.im", "message.mpim", "reaction_added"),
    *("reaction_removed", "app_home_opened", "assistant_thread_started", "assistant_thread_context_changed"),
    *("member_joined_channel", "member_left_channel", "channel_archive", "tokens_revoked", "app_uninstalled"),
)


@dataclass
class Token:
    """`dead` is the error that every call with it gets: token_revoked, account_inactive."""

    kind: str  # bot, app, user
    scopes: set[str]
    dead: str | None = None


@dataclass
class App:
    """The app under test as Slack knows it. `events` are its subscriptions: what isn't there isn't sent. `commands` and
    `shortcuts` are those it has registered; None lets a person use any."""

    id: str = "A0CANDOR"
    bot_token: str = "xoxb-100-200-candorbot"
    app_token: str = "xapp-1-A0CANDOR-300-candorapp"
    signing_secret: str = "8f742231b10e8888abcd99yyyzzz85a5"
    verification_token: str = "legacy-verification-token"
    events: set[str] = field(default_factory=lambda: set(EVENTS))
    commands: set[str] | None = None
    shortcuts: set[str] | None = None
    interactive: bool = True


@dataclass(frozen=True)
class ApiCall:
    """One request to the Web API as it came. `at` is time.monotonic(), `error` Slack's code, `http 500` or `dropped`;
    `verb` and `sent_as` (query, form, json) tell how the arguments travelled."""

    method: str
    arguments: Json
    at: float
    verb: str
    sent_as: str
    token: str
    error: str | None
    answer: Json


@dataclass(eq=False)
class Ephemeral:
    """A message that only `user` sees. `source`: chat.postEphemeral, response_url or ack."""

    channel: str
    user: str
    ts: str
    text: str
    blocks: list[Json]
    source: str
    thread_ts: str | None = None
    deleted: bool = False
    versions: list[Version] = field(default_factory=list)

    @property
    def rendering(self) -> str:
        return rendered(self.text, self.blocks)


@dataclass(eq=False)
class View:
    """A modal or a home tab. `stack` names the modals of one window; `open` ends when the window closes."""

    id: str
    user: str
    body: Json
    stack: str
    hash: str
    open: bool = True
    bodies: list[Json] = field(default_factory=list)

    @property
    def rendering(self) -> str:
        title = (self.body.get("title") or {}).get("text", self.body["type"])
        return f"== {title} ==\n{rendered('', self.body.get('blocks', []))}"

    @property
    def metadata(self) -> str:
        return str(self.body.get("private_metadata", ""))


@dataclass(eq=False)
class Status:
    """What stands under a thread while the app works. `cleared_by`: call, reply, timeout; None while it shows."""

    channel: str
    thread_ts: str
    text: str
    loading_messages: list[str]
    at: float
    cleared_at: float | None = None
    cleared_by: str | None = None


@dataclass
class ResponseUrl:
    channel: str
    user: str
    made_at: float
    source: Message | Ephemeral | None = None
    uses: int = 0


class State:
    """One for each peer. `now()` is Unix time plus what `skip()` added: everything that expires by it can be aged."""

    def __init__(self, workspace: Workspace, rates: Rates, timing: Timing, app: App) -> None:
        self.workspace = workspace
        self.rates = rates
        self.timing = timing
        self.app = app
        self.tokens = {
            app.bot_token: Token("bot", set(BOT_SCOPES)),
            app.app_token: Token("app", {"connections:write"}),
        }
        self.post = Post(timing, self.changed)
        self.base_url = ""
        self.down = False
        self.faults: list[Fault] = []
        self.calls: list[ApiCall] = []
        self.ephemerals: list[Ephemeral] = []
        self.views: list[View] = []
        self.statuses: list[Status] = []
        self.prompts: list[Json] = []
        self.titles: dict[tuple[str, str], str] = {}
        self.triggers: dict[str, tuple[float, str]] = {}
        self.response_urls: dict[str, ResponseUrl] = {}
        self.streams: dict[str, Any] = {}
        self.scopes_used: set[str] = set()
        self._skipped = 0.0
        self._news = asyncio.Event()

    @property
    def deliveries(self) -> list[Delivery]:
        return self.post.deliveries

    def now(self) -> float:
        return time.time() + self._skipped

    def skip(self, seconds: float) -> None:
        self._skipped += seconds

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

    def channel(self, name: Any, *, member: bool = False) -> Channel:
        """The channel an app means: by id, for the bot only where it may look. `member`: and may write there."""
        space = self.workspace
        channel = space.channels.get(str(name or ""))
        if channel is None and str(name).startswith("U") and name in space.users:
            channel = space.dm(str(name))
        if channel is None or (channel.kind != "channel" and not space.has_bot(channel)):
            raise Refusal("channel_not_found")
        if member and channel.archived:
            raise Refusal("is_archived")
        if member and not space.has_bot(channel):
            raise Refusal("not_in_channel")
        return channel

    def trigger(self, user: str) -> str:
        made = self.workspace.minted("13345.") + ".cafe"
        self.triggers[made] = (self.now(), user)
        return made

    def exchange(self, trigger: Any) -> str:
        """The user behind a trigger, which serves once and for 3 seconds."""
        if trigger not in self.triggers:
            raise Refusal("invalid_trigger_id")
        made_at, user = self.triggers[trigger]
        if not user:
            raise Refusal("exchanged_trigger_id")
        if self.now() - made_at > self.timing.trigger_life_s:
            raise Refusal("expired_trigger_id")
        self.triggers[trigger] = (made_at, "")
        return user

    def response_url(self, channel: str, user: str, source: Message | Ephemeral | None = None) -> str:
        key = self.workspace.minted("R")
        self.response_urls[key] = ResponseUrl(channel, user, self.now(), source)
        return f"{self.base_url}/actions/{self.workspace.team}/{key}"

    def showing(self, channel: str, thread_ts: str) -> Status | None:
        """The status that stands under a thread now."""
        for status in reversed(self.statuses):
            if (status.channel, status.thread_ts) == (channel, thread_ts):
                if status.cleared_by is None and self.now() - status.at > self.timing.status_life_s:
                    status.cleared_by, status.cleared_at = "timeout", status.at + self.timing.status_life_s
                return None if status.cleared_by else status
        return None

    def clear_status(self, channel: str, thread_ts: str | None, by: str) -> None:
        if thread_ts and (status := self.showing(channel, thread_ts)):
            status.cleared_by, status.cleared_at = by, self.now()
            self.changed()
