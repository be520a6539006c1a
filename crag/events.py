"""What the engine says while it works, for a status line and for streamed answers."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass


class State(enum.StrEnum):
    """Where a question is. The path through these stands in the trace."""

    RECEIVED = "received"
    STANDALONE = "standalone"
    SEARCH = "search"
    GRADE = "grade"
    WIDEN = "widen"
    SECOND_SOURCE = "second_source"
    REWRITE = "rewrite"
    REFINE = "refine"
    WRITE = "write"
    SUPPORT = "support"
    ANSWERED = "answered"
    ABSTAINED = "abstained"
    COURTESY = "courtesy"


TRANSITIONS: dict[State, frozenset[State]] = {
    State.RECEIVED: frozenset({State.STANDALONE, State.SEARCH, State.COURTESY, State.ABSTAINED}),
    State.STANDALONE: frozenset({State.SEARCH, State.ABSTAINED}),
    State.SEARCH: frozenset({State.GRADE, State.WRITE, State.ABSTAINED}),
    State.GRADE: frozenset(
        {State.WIDEN, State.SECOND_SOURCE, State.REWRITE, State.REFINE, State.WRITE, State.ABSTAINED}
    ),
    State.WIDEN: frozenset({State.GRADE, State.ABSTAINED}),
    State.SECOND_SOURCE: frozenset({State.GRADE, State.ABSTAINED}),
    State.REWRITE: frozenset({State.SEARCH, State.SECOND_SOURCE, State.ABSTAINED}),
    State.REFINE: frozenset({State.WRITE, State.ABSTAINED}),
    State.WRITE: frozenset({State.SUPPORT, State.ABSTAINED}),
    State.SUPPORT: frozenset({State.ANSWERED, State.ABSTAINED}),
}
"""Every step the engine may take; the final states have none."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The engine entered a state."""

    state: State


@dataclass(frozen=True, slots=True)
class Piece:
    """More of an answer that is being written: no links, known marks only; support is not settled yet."""

    text: str


@dataclass(frozen=True, slots=True)
class Restart:
    """The writer failed in mid-answer: forget the pieces so far, another one begins."""


Event = Stage | Piece | Restart
Listener = Callable[[Event], None]
