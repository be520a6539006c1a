"""What the journal gives back."""

from __future__ import annotations

from dataclasses import dataclass

from crag.platform import Incoming, JobView, Place
from crag.types import Reply


@dataclass(frozen=True, slots=True)
class Recorded:
    """A past reply, as it really happened. `shown` is the platform's id of the message that shows it, `at` when it was
    recorded, in seconds since 1970."""

    incoming: Incoming
    reply: Reply
    shown: str
    at: float


@dataclass(frozen=True, slots=True)
class Votes:
    """The last vote of each person under one reply; `reasons` are those given with "not helpful"."""

    helpful: int = 0
    unhelpful: int = 0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Job:
    """A reindex job: how it was last seen, who started it and where; times in seconds since 1970."""

    view: JobView
    person: str
    place: Place
    started: float
    updated: float
