"""What the journal keeps, as text and back; secrets are blacked out on the way in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from bot.redaction import redact
from crag.platform import Incoming, JobView, Place
from crag.types import Abstention, Answer, Reply

T = TypeVar("T")

VERSION = 1
"""Rises when a field of a record changes its meaning. One that only comes with a default needs no new version."""

_EXACT = ConfigDict(ser_json_inf_nan="constants")
_RECORD = TypeAdapter(tuple[Incoming, Reply], config=_EXACT)
_INCOMING = TypeAdapter(tuple[Incoming], config=_EXACT)
_VIEW = TypeAdapter(tuple[JobView], config=_EXACT)
_PLACE = TypeAdapter(tuple[Place], config=_EXACT)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A past reply, as it really happened. `at` is when it was recorded, in seconds since 1970."""

    incoming: Incoming
    reply: Reply
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
    return _text(_RECORD, (incoming, reply))


def recorded(row: Any) -> Recorded | None:
    """A row of `replies`; None if it was written by a version whose records can't be read any more."""
    if row.version > VERSION:
        return None
    try:
        incoming, reply = _RECORD.validate_json(row.record)
    except ValidationError:
        return None
    return Recorded(incoming, reply, row.at)


def packed_incoming(incoming: Incoming) -> str:
    return _text(_INCOMING, (incoming,))


def incoming_of(text: str) -> Incoming | None:
    try:
        return _INCOMING.validate_json(text)[0]
    except ValidationError:
        return None


def packed_view(view: JobView) -> str:
    return _text(_VIEW, (view,))


def packed_place(place: Place) -> str:
    return _text(_PLACE, (place,))


def job(row: Any) -> Job | None:
    """A row of `jobs`."""
    try:
        view, place = _VIEW.validate_json(row.view)[0], _PLACE.validate_json(row.place)[0]
    except ValidationError:
        return None
    return Job(view, row.person, place, row.started, row.updated)


def _text(adapter: TypeAdapter[T], value: T) -> str:
    return json.dumps(_redacted(adapter.dump_python(value, mode="json")))


def _redacted(value: Any) -> Any:
    """The same with secrets blacked out in every text: before it is JSON, whose escapes hide where a word begins."""
    match value:
        case str():
            return redact(value)
        case list() | tuple():
            return [_redacted(item) for item in value]
        case dict():
            return {key: _redacted(item) for key, item in value.items()}
        case _:
            return value
