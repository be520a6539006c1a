"""The record of one question while it is being answered; it becomes the trace."""

from __future__ import annotations

import asyncio
import math
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from crag import wording
from crag.calibration import Calibration
from crag.citations import without_links
from crag.events import TRANSITIONS, Event, Listener, Piece, Stage, State
from crag.grading import OUT_OF_TIME, merged, strategy
from crag.text import clean, words
from crag.types import Abstention, Action, Band, Generation, Grade, Hit, Question, Reason, SentenceSupport, Trace

TOLD = 300
"""Characters of a reading that its reader is told."""
_CORRECTIVE = ("grade", "widen", "second_source", "rewrite", "refine", "support")


class Abstain(Exception):
    """Raised inside the engine to end a question with an abstention."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Run:
    """What is known and decided so far. Belongs to one task. `asked` is the stand-alone question; `reading` is the same
    with its spelling mended where a rewrite did that: what is graded and answered. `second_sources` names, by chunk id,
    the second retriever that found it; `writer` is the model that wrote last; `grading_ends` is when grading has to be
    over, on the event loop's clock."""

    def __init__(self, question: Question, rewrites: int, listener: Listener | None) -> None:
        self.id = uuid.uuid4().hex[:12]
        self.question = question
        self.asked = question.text
        self.reading = question.text
        self.rewrites_left = rewrites
        self.band: Band | None = None
        self.grades: list[Grade] = []
        self.actions: list[Action] = []
        self.queries: list[str] = []
        self.sentences: tuple[SentenceSupport, ...] = ()
        self.failures: list[str] = []
        self.second_sources: dict[str, str] = {}
        self.writer = ""
        self.grading_ends = math.inf
        self._listener = listener
        self._states = [State.RECEIVED]
        self._timings: dict[str, float] = {}
        self._started = time.perf_counter()
        self._live: Generation | None = None
        self._graded: set[tuple[str, str]] = set()

    @property
    def documents(self) -> str:
        """How many documents were searched, in words."""
        return wording.documents(self.searched)

    @property
    def searched(self) -> int:
        """How many documents were searched, 0 where that isn't known or isn't for everyone to know."""
        return self._live.searched(self.question.corpora, self.question.access) if self._live else 0

    def enter(self, state: State) -> None:
        """Go to the next state. A step that TRANSITIONS doesn't have is a programming error."""
        if state not in TRANSITIONS.get(self._states[-1], frozenset()):
            raise RuntimeError(f"no way from {self._states[-1]} to {state}")
        self._states.append(state)
        self.tell(Stage(state))

    @contextmanager
    def stage(self, state: State, *, quiet: bool = False) -> Iterator[None]:
        """Enter a state (unless `quiet`: part of another) and add what it takes to its timing."""
        if not quiet:
            self.enter(state)
        with self.timed(state.value):
            yield

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add the elapsed milliseconds to a timing."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._timings[name] = self._timings.get(name, 0.0) + (time.perf_counter() - start) * 1000

    def tell(self, event: Event) -> None:
        """Pass an event on; empty pieces aren't worth one."""
        if self._listener and not (isinstance(event, Piece) and not event.text):
            self._listener(event)

    def saw(self, query: str, live: Generation | None) -> None:
        """One search was made, of this generation."""
        self.queries.append(query)
        self._live = live

    @property
    def late(self) -> bool:
        """Whether something was not graded because time ran out."""
        return any(grade.reason == OUT_OF_TIME for grade in self.grades)

    @property
    def grading_over(self) -> bool:
        return self.late or asyncio.get_running_loop().time() >= self.grading_ends

    def ungraded(self, hits: Sequence[Hit]) -> list[Hit]:
        """The hits not yet graded against this reading of the question."""
        return [hit for hit in hits if (self.reading, hit.chunk.id) not in self._graded]

    def took(self, new: Sequence[Grade]) -> None:
        """Grades of this reading of the question; of two of one chunk the better score counts."""
        self._graded.update((self.reading, grade.chunk.id) for grade in new if grade.graded)
        self.grades = merged(self.grades, new)

    def abstained(self) -> None:
        """Whatever the state was, the question ended without an answer."""
        self._states.append(State.ABSTAINED)
        self.actions.append(Action.ABSTAIN)
        self.tell(Stage(State.ABSTAINED))

    def abstention(self, reason: Reason, detail: str, nearest: int) -> Abstention:
        """The honest reply, with the nearest passages where they may help."""
        return Abstention(reason, detail, tuple(self.grades[:nearest]), self.read_as)

    @property
    def read_as(self) -> tuple[str, ...]:
        """A sentence that says how the question was read, where that has other words than what was asked. A language
        model may have written it: no link, one line."""
        if words(self.reading) == words(clean(self.question.text)):
            return ()
        shown = " ".join(without_links(self.reading).split())
        return (wording.read_as(shown if len(shown) <= TOLD else f"{shown[:TOLD].rstrip()}…"),)

    @property
    def joined(self) -> bool:
        """Whether a follow-up was only put behind an earlier question: then an answer may be that one's."""
        text = clean(self.question.text).strip()
        return self.asked != text and self.asked.endswith(text)

    def trace(self, calibration: Calibration, models: Mapping[str, str]) -> Trace:
        """Everything, frozen."""
        timings = {**self._timings, "total": (time.perf_counter() - self._started) * 1000}
        timings["crag_ms"] = sum(timings.get(name, 0.0) for name in _CORRECTIVE)
        return Trace(
            id=self.id,
            states=tuple(state.value for state in self._states),
            actions=tuple(self.actions),
            band=self.band,
            strategy=strategy(self.grades) if self.grades else "",
            grades=tuple(self.grades),
            upper=calibration.upper,
            lower=calibration.lower,
            queries=tuple(self.queries),
            standalone=self.asked if self.asked != self.question.text else "",
            sentences=self.sentences,
            timings={name: round(ms, 2) for name, ms in timings.items()},
            models={**models, **({"writer": self.writer} if self.writer else {})},
            generation=self._live.name if self._live else "",
            searched=self.searched,
            failures=tuple(self.failures),
            caution=self._caution(calibration, models),
        )

    def _caution(self, calibration: Calibration, models: Mapping[str, str]) -> str:
        """Without counts: how many documents there are isn't for everyone to know."""
        if wrong := calibration.mismatch(models.get("grader", ""), models.get("embedder", "")):
            return wrong
        live = self._live
        return wording.DRIFTED if live and calibration.drift(live.chunker, live.documents) else ""
