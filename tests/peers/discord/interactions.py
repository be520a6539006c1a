"""An interaction on its way: asked by a person, answered by the app in time or not."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from tests.peers.discord.messages import Message
from tests.peers.discord.rendering import rendered_modal

Json = dict[str, Any]


class Asked:
    """Discord's interaction types."""

    PING, COMMAND, COMPONENT, AUTOCOMPLETE, MODAL = 1, 2, 3, 4, 5


class Answer:
    """Discord's callback types."""

    PONG, MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, CHOICES, MODAL = 1, 4, 5, 6, 7, 8, 9


@dataclass
class Timing:
    """Discord's own numbers. `heartbeat_s` is what HELLO names; `identify_every_s`: an IDENTIFY sooner than that after
    the last one gets an invalid session (Discord: 5 s; 0 lets a bot start again at once)."""

    first_response_s: float = 3.0
    token_life_s: float = 900.0
    heartbeat_s: float = 41.25
    resume_life_s: float = 180.0
    identify_every_s: float = 0.0


@dataclass(eq=False)
class Modal:
    """A form before a person's eyes. `open` ends when it is submitted."""

    id: str
    user: str
    body: Json
    interaction: Interaction
    open: bool = True

    @property
    def rendering(self) -> str:
        return rendered_modal(self.body)


@dataclass(eq=False)
class Interaction:
    """What a person did and what came of it. `sent_at`, `responded_at` are time.monotonic(); `made_at` is the peer's
    time. A person sees `error` where no first response comes in time. `original` is the message that `@original` means:
    the response, or for a deferred or immediate update the message which the button is on."""

    id: str
    token: str
    kind: int
    user: str
    channel: str
    made_at: float
    payload: Json
    source: Message | None = None
    user_installed: bool = False
    sent_at: float = 0.0
    responded_at: float | None = None
    answer: int | None = None
    response: Json | None = None
    original: Message | None = None
    followups: list[Message] = field(default_factory=list)
    modal: Modal | None = None
    choices: list[Json] = field(default_factory=list)
    error: str | None = None
    done: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def acked(self) -> bool:
        return self.responded_at is not None

    @property
    def latency_s(self) -> float | None:
        """Seconds from the event to the first response."""
        return None if self.responded_at is None else self.responded_at - self.sent_at

    @property
    def deferred(self) -> bool:
        """The first response was a promise of a later one."""
        return self.answer in (Answer.DEFERRED, Answer.DEFERRED_UPDATE)

    @property
    def thinking(self) -> bool:
        return self.original is not None and self.original.thinking

    @property
    def name(self) -> str:
        data: Json = self.payload.get("data", {})
        return str(data.get("name") or data.get("custom_id") or "")

    def __str__(self) -> str:
        state = self.error or (f"answered with {self.answer}" if self.acked else "under way")
        return f"interaction {self.name!r} of {self.user}: {state}{', thinking' if self.thinking else ''}"
