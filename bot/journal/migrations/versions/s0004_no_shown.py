"""Which message shows a reply was never known: the column goes."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.drop_column("replies", "shown")
