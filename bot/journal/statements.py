"""What is asked of the database. Those with a record or a question in them take a moment to build: not on the loop."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Delete, Executable, Table, Update, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from bot.journal import records
from bot.journal.tables import claims, corrections, counters, jobs, open_questions, remembered, replies, votes
from bot.redaction import redact
from crag.corrections import Correction
from crag.platform import Incoming, JobPhase, JobView, Place
from crag.types import Reply

Insert = sqlite.Insert | postgresql.Insert
_UNFINISHED = (JobPhase.QUEUED, JobPhase.RUNNING)
_AGEING: tuple[tuple[Table, str, str], ...] = (
    (replies, "id", "at"),
    (votes, "reply", "at"),
    (corrections, "reply", "at"),
    (claims, "key", "at"),
    (open_questions, "id", "at"),
    (jobs, "id", "updated"),
)


class Statements:
    """`insert` is that of the database's dialect; `run` is this process' number. Times are seconds since 1970."""

    def __init__(self, insert: Callable[[Table], Insert], run: int) -> None:
        self._insert = insert
        self._run = run

    def claim(self, keys: Collection[str], at: float) -> Executable:
        """Returns those keys that nobody had claimed. In order, so that two processes never wait for each other."""
        rows = [{"key": key, "at": at} for key in sorted(keys)]
        return self._insert(claims).values(rows).on_conflict_do_nothing().returning(claims.c.key)

    def open(self, incoming: Incoming, at: float) -> Insert:
        return self._upsert(
            open_questions,
            id=incoming.keys[0],
            run=self._run,
            platform=incoming.place.platform,
            person=incoming.person.id,
            incoming=records.packed_incoming(incoming),
            at=at,
        )

    def settle(self, keys: Sequence[str]) -> Delete:
        return delete(open_questions).where(open_questions.c.id.in_(keys))

    def take(self, platform: str, runs: Collection[int]) -> Executable:
        """Returns the questions of these runs, which are this run's from then on."""
        theirs = open_questions.c.platform == platform, open_questions.c.run.in_(runs)
        taken = update(open_questions).where(*theirs).values(run=self._run)
        return taken.returning(open_questions.c.incoming, open_questions.c.at)

    def record(self, incoming: Incoming, reply: Reply, at: float) -> Insert:
        return self._upsert(
            replies,
            id=reply.trace.id,
            platform=incoming.place.platform,
            asker=incoming.person.id,
            conversation=incoming.place.conversation,
            outcome=records.outcome(reply),
            version=records.VERSION,
            record=records.packed(incoming, reply),
            at=at,
        )

    def vote(self, reply: str, person: str, helpful: bool, reason: str, at: float) -> Insert:
        return self._upsert(votes, reply=reply, person=person, helpful=helpful, reason=redact(reason), at=at)

    def correct(
        self, reply: str, platform: str, person: str, correction: Correction, sources: Sequence[str], at: float
    ) -> Insert:
        return self._upsert(
            corrections,
            reply=reply,
            person=person,
            platform=platform,
            truth=str(correction.truth),
            sources=json.dumps([redact(source) for source in sources]),
            passages=json.dumps(correction.passages),
            at=at,
        )

    def withdraw(self, reply: str, platform: str, person: str) -> Delete:
        mine = corrections.c.platform == platform, corrections.c.person == person
        return delete(corrections).where(corrections.c.reply == reply, *mine)

    def start_job(self, view: JobView, person: str, place: Place, at: float) -> Insert:
        return self._upsert(
            jobs,
            id=view.id,
            run=self._run,
            phase=str(view.phase),
            view=records.packed_view(view),
            platform=place.platform,
            person=person,
            place=records.packed_place(place),
            started=at,
            updated=at,
        )

    def update_job(self, view: JobView, at: float) -> Update:
        values = {"phase": str(view.phase), "view": records.packed_view(view), "updated": at}
        return update(jobs).where(jobs.c.id == view.id).values(values)

    def unfinished_jobs(self) -> Executable:
        return select(jobs).where(jobs.c.phase.in_([str(phase) for phase in _UNFINISHED])).order_by(jobs.c.started)

    def bump(self, name: str, day: date, by: int) -> Insert:
        statement = self._insert(counters).values(name=name, day=day.isoformat(), value=by)
        more = counters.c.value + statement.excluded.value
        return statement.on_conflict_do_update(index_elements=list(counters.primary_key), set_={"value": more})

    def put(self, name: str, value: str) -> Insert:
        return self._upsert(remembered, name=name, value=value)

    def _upsert(self, table: Table, **values: Any) -> Insert:
        keys = set(table.primary_key.columns.keys())
        statement = self._insert(table).values(**values)
        changed: Mapping[str, Any] = {name: statement.excluded[name] for name in values if name not in keys}
        return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=changed)


def outdated(before: float, portion: int) -> list[Delete]:
    """For each table one statement that deletes at most `portion` rows of an earlier time."""
    statements = []
    for table, key, time in _AGEING:
        old = select(table.c[key]).where(table.c[time] < before).limit(portion)
        statements.append(delete(table).where(table.c[key].in_(old)))
    day = datetime.fromtimestamp(before, UTC).date().isoformat()
    return [*statements, delete(counters).where(counters.c.day < day)]
