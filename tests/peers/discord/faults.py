"""How a call goes wrong: Discord's own refusals, its rates, and the troubles that a test scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Any

Json = dict[str, Any]

CODES: Mapping[int, tuple[int, str]] = {
    -1: (404, "404: Not Found"),
    0: (401, "401: Unauthorized"),
    10002: (404, "Unknown Application"),
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10011: (404, "Unknown Role"),
    10013: (404, "Unknown User"),
    10014: (400, "Unknown Emoji"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    10063: (404, "Unknown application command"),
    30032: (400, "Maximum number of application commands reached (100)."),
    30034: (400, "Maximum number of daily application command creates has been reached (200)."),
    40060: (400, "Interaction has already been acknowledged."),
    40094: (400, "Maximum number of follow-up messages reached for this interaction (5)."),
    50001: (403, "Missing Access"),
    50003: (403, "Cannot execute action on a DM channel"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50008: (400, "Cannot send messages in a non-text channel"),
    50013: (403, "Missing Permissions"),
    50021: (403, "Cannot execute action on a system message"),
    50024: (403, "Cannot execute action on this channel type"),
    50027: (401, "Invalid Webhook Token"),
    50035: (400, "Invalid Form Body"),
    50083: (400, "Thread is archived"),
    50109: (400, "The request body contains invalid JSON."),
    160002: (400, "You cannot reply without permission to read message history"),
    160004: (400, "A thread has already been created for this message"),
    160005: (400, "Thread is locked"),
}


class Refusal(Exception):
    """Discord says no: `{"code": code, "message": ..., "errors": ...}` with the status that goes with the code."""

    def __init__(self, code: int, errors: Json | None = None) -> None:
        self.status, self.message = CODES[code]
        super().__init__(self.message)
        self.code = code
        self.errors = errors

    def as_json(self) -> Json:
        body: Json = {"message": self.message, "code": max(0, self.code)}
        return body | ({"errors": self.errors} if self.errors else {})


class Limited(Exception):
    """HTTP 429. `scope` is user, global or shared; Cloudflare's ban has no Via header and no JSON."""

    def __init__(self, retry_after: float, scope: str = "user", *, banned: bool = False) -> None:
        super().__init__(f"retry after {retry_after} s")
        self.retry_after = retry_after
        self.scope = scope
        self.banned = banned


ROUTES: Mapping[str, tuple[int, float]] = {  # calls in seconds, for one channel or webhook; seen in Discord's headers
    "create_message": (5, 5.0),
    "edit_message": (5, 5.0),
    "delete_message": (5, 1.0),
    "add_reaction": (1, 0.25),
    "start_thread": (50, 300.0),
    "start_thread_on_message": (50, 300.0),
    "typing": (5, 5.0),
    "create_followup": (5, 2.0),
    "edit_original": (5, 2.0),
    "edit_followup": (5, 2.0),
}
UNLIMITED = ("interaction_callback", "create_followup", "edit_original", "edit_followup")


@dataclass
class Rates:
    """Windows of calls: `routes` for each name, `default` for the rest, `global_per_s` for all but interactions. After
    `ban_at` invalid answers (401, 403, 429) in ten minutes the address is banned."""

    routes: dict[str, tuple[int, float]] = field(default_factory=lambda: dict(ROUTES))
    default: tuple[int, float] = (20, 1.0)
    global_per_s: int = 50
    ban_at: int = 10_000
    sends: tuple[int, float] = (120, 60.0)
    off: bool = False
    _windows: dict[str, tuple[float, int]] = field(default_factory=dict)
    _invalid: list[float] = field(default_factory=list)

    @classmethod
    def none(cls) -> Rates:
        return cls(off=True)

    def check(self, name: str, major: str, now: float) -> dict[str, str]:
        """The X-RateLimit headers of an allowed call; else Limited."""
        if len(self._recent(now)) >= self.ban_at:
            raise Limited(600.0, banned=True)
        if self.off:
            return {}
        if name not in UNLIMITED:
            self._take("global", self.global_per_s, 1.0, now, "global")
        calls, window_s = self.routes.get(name, self.default)
        used, reset_after = self._take(f"{name} {major}", calls, window_s, now, "user")
        return {
            "X-RateLimit-Limit": str(calls),
            "X-RateLimit-Remaining": str(calls - used),
            "X-RateLimit-Reset": f"{now + reset_after:.3f}",
            "X-RateLimit-Reset-After": f"{reset_after:.3f}",
            "X-RateLimit-Bucket": f"bucket-{name}",
        }

    def invalid(self, now: float) -> None:
        self._invalid.append(now)

    @property
    def invalid_requests(self) -> int:
        return len(self._invalid)

    def _recent(self, now: float) -> list[float]:
        self._invalid = [at for at in self._invalid if now - at < 600]
        return self._invalid

    def _take(self, key: str, calls: int, window_s: float, now: float, scope: str) -> tuple[int, float]:
        since, used = self._windows.get(key, (now, 0))
        if now - since >= window_s:
            since, used = now, 0
        left = max(0.001, since + window_s - now)
        if used >= calls:
            raise Limited(left, scope)
        self._windows[key] = (since, used + 1)
        return used + 1, left


@dataclass
class Fault:
    """Trouble for the next `times` calls of `route` that `where` (given the body) holds for, after `skip` of them have
    gone well. `route` is a call's name (`create_message`), a pattern of method and path (`POST /channels/*/messages`)
    or `*`.

    `status` is an HTTP status: 429 takes `retry_after` and `scope` (user, global, shared; `via=False` looks like
    Cloudflare's ban), 4xx takes `code`, 5xx is a page that isn't JSON. `delay_s` answers late; `drop` closes the
    connection instead of answering; `after` does what was asked first - with `drop` or a 5xx that is the answer which
    got lost on its way."""

    route: str
    times: int = 1
    status: int = 200
    retry_after: float = 0.1
    scope: str = "user"
    via: bool = True
    code: int | None = None
    delay_s: float = 0.0
    drop: bool = False
    after: bool = False
    skip: int = 0
    where: Callable[[Json], bool] | None = None

    def strikes(self, name: str, method_and_path: str, body: Any) -> bool:
        if self.times <= 0 or not (self.route in (name, "*") or fnmatch(method_and_path, self.route)):
            return False
        if self.where is not None and not self.where(body if isinstance(body, dict) else {}):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        self.times -= 1
        return True
