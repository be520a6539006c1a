"""The corrections that the journal keeps, with what they are about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from bot.journal import records
from bot.journal.database import Database
from bot.journal.tables import corrections, replies
from crag.corrections import Corrected, Truth

PORTION = 100
"""How many records are read at once: one has about 50 kB."""


async def corrected(database: Database) -> list[Corrected]:
    """All that are about a reply which is still known and readable. Raises JournalUnavailable."""
    rows = await database.read(select(corrections).order_by(corrections.c.at))
    found: list[Corrected] = []
    for start in range(0, len(rows), PORTION):
        found += await _portion(database, rows[start : start + PORTION])
    return found


async def _portion(database: Database, rows: Sequence[Any]) -> list[Corrected]:
    wanted = select(replies).where(replies.c.id.in_({row.reply for row in rows}))
    known = {row.id: records.recorded(row) for row in await database.read(wanted)}
    return [_corrected(row, about) for row in rows if (about := known.get(row.reply))]


def _corrected(row: Any, about: records.Recorded) -> Corrected:
    question = about.reply.question
    return Corrected(
        person=f"{row.platform}:{row.person}",
        at=row.at,
        truth=Truth(row.truth),
        sources=tuple(json.loads(row.sources)),
        text=question.text,
        history=question.history,
        tenant=question.tenant,
        corpora=question.corpora,
        access=question.access,
    )
