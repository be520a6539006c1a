"""An SQLite file beyond repair makes room for a new one. All of this blocks."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from bot.journal.errors import is_damage

_COMPANIONS = ("", "-wal", "-shm")


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """No other process prepares this file meanwhile."""
    with file.with_name(f"{file.name}-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def create(file: Path) -> None:
    """Make an empty file that nobody else may read, if there is none. An existing one isn't opened: closing it would
    release the locks that SQLite holds on it in this process."""
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def is_damaged(file: Path) -> bool:
    """Read all of it. Raises sqlite3.Error where that can't be told, as from a locked one."""
    try:
        with closing(sqlite3.connect(file, timeout=2.0)) as connection:
            return bool(connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok")
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return True
        raise


def set_aside(file: Path) -> str:
    """Rename it, with its log. Returns the sentence that says so."""
    kept = file.with_name(f"{file.name}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}")
    for companion in _COMPANIONS:
        with suppress(FileNotFoundError):
            file.with_name(file.name + companion).rename(kept.with_name(kept.name + companion))
    return f"The journal {file} was damaged. It is kept as {kept.name}; a new one begins."


def set_asides(file: Path) -> list[Path]:
    """The damaged files that were kept."""
    return sorted(
        path for path in file.parent.glob(f"{file.name}.damaged-*") if not path.name.endswith(_COMPANIONS[1:])
    )


def empty_log(file: Path, timeout_s: float) -> None:
    """Bring SQLite's log into the file and cut it to nothing, unless a reader needs it."""
    with closing(sqlite3.connect(file, timeout=timeout_s)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
