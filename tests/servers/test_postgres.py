"""The test server itself."""

import tempfile
from pathlib import Path

import psycopg
import pytest

from tests.servers import postgres
from tests.servers.postgres import PostgresMissing, Programs, programs, running


def test_a_server_runs_and_leaves_nothing_behind() -> None:
    with running(programs(postgres.CACHE)) as server:
        folder = server.log.parent
        with server.new_database() as url, psycopg.connect(url) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
    assert not folder.exists()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(f"{server.address}/postgres", connect_timeout=2)


def test_where_no_server_can_be_had_the_reason_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "installed", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PostgresMissing, match=r"initdb is not on PATH.*No such file or directory: 'apt-get'"):
        programs(tmp_path / "cache")


def test_a_server_that_cannot_be_set_up_says_why() -> None:
    with tempfile.TemporaryDirectory() as name:
        program = Path(name, "initdb")
        program.write_text("#!/bin/sh\necho no room >&2\nexit 1\n")
        for path in (program, program.parent):
            path.chmod(0o755)  # another user runs it
        with pytest.raises(PostgresMissing, match="initdb failed: no room"), running(Programs(program.parent)):
            pass
