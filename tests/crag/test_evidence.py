"""Which chunks reach the writer."""

from __future__ import annotations

from dataclasses import replace

from crag.evidence import select
from crag.types import Grade, Verdict
from tests.crag.scenes import HOLIDAY, chunk

C, A, I = Verdict.CORRECT, Verdict.AMBIGUOUS, Verdict.INCORRECT  # noqa: E741


def grade(name: str, score: float, verdict: Verdict, title: str = "") -> Grade:
    return Grade(chunk(HOLIDAY, name, title=title), score, verdict, raw=score)


def test_evidence_is_numbered_correct_first_superseded_last() -> None:
    grades = [grade("old", 0.95, A, "Holiday (superseded)"), grade("a", 0.6, A), grade("c", 0.8, C), grade("i", 0.1, I)]
    evidence, told = select(grades, {}, 5)
    assert [(e.number, e.chunk.id) for e in evidence] == [(1, "c"), (2, "a"), (3, "old")]
    assert {g.chunk.id: g.kept for g in told} == {"c": True, "a": True, "old": True, "i": False}


def test_refined_text_replaces_the_chunks_own() -> None:
    evidence, told = select([grade("a", 0.6, A), grade("b", 0.5, A)], {"a": "27 days.", "b": ""}, 5)
    assert [e.text for e in evidence] == ["27 days."]
    assert [g.reason for g in told] == ["evidence", "no strip of it passed"]


def test_what_was_not_graded_or_refused_by_a_language_model_keeps_its_own_reason() -> None:
    far = replace(grade("far", 0.0, I), graded=False, raw=None, reason="not graded: time ran out")
    refused = replace(grade("no", 0.5, I), adjudicated=0.1, reason="a language model says no")
    evidence, told = select([refused, grade("weak", 0.1, I), far], {}, 5)
    assert evidence == []
    assert {g.chunk.id: g.reason for g in told} == {
        "no": "a language model says no", "weak": "below the lower threshold", "far": "not graded: time ran out",
    }  # fmt: skip


def test_no_evidence_of_nothing() -> None:
    assert select([], {}, 5) == ([], [])
