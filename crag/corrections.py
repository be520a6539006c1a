"""What people say a reply should have been, and the questions that follow from it.

A correction is a claim by anyone who could read the reply: nothing but a calibration that somebody starts makes use of
it, and that says whose it is.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from crag.evaluation.questions import Asked, identity
from crag.text import words
from crag.types import EVERYONE, Turn

KIND = "corrected"
"""The kind of a question that a correction made."""


class Truth(enum.StrEnum):
    """What would have been right. Stable codes: they stand in the journal."""

    ANSWERABLE = "answerable"
    UNANSWERABLE = "unanswerable"
    UNSAID = "unsaid"
    """The answer is wrong, and that is all."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What one person says of one reply. `passages` are ranks in its trace, from 1: those that answer the question, and
    so no other; `page` is a document that does, as the person named it."""

    truth: Truth
    passages: tuple[int, ...] = ()
    page: str = ""


def claimed(choice: str, passages: Sequence[str], page: str) -> Correction | None:
    """What stands in a form, `choice` being a Truth or "". Whoever ticks a passage or names a page says that it answers
    the question, unless they chose that nothing does. None where they said nothing."""
    ranks, named = tuple(sorted(int(rank) for rank in passages)), page.strip()
    if choice == Truth.UNANSWERABLE:
        return Correction(Truth.UNANSWERABLE)
    if ranks or named or choice == Truth.ANSWERABLE:
        return Correction(Truth.ANSWERABLE, ranks, named)
    return Correction(Truth.UNSAID) if choice == Truth.UNSAID else None


@dataclass(frozen=True, slots=True)
class Corrected:
    """A correction with what it is about. `sources` are the documents that answer, by path or address; `person` is who
    said so, as PLATFORM:ID; `at` in seconds since 1970. Tenant, corpora and access are those of the question."""

    person: str
    at: float
    truth: Truth
    sources: tuple[str, ...]
    text: str
    history: tuple[Turn, ...] = ()
    tenant: str = "local"
    corpora: frozenset[str] = frozenset()
    access: frozenset[str] = frozenset({EVERYONE})


@dataclass(frozen=True, slots=True)
class Gathered:
    """`questions` made of corrections, and who made them. Left out: `unsaid` that don't say what would have been right,
    `elsewhere` of another tenant, `known` that a file of questions has already."""

    questions: tuple[Asked, ...] = ()
    people: tuple[str, ...] = ()
    unsaid: int = 0
    elsewhere: int = 0
    known: int = 0

    @property
    def persons(self) -> int:
        """How many people the questions are from."""
        return len(set(self.people))

    def without(self, unknown: frozenset[str]) -> Gathered:
        """Without the questions of these ids."""
        kept = [pair for pair in zip(self.questions, self.people, strict=True) if pair[0].id not in unknown]
        return replace(self, questions=tuple(q for q, _ in kept), people=tuple(person for _, person in kept))


def gathered(corrections: Iterable[Corrected], tenant: str, file: Sequence[Asked] = ()) -> Gathered:
    """One question for each that was corrected: the last correction of it counts, whoever made it. What stands in the
    file counts as the file has it: that was written with care."""
    last: dict[object, Corrected] = {}
    elsewhere = 0
    for corrected in sorted(corrections, key=lambda one: one.at):
        if corrected.tenant != tenant:
            elsewhere += 1
        elif words(corrected.text) and says_what(corrected):
            last[_key(corrected.text, corrected.history)] = corrected
        elif words(corrected.text):
            last.setdefault(_key(corrected.text, corrected.history), corrected)
    written = {_key(asked.text, asked.history) for asked in file}
    new = [corrected for key, corrected in last.items() if key not in written]
    said = [corrected for corrected in new if says_what(corrected)]
    return Gathered(
        questions=tuple(_question(corrected) for corrected in said),
        people=tuple(corrected.person for corrected in said),
        unsaid=len(new) - len(said),
        elsewhere=elsewhere,
        known=len(last) - len(new),
    )


def says_what(corrected: Corrected) -> bool:
    """Whether it tells what would have been right: only then can a reply be measured by it."""
    return corrected.truth is Truth.UNANSWERABLE or (corrected.truth is Truth.ANSWERABLE and bool(corrected.sources))


def _question(corrected: Corrected) -> Asked:
    """Asked again as it was asked, also with what could be seen from there."""
    sources = frozenset(corrected.sources) if corrected.truth is Truth.ANSWERABLE else frozenset[str]()
    return Asked(
        id=f"{KIND}-{identity(corrected.text, corrected.history)}",
        kind=KIND,
        text=corrected.text,
        sources=sources,
        history=corrected.history,
        corpora=corrected.corpora,
        access=corrected.access,
    )


def _key(text: str, history: Sequence[Turn]) -> object:
    """Case and punctuation make no other question; what was said before does."""
    return (tuple(words(text)), *(tuple(words(turn.text)) for turn in history))
