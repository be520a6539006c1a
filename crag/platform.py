"""What a platform adapter and the bot say to each other.

The adapter turns an event into an Incoming, shows what comes back on a Screen, and decides nothing; the bot's Desk
decides who may ask, what is searched, how much at once, and what is remembered. Neither knows the other's vendor.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from crag.corrections import Correction
from crag.events import State
from crag.types import Reply, Turn


class Entry(enum.StrEnum):
    """How a question came in."""

    MENTION = "mention"
    DIRECT = "direct"
    COMMAND = "command"
    SHORTCUT = "shortcut"
    ASSISTANT = "assistant"
    FOLLOW_UP = "follow_up"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question was asked. `tenant` is the workspace or guild ("" in a Discord DM); `channel` is the channel
    whose settings count (a thread's parent); `thread` is the thread's id, "" outside; `direct` is a private talk."""

    platform: str
    tenant: str
    channel: str
    thread: str = ""
    direct: bool = False

    @property
    def conversation(self) -> str:
        """One string for the thread; its history is this conversation's, and no other's."""
        return ":".join((self.platform, self.tenant, self.channel, self.thread))


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks or presses. `groups` are user groups or roles; `guest` and `external` (of another workspace;
    in a Discord DM: in none of the guilds that are served) are None where the platform can't say: then the bot refuses
    as if they were True. `shared`: a colleague, but `external` since people of another workspace read along there."""

    id: str
    groups: frozenset[str] = frozenset()
    guest: bool | None = False
    external: bool | None = False
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Incoming:
    """One question as it arrived. `keys` identify it over redeliveries and over a restart: a question of which any key
    is known is not asked again. `message` is the id of the message that holds it, `link` opens it."""

    keys: tuple[str, ...]
    place: Place
    person: Person
    entry: Entry
    text: str
    history: tuple[Turn, ...] = ()
    message: str = ""
    link: str = ""


class Screen(Protocol):
    """Where one question's reply appears. The adapter throttles to the platform's pace; a stage or a piece that can't
    be shown is dropped, a reply or a notice is not: those raise ScreenError if the platform refuses them for good,
    and ScreenUnreachable, after some tries, if it can't be reached. The same reply may be given again then."""

    async def stage(self, state: State) -> None:
        """A sign of life: what is being done now."""
        ...

    async def piece(self, text: str) -> None:
        """More of an answer that is being written; "" drops what was shown (the writer starts anew)."""
        ...

    async def reply(self, reply: Reply) -> None:
        """The settled reply, in place of stages and pieces."""
        ...

    async def notice(self, text: str) -> None:
        """A sentence that is no reply: busy, refused, not available."""
        ...


