"""How often someone may ask: a number in every minute, counted to the second."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass

WINDOW_S = 60.0
TIDY_AT = 1000
"""How many keys are remembered before those that have been silent for a window are forgotten."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Why not now: `limit` a minute are allowed, and the next one in `seconds`."""

    limit: int
    seconds: float


class Rate:
    """At most `per_minute` for each key in any minute. `clock` is in seconds and never goes back."""

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = per_minute
        self._clock = clock
        self._times: dict[Hashable, deque[float]] = {}

    def wait(self, key: Hashable) -> Wait | None:
        """How long this key must wait, None if it needn't. Doesn't count."""
        times = self._recent(key)
        if len(times) < self._limit:
            return None
        return Wait(self._limit, times[0] + WINDOW_S - self._clock())

    def count(self, key: Hashable) -> None:
        self._times.setdefault(key, deque()).append(self._clock())
        if len(self._times) > TIDY_AT:
            self._times = {key: times for key in list(self._times) if (times := self._recent(key))}

    def _recent(self, key: Hashable) -> deque[float]:
        times = self._times.get(key) or deque()
        while times and times[0] <= self._clock() - WINDOW_S:
            times.popleft()
        return times
