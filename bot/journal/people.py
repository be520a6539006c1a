"""What the journal knows of one person: all of it out, or all of it away."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Table, delete, func, select, update

from adapters.console.structured import Data, reply_data
from bot.journal import records
from bot.journal.database import Database
from bot.journal.tables import claims, corrections, jobs, open_questions, replies, votes
from crag.platform import Place
from crag.types import Turn

PORTION = 200


@dataclass(frozen=True, slots=True)
class Who:
    """A person of a platform, as `Place.platform` and `Person.id` name them."""

    platform: str
    id: str

    def __str__(self) -> str:
        return f"{self.platform}:{self.id}"


@dataclass(frozen=True, slots=True)
class Deleted:
    """How much went. `others` are questions of other people in whose history, or text, this person may stand."""

    questions: int = 0
    others: int = 0
    votes: int = 0
    jobs: int = 0
    corrections: int = 0


async def export(database: Database, who: Who) -> Data:
    """Everything of this person, as plain data. Raises JournalUnavailable."""
    asked = await database.read(select(replies).where(*_asked(who)).order_by(replies.c.at))
    waiting = await database.read(select(open_questions).where(*_waiting(who)).order_by(open_questions.c.at))
    cast = await database.read(select(votes).where(*_cast(who)).order_by(votes.c.at))
    said = await database.read(select(corrections).where(*_corrected(who)).order_by(corrections.c.at))
    started = await database.read(select(jobs).where(*_started(who)).order_by(jobs.c.started))
    return {
        "user": str(who),
        "questions": [_question(row) for row in asked],
        "unanswered": [_waiting_question(row) for row in waiting],
        "votes": [
            {"at": _time(row.at), "reply": row.reply, "helpful": bool(row.helpful), "reason": row.reason}
            for row in cast
        ],
        "corrections": [
            {"at": _time(row.at), "reply": row.reply, "truth": row.truth, "sources": json.loads(row.sources)}
            for row in said
        ],
        "jobs": [{"at": _time(row.started), "job": json.loads(row.view)[0]} for row in started],
    }


async def erase(database: Database, who: Who) -> Deleted:
    """Delete all of this person, in one transaction. What other people asked goes too where this person's id stands in
    it, or where it may carry their words: asked in a conversation of theirs, with a history that doesn't say who wrote
    what. A job stays, but not who started it. Raises JournalUnavailable."""
    asked = await database.read(select(replies.c.id, replies.c.conversation).where(*_asked(who)))
    conversations = {row.conversation for row in asked}
    others = await _others(database, who, conversations)
    unanswered = await _unanswered_of_others(database, who, conversations)
    keys = await database.read(select(claims.c.key).where(claims.c.key.contains(who.id, autoescape=True)))
    named = [row.key for row in keys if _names(row.key, who)]
    nowhere = records.packed_place(Place(who.platform, "", ""))
    gone = [row.id for row in asked] + others
    counts = await database.write(
        [
            [
                delete(votes).where(*_cast(who)),
                *(delete(votes).where(votes.c.reply.in_(ids)) for ids in _portions(gone)),
            ],
            [delete(replies).where(*_asked(who))],
            [delete(replies).where(replies.c.id.in_(ids)) for ids in _portions(others)],
            [
                delete(corrections).where(*_corrected(who)),
                *(delete(corrections).where(corrections.c.reply.in_(ids)) for ids in _portions(gone)),
            ],
            [update(jobs).where(*_started(who)).values(person="", place=nowhere)],
            [delete(open_questions).where(*_waiting(who))],
            [delete(open_questions).where(open_questions.c.id.in_(ids)) for ids in _portions(unanswered)],
            [delete(claims).where(claims.c.key.in_(ids)) for ids in _portions(named)],
        ]
    )
    await database.forget_deleted()
    return Deleted(votes=counts[0], questions=counts[1], others=counts[2], corrections=counts[3], jobs=counts[4])


async def stats(database: Database) -> Data:
    """How much there is of what. Raises JournalUnavailable."""
    rows = await database.read(
        select(replies.c.platform, replies.c.outcome, func.count(), func.min(replies.c.at), func.max(replies.c.at))
        .group_by(replies.c.platform, replies.c.outcome)
        .order_by(replies.c.platform, replies.c.outcome)
    )
    by_platform, by_outcome = Counter[str](), Counter[str]()
    for platform, outcome, number, _, _ in rows:
        by_platform[platform] += number
        by_outcome[outcome] += number
    cast = await database.read(select(votes.c.helpful, func.count()).group_by(votes.c.helpful))
    number_of = {bool(helpful): number for helpful, number in cast}
    return {
        "journal": database.name,
        "questions": by_outcome.total(),
        "by_platform": dict(by_platform),
        "by_outcome": dict(by_outcome),
        "helpful": number_of.get(True, 0),
        "not_helpful": number_of.get(False, 0),
        "corrections": await _count(database, corrections),
        "unanswered": await _count(database, open_questions),
        "jobs": await _count(database, jobs),
        "first": _time(min(row[3] for row in rows)) if rows else None,
        "last": _time(max(row[4] for row in rows)) if rows else None,
    }


async def _count(database: Database, table: Table) -> int:
    return int((await database.read(select(func.count()).select_from(table)))[0][0])


def _asked(who: Who) -> tuple[Any, ...]:
    return replies.c.platform == who.platform, replies.c.asker == who.id


def _waiting(who: Who) -> tuple[Any, ...]:
    return open_questions.c.platform == who.platform, open_questions.c.person == who.id


def _cast(who: Who) -> tuple[Any, ...]:
    """A vote doesn't say its platform; its reply does, if there is one."""
    elsewhere = select(replies.c.id).where(replies.c.platform != who.platform)
    return votes.c.person == who.id, votes.c.reply.not_in(elsewhere)


