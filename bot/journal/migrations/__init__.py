"""The journal's schema, step by step. A step never changes once it is released, and imports nothing of ours."""

from __future__ import annotations

import logging
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

VERSION_TABLE = "journal_version"


def migrate(connection: Connection, to: str = "head") -> None:
    """Bring the schema up to a step, inside the transaction that the connection is in. Blocks."""
    logging.getLogger("alembic").setLevel(logging.WARNING)  # it is tried again every few seconds while the disk is full
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.attributes["connection"] = connection
    command.upgrade(config, to)
