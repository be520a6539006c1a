"""What the journal keeps, as text and back; secrets are blacked out on the way in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from bot.redaction import redact
from crag.platform import Incoming, JobView, Place
from crag.types import Abstention, Answer, Reply

VERSION = 1
"""Rises when a field of a record changes its meaning. One that only comes with a default needs no new version."""

_EXACT = ConfigDict(ser_json_inf_nan="constants")
_RECORD = TypeAdapter(tuple[Incoming, Reply], config=_EXACT)
_INCOMING = TypeAdapter(tuple[Incoming], config=_EXACT)
_VIEW = TypeAdapter(tuple[JobView], config=_EXACT)
_PLACE = TypeAdapter(tuple[Place], config=_EXACT)


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


def outcome(reply: Reply) -> str:
    """ "answered", "courtesy", or why not."""
    match reply.body:
        case Answer():
            return "answered"
        case Abstention(reason=reason):
            return str(reason)
        case _:
            return "courtesy"


def packed(incoming: Incoming, reply: Reply) -> str:
    return redact(_RECORD.dump_json((incoming, reply)).decode())


def recorded(row: Any) -> Recorded | None:
    """A row of `replies`; None if it was written by a version whose records can't be read any more."""
    if row.version > VERSION:
        return None
    try:
        incoming, reply = _RECORD.validate_json(row.record)
    except ValidationError:
        return None
    return Recorded(incoming, reply, row.shown, row.at)


def packed_incoming(incoming: Incoming) -> str:
    return redact(_INCOMING.dump_json((incoming,)).decode())


def incoming_of(text: str) -> Incoming | None:
    try:
        return _INCOMING.validate_json(text)[0]
    except ValidationError:
        return None


def packed_view(view: JobView) -> str:
    return redact(_VIEW.dump_json((view,)).decode())


def packed_place(place: Place) -> str:
    return _PLACE.dump_json((place,)).decode()


def job(row: Any) -> Job | None:
    """A row of `jobs`."""
    try:
        view, place = _VIEW.validate_json(row.view)[0], _PLACE.validate_json(row.place)[0]
    except ValidationError:
        return None
    return Job(view, row.person, place, row.started, row.updated)