def _corrected(who: Who) -> tuple[Any, ...]:
    return corrections.c.platform == who.platform, corrections.c.person == who.id


def _started(who: Who) -> tuple[Any, ...]:
    return jobs.c.platform == who.platform, jobs.c.person == who.id


async def _others(database: Database, who: Who, conversations: set[str]) -> list[str]:
    """The ids of other people's records that may tell of this person. Read in portions: a record is large."""
    found: list[str] = []
    last = ""
    theirs = replies.c.platform == who.platform, replies.c.asker != who.id
    while page := await database.read(
        select(replies).where(*theirs, replies.c.id > last).order_by(replies.c.id).limit(PORTION)
    ):
        for row in page:
            if _names(row.record, who) or (row.conversation in conversations and _unclear(row)):
                found.append(row.id)
        last = page[-1].id
    return found


async def _unanswered_of_others(database: Database, who: Who, conversations: set[str]) -> list[str]:
    found = []
    for row in await database.read(select(open_questions).where(open_questions.c.platform == who.platform)):
        incoming = records.incoming_of(row.incoming)
        here = incoming is None or incoming.place.conversation in conversations
        if _names(row.incoming, who) or (here and (incoming is None or _unsigned(incoming.history))):
            found.append(row.id)
    return found


def _unclear(row: Any) -> bool:
    """Whether a record's history has words of people it doesn't name, or can't be read at all."""
    known = records.recorded(row)
    return known is None or _unsigned((*known.incoming.history, *known.reply.question.history))


def _unsigned(history: Sequence[Turn]) -> bool:
    return any(not turn.by_bot and not turn.author for turn in history)


def _names(text: str, who: Who) -> bool:
    """Whether the id stands in it as a word, and not as the digits of a number."""
    return who.id in text and bool(re.search(rf"(?<!\w)(?<!\d\.){re.escape(who.id)}(?!\w)", text))


def _question(row: Any) -> Data:
    known = records.recorded(row)
    if known is None:
        return {"at": _time(row.at), "id": row.id, "unreadable": row.record}
    incoming = known.incoming
    return {
        "at": _time(row.at),
        "id": row.id,
        "entry": incoming.entry,
        "place": asdict(incoming.place),
        "link": incoming.link,
        "text": incoming.text,
        "history": [asdict(turn) for turn in incoming.history],
        "groups": sorted(incoming.person.groups),
        "reply": reply_data(known.reply),
    }


def _waiting_question(row: Any) -> Data:
    incoming = json.loads(row.incoming)[0]
    return {"at": _time(row.at), "text": incoming["text"], "incoming": incoming}


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _portions(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Few enough for one statement."""
    for start in range(0, len(ids), PORTION):
        yield ids[start : start + PORTION]
