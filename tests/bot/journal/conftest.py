"""Where the journal's tests write."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.journal.scenes import Clock
from tests.servers.postgres import Postgres, postgres

__all__ = ["postgres"]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'a folder' / 'journal.db'}"


@pytest.fixture
def postgresql_url(postgres: Postgres) -> Iterator[str]:
    with postgres.new_database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    """An empty database: each test runs on both kinds."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def clock() -> Clock:
    return Clock()
