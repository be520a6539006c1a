"""Events, commands and interactions on their way to the app: sent, acknowledged in time or sent again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

Json = dict[str, Any]


@dataclass
class Timing:
    """Slack's own numbers, but for the pauses before a redelivery (Slack: at once, 1 minute, 5 minutes)."""

    ack_timeout_s: float = 3.0
    retry_delays_s: tuple[float, ...] = (0.0, 1.0, 5.0)
    trigger_life_s: float = 3.0
    response_url_life_s: float = 1800.0
    response_url_uses: int = 5
    ticket_life_s: float = 30.0
    stream_idle_s: float = 300.0
    stream_lifetime_s: float = 306.0
    status_life_s: float = 120.0


@dataclass(eq=False)
class Attempt:
    """One sending. Times are time.monotonic(). `failure` says why it wasn't acknowledged in time (timeout,
    connection_failed, http_error), `late` that an acknowledgement came after all; `status` is the HTTP status."""

    number: int
    at: float
    reason: str
    carrier: str = ""
    acked_at: float | None = None
    late: bool = False
    response: Json | None = None
    failure: str | None = None
    status: int | None = None
    refuses_retry: bool = False

    @property
    def latency_s(self) -> float | None:
        return None if self.acked_at is None else self.acked_at - self.at


@dataclass(eq=False)
class Delivery:
    """`kind` is Socket Mode's: events_api, slash_commands, interactive. Only events are sent again; a person sees
    `error` (operation_timeout, dispatch_failed) where a command or a button isn't acknowledged."""

    kind: str
    payload: Json
    attempts: list[Attempt] = field(default_factory=list)
    done: asyncio.Event = field(default_factory=asyncio.Event)
    error: str | None = None

    @property
    def event(self) -> Json:
        event: Json = self.payload.get("event", {})
        return event

    @property
    def event_id(self) -> str:
        return str(self.payload.get("event_id", ""))

    @property
    def acked(self) -> bool:
        return any(attempt.acked_at is not None and not attempt.late for attempt in self.attempts)

    @property
    def gave_up(self) -> bool:
        return self.done.is_set() and not self.acked

    @property
    def latency_s(self) -> float | None:
        """Seconds from the first sending to the first acknowledgement."""
        times = [attempt.acked_at for attempt in self.attempts if attempt.acked_at is not None]
        return min(times) - self.attempts[0].at if times else None

    @property
    def response(self) -> Json | None:
        """What the app sent along with its acknowledgement."""
        return next((a.response for a in self.attempts if a.acked_at is not None and not a.late), None)

    def __str__(self) -> str:
        name = self.event.get("type") or self.payload.get("command") or self.payload.get("type")
        state = "acked" if self.acked else self.error or ("given up" if self.done.is_set() else "under way")
        return f"{self.kind} {name} {self.event_id} x{len(self.attempts)} {state}"


class Transport(Protocol):
    async def attempt(self, delivery: Delivery, attempt: Attempt, within_s: float) -> None:
        """Sends once and waits for the acknowledgement; notes on `attempt` how it went. Never raises."""


class Post:
    """Sends each delivery in a task of its own, in the order they were made, as Slack does."""

    def __init__(self, timing: Timing, changed: Callable[[], None]) -> None:
        self.timing = timing
        self.deliveries: list[Delivery] = []
        self.transport: Transport | None = None
        self._changed = changed
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, kind: str, payload: Json) -> Delivery:
        delivery = Delivery(kind, payload)
        self.deliveries.append(delivery)
        self._start(delivery)
        return delivery

    def again(self, delivery: Delivery) -> None:
        """Delivers what was delivered before, as if Slack had missed the acknowledgement."""
        delivery.done.clear()
        self._start(delivery)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, delivery: Delivery) -> None:
        task = asyncio.create_task(self._deliver(delivery))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, delivery: Delivery) -> None:
        delays = self.timing.retry_delays_s if delivery.kind == "events_api" else ()
        reason = "timeout" if delivery.attempts else ""
        for delay in (None, *delays):
            if delay is not None:
                await asyncio.sleep(delay)
            attempt = Attempt(len(delivery.attempts), time.monotonic(), reason)
            delivery.attempts.append(attempt)
            if self.transport is None:
                attempt.failure = "connection_failed"
            else:
                await self.transport.attempt(delivery, attempt, self.timing.ack_timeout_s)
            if attempt.failure is None or attempt.refuses_retry:
                break
            reason = attempt.failure
        last = delivery.attempts[-1].failure
        if last is not None and delivery.kind != "events_api":
            delivery.error = "operation_timeout" if last == "timeout" else "dispatch_failed"
        delivery.done.set()
        self._changed()
