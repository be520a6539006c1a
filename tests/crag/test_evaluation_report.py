import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from crag.errors import CandorError
from crag.evaluation.changes import Turned, changes, load_old
from crag.evaluation.outcomes import Outcome
from crag.evaluation.report import page, worst_cases
from crag.evaluation.results import evaluated, evaluation_data
from crag.types import Verdict
from tests.crag.evaluated import outcome

HOSTILE = '<script src="https://evil.example/x.js">alert(1)</script><img src=x onerror=y>'


def data_of(*outcomes: Outcome) -> dict[str, object]:
    """As it comes back from a file."""
    found = evaluation_data(evaluated(outcomes, "q.jsonl", "", "2026-12-01"))
    plain: dict[str, object] = json.loads(json.dumps({"schema": 1, "kind": "evaluation", **found}))
    return plain


class Tags(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def test_the_report_stands_alone_and_runs_nothing() -> None:
    found = evaluated([outcome(cites=["a"], found=[(HOSTILE, 0.9)], text=HOSTILE, kind=HOSTILE)], HOSTILE, "", "now")
    written = page(found, [HOSTILE])
    seen = Tags()
    seen.feed(written)
    assert {"svg", "details", "table"} <= seen.tags
    assert not seen.tags & {"script", "img", "link", "iframe", "object", "a"}
    assert not {name for name in seen.attributes if name.startswith("on")} | (seen.attributes & {"src", "href"})
    assert "default-src 'none'" in written
    assert written.count("&lt;script src=") >= 4


def test_the_worst_cases_are_the_surest_mistakes_with_their_traces() -> None:
    sure = outcome(cites=["a"], found=[("a", 0.9)], identity="sure")
    unsure = outcome(cites=["a"], found=[("a", 0.4)], identity="unsure")
    silent = outcome(["a"], found=[("a", 0.95)], identity="silent")
    fine = outcome(["a"], cites=["a"], identity="fine")
    assert [o.asked.id for o in worst_cases([silent, fine, unsure, sure])] == ["sure", "unsure", "silent"]
    written = page(evaluated([silent, fine, unsure, sure], "q.jsonl", "", "now"))
    assert "a.md" in written
    assert "t1" in written


def test_nothing_wrong_is_said_so() -> None:
    assert "No false answer and no needless abstention" in page(evaluated([outcome()], "q", "", "now"))


def test_a_passage_that_nobody_graded_ranks_last_and_has_no_score() -> None:
    asked = outcome(["b"], found=[("a", 0.2), ("b", 0.0)])
    first, last = asked.reply.trace.grades
    far = replace(last, raw=None, graded=False, verdict=Verdict.INCORRECT, reason="not graded: time ran out")
    asked = replace(asked, reply=replace(asked.reply, trace=replace(asked.reply.trace, grades=(far, first))))
    assert (asked.rank, asked.score) == (2, 0.2)
    shown = page(evaluated([asked], "q", "", "now"))
    assert "<td>-</td><td>INCORRECT</td><td>dropped</td><td>not graded: time ran out</td>" in shown


def test_the_data_can_be_read_by_a_program() -> None:
    found = data_of(outcome(["a"], cites=["a"], found=[("a", 0.9)]), outcome(found=[("a", 0.2)], identity="q2"))
    assert found["metrics"]["false_answers"] == {"share": 0.0, "count": 0, "total": 2, "low": 0.0, "high": 0.8419}  # type: ignore[index]
    assert [row["result"] for row in found["rows"]] == ["right", "honest_abstention"]  # type: ignore[attr-defined]


def test_a_comparison_names_the_figures_and_the_questions_that_changed() -> None:
    old = data_of(outcome(["a"], cites=["a"], found=[("a", 0.9)]), outcome(identity="gone"))
    new = data_of(outcome(["a"], cites=["b"], found=[("a", 0.9)]), outcome(identity="new"), outcome(identity="n2"))
    found = changes(old, new)
    assert (found.common, found.new, found.gone) == (1, 2, 1)
    assert found.turned == (Turned("q1", "Why?", "right", "false_answer"),)
    worse = {change.name for change in found.figures if not change.better}
    assert {"false_answers", "citation_precision"} <= worse
    assert "hit_at_1" not in {change.name for change in found.figures}


def test_few_questions_may_differ_by_chance_and_many_do_not() -> None:
    right, wrong = outcome(["a"], cites=["a"]), outcome(["a"], cites=["b"])

    def clear(count: int) -> bool:
        old, new = (evaluation_data(evaluated([o] * count, "q", "", "now")) for o in (right, wrong))
        return next(c for c in changes(old, new).figures if c.name == "false_answers").clear

    assert not clear(3)
    assert clear(10)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"schema": 1, "kind": "evaluation"}', '{"schema": 2, "kind": "evaluation"}']
)
def test_what_is_no_evaluation_can_not_be_compared_with(tmp_path: Path, content: str) -> None:
    (tmp_path / "old.json").write_text(content)
    with pytest.raises(CandorError, match=r"old\.json") as error:
        load_old(tmp_path / "old.json")
    assert "--json" in error.value.advice
