import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bot.conftest import CommandLine
from tests.bot.house import Parts

KNOWN = {"id": "k", "kind": "easy", "question": "How many vacation days carry over?", "sources": ["leave.md"]}
UNKNOWN = {"id": "u", "kind": "hard", "question": "Which colour has the moon rocket?", "sources": []}
WRONG = {"id": "w", "kind": "hard", "question": "Who wears a badge?", "sources": [], "split": "odd"}
FOLLOW_UP = {
    "id": "f",
    "kind": "easy",
    "question": "And when do they lapse?",
    "history": ["user: How many vacation days carry over?", "bot: Five [1]."],
    "sources": ["leave.md"],
}
Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to(*rows: object, name: str = "questions.jsonl") -> str:
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))
        return name

    return to


def test_every_question_is_asked_and_counted(candor: CommandLine, write: Write) -> None:
    run = candor("evaluate", write(KNOWN, UNKNOWN, WRONG, FOLLOW_UP), "--json")
    assert (run.code, run.json["kind"], run.json["generation"]) == (0, "evaluation", "Candor_1")
    results = {row["id"]: row["result"] for row in run.json["rows"]}
    assert results == {"k": "right", "u": "honest_abstention", "w": "false_answer", "f": "right"}
    assert run.json["metrics"]["false_answers"]["count"] == 1
    assert {kind: found["questions"] for kind, found in run.json["kinds"].items()} == {"easy": 2, "hard": 2}
    assert run.json["curve"]["at_90_kept"]["kept"]["share"] == 1.0


def test_the_table_has_the_rates_and_the_kinds(candor: CommandLine, write: Write) -> None:
    run = candor("evaluate", write(KNOWN, UNKNOWN, WRONG))
    assert run.code == 0
    for name in ("hit@5", "false answers", "needless abstentions", "AURC", "AUROC", "easy", "33.3% (1 of 3)"):
        assert name in run.out
    assert "Abstentions: weak_evidence 1" in run.out


def test_questions_that_nobody_reviewed_are_told(candor: CommandLine, write: Write) -> None:
    run = candor("evaluate", write(KNOWN, UNKNOWN | {"reviewed": False}))
    assert "1 of 2 questions was proposed and never reviewed, so the figures may mislead." in run.err
    assert "candor questions suggest -o questions.jsonl" in run.err
    assert "reviewed" not in candor("evaluate", write(KNOWN, UNKNOWN | {"reviewed": True})).err


def test_one_split_can_be_asked_alone(candor: CommandLine, write: Write) -> None:
    file = write(KNOWN, WRONG)
    assert len(candor("evaluate", file, "--split", "odd", "--json").json["rows"]) == 1
    run = candor("evaluate", file, "--split", "even")
    assert (run.code, run.out) == (2, "")
    assert "Its splits: odd." in run.err


@pytest.mark.parametrize(
    ("limit", "code"),
    [("--max-false-answers=33%", 1), ("--max-false-answers=0.34", 0), ("--max-needless=0", 0)],
)
def test_a_limit_that_is_crossed_ends_with_1(candor: CommandLine, write: Write, limit: str, code: int) -> None:
    run = candor("evaluate", write(KNOWN, UNKNOWN, WRONG), limit)
    assert run.code == code
    assert ("Too many false answers: 33.3% (1 of 3), and at most 33.0% were allowed." in run.err) is (code == 1)


@pytest.mark.parametrize("share", ["5", "-1%", "many", "nan", "101%"])
def test_a_limit_that_is_no_share_is_wrong_usage(candor: CommandLine, write: Write, share: str) -> None:
    run = candor("evaluate", write(KNOWN), f"--max-needless={share}", "--json")
    assert (run.code, run.json["code"]) == (2, "usage")
    assert "5%" in run.json["message"]


def test_a_mistake_in_the_file_is_told_with_its_line_before_anything_starts(candor: CommandLine, write: Write) -> None:
    run = candor("evaluate", write(KNOWN, {"question": ""}))
    assert run.code == 2
    assert "questions.jsonl, line 2" in run.err
    assert candor.parts.events == []


def test_the_report_is_written(candor: CommandLine, write: Write, tmp_path: Path) -> None:
    assert candor("evaluate", write(KNOWN, WRONG), "--html", "report.html").code == 0
    written = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Who wears a badge?" in written
    assert "<svg" in written


