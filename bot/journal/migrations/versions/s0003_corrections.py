"""What people say replies should have been."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "corrections",
        sa.Column("reply", sa.Text, primary_key=True),
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("platform", sa.Text, nullable=False),
        sa.Column("truth", sa.Text, nullable=False),
        sa.Column("sources", sa.Text, nullable=False),
        sa.Column("passages", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("corrections_at", "corrections", ["at"])