class JobPhase(enum.StrEnum):
    """Where a reindex job is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class JobView:
    """A reindex job as people see it. Counts are documents; `failed` are (path, reason), `removed_paths` the removed
    documents by name; `error` is a sentence where the whole job failed (the old index answers on)."""

    id: str
    phase: JobPhase
    sources: tuple[str, ...]
    dry_run: bool = False
    done: int = 0
    total: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: tuple[tuple[str, str], ...] = ()
    generation: str = ""
    duration_s: float = 0.0
    error: str = ""
    removed_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceView:
    """A configured source."""

    name: str
    path: str
    corpus: str


@dataclass(frozen=True, slots=True)
class StatusView:
    """What `/candor status` tells: lines of (name, value), and what is wrong, if anything."""

    lines: tuple[tuple[str, str], ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Handover:
    """A question for humans. `channel` is where it goes on the same platform; `mention` is whom to call there (a role
    or user group id), "" for nobody; `text` is the question as it was asked, `link` opens it."""

    channel: str
    mention: str
    text: str
    link: str


class Desk(Protocol):
    """The bot's side. Its methods never raise what an adapter would have to explain: refusals are sentences."""

    def serves(self, place: Place) -> bool:
        """Whether this place is configured. Costs nothing; a place that isn't gets no reply."""
        ...

    def follows_up(self, place: Place) -> bool:
        """Whether a message without a mention, by the asker of the thread, counts as a question there."""
        ...

    def receiving(self, incoming: Incoming, *, within_s: float = 0.2) -> AbstractAsyncContextManager[bool]:
        """Around all that comes before `ask`, which is called inside: from here on a kill loses neither the question
        nor a placeholder for it, though it isn't known yet who asks (`guest` and `external` are None) nor what was said
        before. Gives False where it was asked before: then there is nothing to do. Waits for the journal, but not for
        longer than `within_s`. A question that isn't asked in the end is forgotten."""
        ...

    async def ask(self, incoming: Incoming, screen: Screen) -> None:
        """Answer once; returns when the reply, or a notice, was shown. A duplicate shows nothing, but for a stage where
        it took a moment to see that it is one: what shows only stages when this returns is the adapter's to remove."""
        ...

    async def grade(self, incoming: Incoming) -> Reply | str:
        """A reply with its trace for `/grade QUESTION`, or a refusal as a sentence. Counts against the same limits."""
        ...

    async def recall(self, reply: str, place: Place, person: Person) -> Reply | str:
        """A past reply by its trace's id, as it really happened. Else a sentence: why this person would be refused an
        answer here, or `wording.GONE` where it is unknown, of another tenant, was given in a private talk that isn't
        this one, or shows what this place may not see (any more)."""
        ...

    async def vote(self, reply: str, place: Place, person: Person, *, helpful: bool, reason: str = "") -> str:
        """Count one vote a person, the last one; returns the sentence that thanks, or a refusal."""
        ...

    async def correct(self, reply: str, place: Place, person: Person, correction: Correction | None) -> str:
        """Keep what this person says the reply should have been, in place of what they said of it before; None takes it
        back. It changes nothing by itself. Returns the sentence that says what was noted, or a refusal: whoever may
        recall a reply may correct it."""
        ...

    async def hand_over(self, reply: str, place: Place, person: Person) -> Handover | str:
        """Where "Ask a human" sends this question, or why it can't."""
        ...

    def may_admin(self, person: Person, place: Place) -> bool:
        """Whether this person is among the configured users, groups or roles. Nobody configured: nobody."""
        ...

    async def status(self, person: Person, place: Place) -> StatusView | str:
        """What is indexed and how the bot is, or a refusal."""
        ...

    async def sources(self, person: Person, place: Place) -> tuple[SourceView, ...] | str:
        """The configured sources, or a refusal."""
        ...

    async def reindex(
        self,
        person: Person,
        place: Place,
        *,
        sources: tuple[str, ...],
        full: bool,
        dry_run: bool,
        show: Callable[[JobView], Awaitable[None]],
    ) -> str:
        """Start a job and return the sentence that says so at once ("" once `show` will tell everything), or a refusal.
        `show` is called as it goes on, and once at the end."""
        ...

    async def cancel(self, person: Person, place: Place, job: str = "") -> str:
        """Stop this job, by its view's id, if it is the one that runs ("": whichever runs); returns the sentence that
        says what happened."""
        ...


class PlatformBot(Protocol):
    """An adapter that is open: `adapters.slack.slack_bot(desk, ...)` and `adapters.discord.discord_bot(desk, ...)` give
    one as an async context manager. Opening it raises SettingsError with one sentence where the platform refuses the
    token, a scope or an intent for good; leaving the context closes the connection.

        slack_bot(desk, *, bot_token, app_token, signing_secret, mode, host, port, api_url, reactions, groups, humans)
        discord_bot(desk, *, token, guilds, api_url, gateway_url, remembered, reactions, follow_ups, humans)

    `mode` is "socket" or "http"; an empty `api_url` or `gateway_url` is the platform's own; empty `guilds` are all that
    the bot is in; `remembered` keeps the command tree's hash over a restart; `reactions` says whether a thumb up
    or down under a reply is a vote; `groups` are the user groups whose members are looked up for Person.groups;
    `humans` says that there is a channel for "Ask a human", without which there is no such button;
    `follow_ups` says that some channel has follow-ups on: reading those takes Discord's Message Content intent."""

    @property
    def platform(self) -> str:
        """ "slack" or "discord", as in Place."""
        ...

    @property
    def connected(self) -> bool:
        """Whether an event that happened now would arrive. Costs nothing; readiness is this."""
        ...

    async def run(self) -> None:
        """Receive until cancelled; rebuilds a dead or silent connection by itself. Raises CandorError where it can't be
        had any more at all (the token was revoked)."""
        ...

    async def stop_intake(self) -> None:
        """Take no new question from now on (leave it unacknowledged where the platform delivers it again); what is
        being answered goes on to be shown. Returns soon, doesn't wait for that. Twice is once."""
        ...

    async def completed(self, incoming: Incoming) -> Incoming | None:
        """A question of an earlier process, which ended before it knew who asks: with that, and with what was said
        before. None where nothing of it stands there, so that nobody waits for an answer."""
        ...

    def screen_for(self, incoming: Incoming) -> Screen:
        """A screen for a question that an earlier process left unanswered: its reply goes to the same thread."""
        ...

    async def tell(self, channel: str, text: str) -> None:
        """Post one sentence to a channel, for the admins. Raises ScreenError."""
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that `candor doctor` asked of a platform. `advice` says what to do where it isn't `ok`."""

    name: str
    ok: bool
    text: str
    advice: str = ""


class Remembered(Protocol):
    """A few small texts that outlive the process."""

    async def get(self, name: str) -> str | None: ...

    async def put(self, name: str, value: str) -> None: ...
