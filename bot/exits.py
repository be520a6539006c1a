"""What an exit code means. `docs/command-line.md` says the same."""

from __future__ import annotations

import enum

from crag.types import Abstention, Reason, Reply


class Exit(enum.IntEnum):
    OK = 0
    FAILED = 1
    USAGE = 2
    ABSTAINED = 3
    SOME_FILES_FAILED = 4
    INTERRUPTED = 130
    TERMINATED = 143


_USAGE = {Reason.EMPTY_QUESTION, Reason.QUESTION_TOO_LONG}
_FAILED = {
    Reason.GRADER_FAILED,
    Reason.SEARCH_UNAVAILABLE,
    Reason.INDEX_MISSING,
    Reason.INDEX_MISMATCH,
    Reason.TIMEOUT,
    Reason.INTERNAL,
}


def exit_of(reply: Reply) -> Exit:
    """Not to know is one thing, to fail another."""
    if not isinstance(reply.body, Abstention):
        return Exit.OK
    if reply.body.reason in _USAGE:
        return Exit.USAGE
    return Exit.FAILED if reply.body.reason in _FAILED else Exit.ABSTAINED
