"""Outcomes made by hand, for the tests of what is counted."""

from __future__ import annotations

from collections.abc import Sequence

from crag.evaluation.outcomes import Outcome
from crag.evaluation.questions import Asked
from crag.types import (
    Abstention,
    Answer,
    Band,
    Citation,
    Grade,
    Question,
    Reason,
    Reply,
    Support,
    Trace,
    Verdict,
)
from tests.crag.scenes import chunk


def outcome(
    expected: Sequence[str] = (),
    *,
    cites: Sequence[str] | None = None,
    found: Sequence[tuple[str, float]] = (),
    band: Band = Band.CORRECT,
    support: Support = Support.FULL,
    reason: Reason = Reason.WEAK_EVIDENCE,
    kind: str = "plain",
    text: str = "Why?",
    identity: str = "q1",
    ms: float = 100.0,
) -> Outcome:
    """`expected`, `cites` and `found` name documents; without `cites` it is an abstention."""
    grades = tuple(Grade(chunk(f"{name} text", name), score, Verdict.CORRECT, raw=score) for name, score in found)
    trace = Trace("t1", band=band, grades=grades, upper=0.7, lower=0.3, timings={"total": ms, "grade": ms / 2})
    body: Answer | Abstention = Abstention(reason, "I don't know that.")
    if cites is not None:
        citations = tuple(Citation(n, chunk("text", name), "text") for n, name in enumerate(cites, 1))
        body = Answer("So it is [1].", citations, band, support)
    asked = Asked(identity, kind, text, frozenset(f"{name}.md" for name in expected))
    return Outcome(asked, Reply(Question(text), body, trace))
