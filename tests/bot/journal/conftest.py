"""Where the journal's tests write."""

from pathlib import Path

import pytest

from tests.bot.journal.scenes import Clock
from tests.servers.postgres import Postgres, postgres

__all__ = ["postgres"]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'a folder' / 'journal.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, sqlite_url: str) -> str:
    """An empty database: each test runs on both kinds."""
    if request.param == "sqlite":
        return sqlite_url
    server = request.getfixturevalue("postgres")
    assert isinstance(server, Postgres)
    return server.new_database()


@pytest.fixture
def clock() -> Clock:
    return Clock()
