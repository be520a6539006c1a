import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crag.calibration import load_calibration
from tests.bot.conftest import CommandLine
from tests.bot.test_evaluate import KNOWN, UNKNOWN

File = Callable[[int, int], str]


@pytest.fixture
def file(tmp_path: Path) -> File:
    def of(known: int, unknown: int) -> str:
        rows = [KNOWN | {"id": f"k{n}"} for n in range(known)] + [UNKNOWN | {"id": f"u{n}"} for n in range(unknown)]
        (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
        return "q.jsonl"

    return of


def test_thresholds_are_chosen_and_written_with_what_they_promise(candor: CommandLine, file: File, place: Path) -> None:
    run = candor("calibrate", file(60, 40))
    assert run.code == 0
    assert "at most 5.0% get a false answer (confidence 90%; 0 of the 50 questions" in run.out
    assert "was right 30 of 30 times" in run.out
    written = load_calibration(place / "calibration.json")
    assert (written.grader, written.embedder, written.chunker) == ("fake-grader-1", "fake-embedder-1", "chunker-1")
    assert (written.generation, len(written.data)) == ("Candor_1", 16)
    assert written.promise["max_false_answers"] == 0.05
    assert written.record


def test_questions_that_nobody_reviewed_are_told(candor: CommandLine, place: Path) -> None:
    known: list[object] = [KNOWN | {"id": f"k{n}", "reviewed": n > 1} for n in range(60)]
    rows = known + [UNKNOWN | {"id": f"u{n}"} for n in range(40)]
    (place / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run = candor("calibrate", str(place / "q.jsonl"))
    assert run.code == 0
    assert "2 of 100 questions were proposed and never reviewed" in run.out + run.err


def test_the_badge_then_says_how_often_it_was_right(candor: CommandLine, file: File, place: Path) -> None:
    assert "Well supported\n" in candor("ask", str(KNOWN["question"])).out
    assert "not calibrated on your questions" in candor("status").err
    candor("calibrate", file(60, 40))
    run = candor("ask", str(KNOWN["question"]))
    assert "supported - right 30 of 30 times on your questions\n" in run.out
    assert candor("ask", str(KNOWN["question"]), "--json").json["record"] == [30, 30]
    assert "not calibrated" not in candor("status").err
    assert candor("status", "--json").json["own_questions"] is True


def test_a_record_of_other_models_is_not_shown(candor: CommandLine, file: File) -> None:
    candor("calibrate", file(60, 40))
    candor.parts.grader.model = "another-grader"
    run = candor("ask", str(KNOWN["question"]))
    assert "on your questions" not in run.out
    assert "measured with other models" in run.err


def test_a_corpus_that_changed_much_is_said(candor: CommandLine, file: File, place: Path) -> None:
    candor("calibrate", file(60, 40))
    found = json.loads((place / "calibration.json").read_text())
    (place / "calibration.json").write_text(json.dumps(found | {"documents": 30}))
    assert "There are 0 documents now, and were 30" in candor("status").err
    checks = {check["name"]: check for check in candor("doctor", "--json").json["checks"]}
    assert checks["measured on"]["outcome"] == "warn"


def test_a_half_that_does_worse_than_promised_is_told(candor: CommandLine, place: Path) -> None:
    rows = [KNOWN | {"id": f"k{n}", "split": "dev"} for n in range(60)]
    rows += [
        KNOWN | {"id": f"t{n}", "split": "test", "sources": ["other.md"] if n < 5 else ["leave.md"]} for n in range(20)
    ]
    (place / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run = candor("calibrate", "q.jsonl")
    assert run.code == 0
    assert "25.0% (5 of 20) got a false answer (95% interval 8.7% to 49.1%)" in run.out
    assert "more than was promised" in run.out


def test_a_dry_run_changes_nothing(candor: CommandLine, file: File, place: Path) -> None:
    before = (place / "calibration.json").read_text()
    run = candor("calibrate", file(60, 40), "--dry-run")
    assert (run.code, "Nothing was changed." in run.err) == (0, True)
    assert (place / "calibration.json").read_text() == before
    assert not (place / "calibration.previous.json").exists()


def test_too_few_questions_are_told_how_many_more_it_takes(candor: CommandLine, file: File, place: Path) -> None:
    before = (place / "calibration.json").read_text()
    run = candor("calibrate", file(10, 10))
    assert run.code == 1
    assert "that takes 45 questions" in run.err
    assert "Add about 70 questions, 35 of them without an answer" in run.err
    assert (place / "calibration.json").read_text() == before


def test_a_rollback_brings_the_old_thresholds_back_and_can_be_taken_back(
    candor: CommandLine, file: File, place: Path
) -> None:
    before = (place / "calibration.json").read_text()
    candor("calibrate", file(60, 40))
    after = (place / "calibration.json").read_text()
    assert after != before
    assert "lower 0.300, upper 0.600" in candor("calibrate", "--rollback").out
    assert (place / "calibration.json").read_text() == before
    assert candor("calibrate", "--rollback", "--json").json["kind"] == "rollback"
    assert (place / "calibration.json").read_text() == after


def test_without_an_earlier_calibration_there_is_no_way_back(candor: CommandLine) -> None:
    run = candor("calibrate", "--rollback")
    assert run.code == 1
    assert "no earlier calibration" in run.err


def test_questions_that_can_not_be_told_apart_change_nothing(candor: CommandLine, file: File, place: Path) -> None:
    candor.parts.grader.script = lambda question, passage: 0.9
    run = candor("calibrate", file(60, 40), "--json")
    assert (run.code, run.json["code"]) == (1, "no_threshold")
    assert "0 of them may be answered falsely" in run.json["message"]


def test_a_part_that_fails_is_no_measurement(candor: CommandLine, file: File) -> None:
    candor.parts.grader.error = RuntimeError("broken")
    run = candor("calibrate", file(60, 40))
    assert run.code == 1
    assert "failed in 100 of 100 questions" in run.err


def test_the_figures_before_and_after_are_data_too(candor: CommandLine, file: File) -> None:
    found = candor("calibrate", file(60, 40), "--dry-run", "--json").json
    assert (found["kind"], found["dry_run"]) == ("calibration", True)
    assert (found["before"]["lower"], found["after"]["questions"]) == (0.3, 50)


@pytest.mark.parametrize(
    "arguments", [[], ["none.jsonl"], ["--max-false-answers", "7"], ["q", "--max-false-answers", "0"]]
)
def test_wrong_usage_is_told(candor: CommandLine, arguments: list[str]) -> None:
    assert candor("calibrate", *arguments).code == 2


def test_a_limit_that_no_file_can_support_is_wrong_usage(candor: CommandLine, file: File) -> None:
    run = candor("calibrate", file(1, 1), "--max-false-answers", "0")
    assert run.code == 2
    assert "at least 0.1%" in run.err


def test_an_llm_grader_has_its_thresholds_in_the_settings(
    candor: CommandLine, file: File, setting: Callable[[str, str], None]
) -> None:
    setting("GRADER__KIND", "llm")
    setting("GRADER__LLM__MODEL", "some-model")
    run = candor("calibrate", file(60, 40))
    assert run.code == 2
    assert "CANDOR_GRADER__LLM__UPPER" in run.err


@pytest.fixture
def dear(candor: CommandLine, place: Path) -> str:
    """A file whose unanswerable questions look better than half of the answerable ones: 5 % false answers at most means
    many needless abstentions, 15 % don't."""

    def graded(question: str, passage: str) -> float:
        if "leave" not in passage.casefold():
            return 0.01
        return 0.9 if "easy" in question else 0.5 if "hard" in question else 0.7 if "odd" in question else 0.01

    candor.parts.grader.script = graded
    kinds = {"easy": 20, "hard": 24, "odd": 2, "other": 4}
    rows = [
        {
            "id": f"{split}-{kind}-{n}",
            "split": split,
            "question": f"How many {kind} vacation days carry over in the year {n}?",
            "sources": ["leave.md"] if kind in ("easy", "hard") else [],
        }
        for split in ("dev", "test")
        for kind, count in kinds.items()
        for n in range(count)
    ]
    (place / "dear.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "dear.jsonl"


def test_thresholds_that_silence_many_say_what_they_cost_and_how_to_go_back(
    candor: CommandLine, dear: str, place: Path
) -> None:
    before = (place / "calibration.json").read_text()
    run = candor("calibrate", dear)
    assert run.code == 0
    told = (
        "This costs much: 54.5% (24 of 44) of the answerable questions that chose nothing would get a needless “I "
        "don't know”; as it is, 0.0% (0 of 44) do.\n"
        "At most 5.0% false answers is strict for 50 questions to choose by: not one of them may be answered falsely. "
        "With 77 (about 54 more in the file) one might be.\n"
        "The mildest limit that costs clearly less: --max-false-answers 15% keeps 100% of the answerable questions "
        "above the threshold, instead of 45%.\n"
    )
    assert told in run.out
    assert "`candor calibrate --rollback` goes back" in run.err
    assert load_calibration(place / "calibration.json").lower > 0.7
    assert (place / "calibration.previous.json").read_text() == before


def test_a_milder_limit_is_written_without_a_warning(candor: CommandLine, dear: str, place: Path) -> None:
    run = candor("calibrate", dear, "--max-false-answers", "15%")
    assert run.code == 0
    assert "costs much" not in run.out
    assert load_calibration(place / "calibration.json").lower < 0.5


def test_what_it_costs_is_data_too(candor: CommandLine, dear: str) -> None:
    run = candor("calibrate", dear, "--json", "--dry-run")
    assert (run.code, run.json["kind"], len(run.json["costs"])) == (0, "calibration", 3)
    assert run.json["costs"][0].startswith("This costs much: 54.5%")


def test_a_limit_that_no_milder_one_helps_says_so(candor: CommandLine, place: Path) -> None:
    scores = {"easy": 0.9, "hard": 0.5, "odd": 0.7}
    candor.parts.grader.script = lambda question, passage: next(
        (score for word, score in scores.items() if word in question and "leave" in passage.casefold()), 0.01
    )
    kinds = {"easy": 20, "hard": 20, "odd": 40}
    rows = [
        {"id": f"{split}{kind}{n}", "split": split, "question": f"Which {kind} leave has the year {n}?"}
        | ({} if kind == "odd" else {"sources": ["leave.md"]})
        for split in ("dev", "test")
        for kind, count in kinds.items()
        for n in range(count)
    ]
    (place / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run = candor("calibrate", "q.jsonl")
    assert run.code == 0
    assert "No limit up to 30% costs clearly less." in run.out


def test_on_a_pipe_it_says_how_far_it_is_and_starts_one_server(candor: CommandLine, file: File) -> None:
    run = candor("calibrate", file(60, 40), "--dry-run")
    assert run.code == 0
    lines = run.err.splitlines()
    assert lines[:3] == ["Starting Weaviate", "Asking: 0 % (0 of 100)", "Asking: 10 % (10 of 100)"]
    assert "Asking again, with the new thresholds: 100 % (50 of 50)" in lines
    assert len(lines) == 1 + 11 + 11 + 1
    assert candor.parts.events == ["server started", "server stopped"]
