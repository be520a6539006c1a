"""A question with the reply it got, and what that reply is worth."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from crag.evaluation.questions import Asked
from crag.types import Abstention, Answer, Chunk, Grade, Reason, Reply

FAILURES = frozenset(
    {
        Reason.GRADER_FAILED,
        Reason.SEARCH_UNAVAILABLE,
        Reason.INDEX_MISSING,
        Reason.INDEX_MISMATCH,
        Reason.TIMEOUT,
        Reason.INTERNAL,
    }
)
"""Abstentions that say nothing of the documents."""


class Result(enum.StrEnum):
    """What a reply is worth. Stable: it stands in `--json`."""

    RIGHT = "right"
    FALSE = "false_answer"
    NEEDLESS = "needless_abstention"
    HONEST = "honest_abstention"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A *false answer* is an answer to an unanswerable question, or an answer to an answerable one that cites none of
    its expected sources. A *needless abstention* is no answer to an answerable question, whatever the reason."""

    asked: Asked
    reply: Reply

    @property
    def answer(self) -> Answer | None:
        return self.reply.body if isinstance(self.reply.body, Answer) else None

    @property
    def result(self) -> Result:
        if self.answer:
            cited = any(self.asked.source_of(c.chunk) for c in self.answer.citations)
            return Result.RIGHT if cited else Result.FALSE
        return Result.NEEDLESS if self.asked.answerable else Result.HONEST

    @property
    def failed(self) -> bool:
        """Whether a part of Candor failed, so that the outcome says nothing of the documents."""
        return isinstance(self.reply.body, Abstention) and self.reply.body.reason in FAILURES

    @property
    def ranked(self) -> list[Grade]:
        """The graded passages, best first."""
        return sorted(self.reply.trace.grades, key=lambda grade: -grade.score)

    @property
    def rank(self) -> int | None:
        """1 where the best passage comes from an expected source, None where none of them does."""
        places = (n for n, grade in enumerate(self.ranked, 1) if self.asked.source_of(grade.chunk))
        return next(places, None)

    @property
    def score(self) -> float:
        """The best passage's: how sure Candor is that it can answer. 0 where nothing was graded."""
        return max((grade.score for grade in self.reply.trace.grades if grade.raw is not None), default=0.0)

    @property
    def wrong_if_answered(self) -> bool:
        """Whether an answer is, or would be, false: what was not answered would be answered from its best passage."""
        return self.result is Result.FALSE if self.answer else self.rank != 1

    @property
    def cited(self) -> tuple[Chunk, ...]:
        return tuple(c.chunk for c in self.answer.citations) if self.answer else ()

    def milliseconds(self, *stages: str) -> float | None:
        """What these stages took together, None where none of them ran."""
        timings = self.reply.trace.timings
        known = [timings[stage] for stage in stages if stage in timings]
        return sum(known) if known else None


async def ask_all(
    questions: Sequence[Asked],
    ask: Callable[[Asked], Awaitable[Reply]],
    on_reply: Callable[[int, Outcome], None] = lambda done, outcome: None,
) -> list[Outcome]:
    """Ask one after the other, as their time counts too; `on_reply` is told how many are done."""
    outcomes: list[Outcome] = []
    for asked in questions:
        outcomes.append(Outcome(asked, await ask(asked)))
        on_reply(len(outcomes), outcomes[-1])
    return outcomes
