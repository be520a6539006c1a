"""Why something could not be written or read; these never leave the journal, except through `candor journal`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from alembic.util import CommandError
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError

from crag.errors import CandorError, ServiceError

DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
PRIMARY = 0xFF
"""An extended SQLite code has its primary code in the lowest byte."""


class JournalUnavailable(ServiceError):
    """The database as a whole can't be used now: full, locked, read-only, gone, damaged. Trying later may help."""

    service = "the journal"

    def __init__(self, message: str, *, advice: str = "", damaged: bool = False) -> None:
        super().__init__(message, advice=advice)
        self.damaged = damaged


class RecordRefused(CandorError):
    """The database is well, but doesn't take this; trying later won't help."""


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Errors of the database `name` (as people know it) become ours."""
    try:
        yield
    except (DataError, IntegrityError, UnicodeError) as error:
        raise RecordRefused(f"The journal doesn't take a record: {_reason(error)}.") from error
    except CommandError as error:
        raise JournalUnavailable(
            f"The journal {name} was written by a newer Candor.", advice="Run that one, or another journal."
        ) from error
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise JournalUnavailable(
            f"The journal {name} can't be used: {_reason(error)}.",
            advice="Questions are answered all the same. Candor tries again by itself.",
            damaged=is_damage(error),
        ) from error


def is_damage(error: BaseException) -> bool:
    """Whether SQLite says that the file itself is broken."""
    original = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(original, "sqlite_errorcode", None)
    return isinstance(code, int) and code & PRIMARY in DAMAGED


def _reason(error: Exception) -> str:
    """The first line of what the database says, without the statement and its data."""
    original = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(original, TimeoutError):
        return "it doesn't answer"
    lines = str(original).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(original).__name__
