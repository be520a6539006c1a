"""The journal's tables as the newest migration leaves them. Times are seconds since 1970; JSON is text, so that both
databases keep it as it was written."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, MetaData, Table, Text

METADATA = MetaData()

replies = Table(
    "replies",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("platform", Text, nullable=False),
    Column("asker", Text, nullable=False),
    Column("conversation", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("record", Text, nullable=False),
    Column("at", Float, nullable=False),
    Index("replies_at", "at"),
    Index("replies_asker", "platform", "asker"),
    Index("replies_conversation", "conversation"),
)
"""`outcome` is "answered", "courtesy" or the reason's code; `record` is the question as it came in and the reply."""

votes = Table(
    "votes",
    METADATA,
    Column("reply", Text, primary_key=True),
    Column("person", Text, primary_key=True),
    Column("helpful", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Float, nullable=False),
    Index("votes_at", "at"),
)

corrections = Table(
    "corrections",
    METADATA,
    Column("reply", Text, primary_key=True),
    Column("person", Text, primary_key=True),
    Column("platform", Text, nullable=False),
    Column("truth", Text, nullable=False),
    Column("sources", Text, nullable=False),
    Column("passages", Text, nullable=False),
    Column("at", Float, nullable=False),
    Index("corrections_at", "at"),
)
"""What people say replies should have been. `sources` and `passages` are JSON lists: documents that answer, and ranks
of passages that do. What was asked stands in the reply's record only, and is gone with it."""

claims = Table(
    "claims",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("at", Float, nullable=False),
    Index("claims_at", "at"),
)

open_questions = Table(
    "open_questions",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("run", BigInteger, nullable=False),
    Column("platform", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("incoming", Text, nullable=False),
    Column("at", Float, nullable=False),
)
"""`id` is the question's first key; `run` is the process that accepted it."""

jobs = Table(
    "jobs",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("run", BigInteger, nullable=False),
    Column("phase", Text, nullable=False),
    Column("view", Text, nullable=False),
    Column("platform", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("place", Text, nullable=False),
    Column("started", Float, nullable=False),
    Column("updated", Float, nullable=False),
    Index("jobs_started", "started"),
)

counters = Table(
    "counters",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("value", Integer, nullable=False),
)

remembered = Table(
    "remembered",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
