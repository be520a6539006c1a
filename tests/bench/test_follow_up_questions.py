"""bench/follow_ups.jsonl is what it says: two halves of follow-ups, whose sources exist."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from crag.evaluation.questions import load

ROOT = Path(__file__).parents[2]


def test_each_half_has_18_follow_ups_on_pages_that_exist() -> None:
    questions = load(ROOT / "bench" / "follow_ups.jsonl")
    assert Counter(q.split for q in questions) == {"dev": 18, "unseen": 18}
    assert all(q.history for q in questions)
    assert all((ROOT / "examples" / source).is_file() for q in questions for source in q.sources)
    assert sum(turn.unknown for q in questions for turn in q.history) == 2
