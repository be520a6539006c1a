"""How a call goes wrong: Slack's own refusals, its rates, and the troubles that a test scripts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


class Refusal(Exception):
    """Slack says no: `{"ok": false, "error": code}`, with `extra` beside it."""

    def __init__(self, code: str, **extra: Any) -> None:
        super().__init__(code)
        self.code = code
        self.extra = extra


class RateLimited(Exception):
    def __init__(self, retry_after: int) -> None:
        super().__init__(f"retry after {retry_after} s")
        self.retry_after = retry_after


# Allowed calls a minute: Slack's tiers, each method where its documentation puts it. chat.postMessage has its own
# rule (about one a second in a channel); what isn't named here is Tier 4.
TIERS: Mapping[str, int] = {
    "apps.connections.open": 20,
    "bots.info": 50,
    "chat.delete": 50,
    "chat.getPermalink": 600,
    "chat.startStream": 20,
    "chat.stopStream": 20,
    "chat.update": 50,
    "conversations.history": 50,
    "conversations.info": 50,
    "conversations.open": 50,
    "conversations.replies": 50,
    "reactions.add": 50,
    "reactions.remove": 20,
    "team.info": 50,
    "usergroups.users.list": 20,
    "assistant.threads.setStatus": 600,
    "auth.test": 600,
}


@dataclass
class Rates:
    """Token buckets. `post_per_s` and `post_burst` hold for chat.postMessage in one channel; `tiers` are calls a minute
    for a method, all of which may come at once. `marketplace_reads`: the rule for distributed apps outside the
    Marketplace (conversations.history and .replies once a minute, 15 objects)."""

    post_per_s: float = 1.0
    post_burst: int = 4
    tiers: dict[str, int] = field(default_factory=lambda: dict(TIERS))
    default_tier: int = 100
    marketplace_reads: bool = False
    off: bool = False
    _buckets: dict[str, tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def none(cls) -> Rates:
        return cls(off=True)

    def check(self, method: str, channel: str, now: float) -> None:
        """Raises RateLimited with whole seconds, as Slack's Retry-After has them."""
        if self.off:
            return
        if method == "chat.postMessage":
            self._take(f"{method} {channel}", self.post_per_s, self.post_burst, now)
            return
        reads = method in ("conversations.history", "conversations.replies")
        a_minute = 1 if reads and self.marketplace_reads else self.tiers.get(method, self.default_tier)
        self._take(method, a_minute / 60, a_minute, now)

    def _take(self, key: str, per_s: float, burst: int, now: float) -> None:
        left, since = self._buckets.get(key, (float(burst), now))
        left = min(float(burst), left + (now - since) * per_s)
        if left < 1:
            self._buckets[key] = (left, now)
            raise RateLimited(max(1, math.ceil((1 - left) / per_s)))
        self._buckets[key] = (left - 1, now)


@dataclass
class Fault:
    """Trouble for the next `times` calls of `method` that `where` holds for, after `skip` of them have gone well.

    `error` is a Slack error code with HTTP 200; `status` an HTTP status (429 takes `retry_after`, 5xx is a page that
    isn't JSON); `delay_s` answers late; `drop` closes the connection instead of answering; `after` does what was asked
    first - with `drop` that is the reply which got lost on its way."""

    method: str
    times: int = 1
    error: str | None = None
    status: int = 200
    retry_after: int | None = None
    delay_s: float = 0.0
    drop: bool = False
    after: bool = False
    skip: int = 0
    where: Callable[[Json], bool] | None = None
    extra: Json = field(default_factory=dict)

    def strikes(self, method: str, arguments: Json) -> bool:
        if self.times <= 0 or self.method not in (method, "*"):
            return False
        if self.where is not None and not self.where(arguments):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        self.times -= 1
        return True
