"""Questions, replies and votes."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "replies",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("platform", sa.Text, nullable=False),
        sa.Column("asker", sa.Text, nullable=False),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("shown", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("replies_at", "replies", ["at"])
    op.create_index("replies_asker", "replies", ["platform", "asker"])
    op.create_index("replies_conversation", "replies", ["conversation"])
    op.create_table(
        "votes",
        sa.Column("reply", sa.Text, primary_key=True),
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("helpful", sa.Boolean, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("votes_at", "votes", ["at"])
    op.create_table(
        "claims",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("claims_at", "claims", ["at"])
    op.create_table(
        "open_questions",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("run", sa.BigInteger, nullable=False),
        sa.Column("platform", sa.Text, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("incoming", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