def test_a_report_that_can_not_be_written_is_told_before_anything_starts(candor: CommandLine, write: Write) -> None:
    run = candor("evaluate", write(KNOWN), "--html", "no/such/folder/report.html")
    assert run.code == 2
    assert "can't be written" in run.err
    assert candor.parts.events == []


@pytest.mark.parametrize("before", [None, "An earlier report."])
def test_a_run_that_ends_early_leaves_the_report_as_it_was(
    candor: CommandLine, write: Write, tmp_path: Path, before: str | None
) -> None:
    report = tmp_path / "report.html"
    if before:
        report.write_text(before)
    candor.parts.unreachable = KeyboardInterrupt()  # type: ignore[assignment]
    assert candor("evaluate", write(KNOWN), "--html", "report.html").code == 130
    assert (report.read_text() if report.exists() else None) == before


def test_what_changed_since_an_earlier_run_is_marked(candor: CommandLine, write: Write, tmp_path: Path) -> None:
    before = candor("evaluate", write(KNOWN, WRONG), "--json")
    (tmp_path / "old.json").write_text(before.out)
    turned = write(KNOWN, WRONG | {"sources": ["visitors.md"]})
    run = candor("evaluate", turned, "--compare", "old.json")
    assert run.code == 0
    assert "better false answers: 0.500 -> 0.000 (may be chance)" in run.out
    assert "w false_answer -> right: Who wears a badge?" in run.out
    assert candor("evaluate", turned, "--compare", "old.json", "--json").json["changes"]["common"] == 2


def test_nothing_indexed_is_told_at_once(candor: CommandLine, write: Write) -> None:
    candor.parts = Parts()
    run = candor("evaluate", write(KNOWN, UNKNOWN))
    assert (run.code, run.out) == (1, "")
    assert "candor index" in run.err


def test_a_part_that_fails_makes_figures_that_do_not_pass(candor: CommandLine, write: Write) -> None:
    candor.parts.grader.error = RuntimeError("broken")
    run = candor("evaluate", write(UNKNOWN), "--json")
    assert (run.code, run.json["metrics"]["failed"]) == (1, 1)
    assert "failed in 1 of 1 questions" in run.json["crossed"][0]


def test_a_source_that_no_search_finds_is_named(candor: CommandLine, write: Write) -> None:
    run = candor("evaluate", write(KNOWN | {"sources": ["laeve.md"]}))
    assert "perhaps misspelt or not indexed: laeve.md." in run.err


def test_what_was_false_and_what_was_needlessly_refused_is_named(candor: CommandLine, write: Write) -> None:
    known = KNOWN | {"id": "n", "question": "Which colour has the moon base?", "sources": ["leave.md", "moon.md"]}
    run = candor("evaluate", write(KNOWN, UNKNOWN, WRONG, known))
    assert "\nFalse answers: 1\n  w: Who wears a badge?\n    said: Visitors sign in" in run.out
    assert "\n    from: visitors.md; expected: nothing, “I don't know” is right\n" in run.out
    refused = "\nNeedless “I don't know”: 1\n  n: Which colour has the moon base?\n    why: weak_evidence; "
    assert refused + "expected: leave.md, moon.md\n" in run.out
    assert "k: How many" not in run.out
    assert "u: Which" not in run.out


def test_of_many_misses_ten_are_named_and_where_all_stand(candor: CommandLine, write: Write) -> None:
    run = candor("evaluate", write(*[WRONG | {"id": f"w{n}"} for n in range(13)]))
    assert "False answers: 13\n" in run.out
    assert run.out.count("Who wears a badge?") == 10
    assert "\n  … and 3 more: --json has them all, --html FILE the worst with how each passage was judged\n" in run.out
    assert "Needless" not in run.out.split("False answers: 13")[1]


@pytest.mark.parametrize("long", ["Who wears a badge? " * 30, "badge? " + "休" * 400])
def test_a_long_question_is_named_by_its_beginning(candor: CommandLine, write: Write, long: str) -> None:
    out = candor("evaluate", write(WRONG | {"question": long})).out
    assert f"\n  w: {long[:7]}" in out
    assert all(len(line) <= 200 for line in out.splitlines())


def test_on_a_pipe_it_says_how_far_it_is(candor: CommandLine, write: Write) -> None:
    run = candor("evaluate", write(KNOWN, UNKNOWN), "--json")
    assert run.err.splitlines() == [
        "Starting Weaviate",
        "Asking: 0 % (0 of 2)",
        "Asking: 50 % (1 of 2)",
        "Asking: 100 % (2 of 2)",
    ]
