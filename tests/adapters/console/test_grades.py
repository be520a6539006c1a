import math
from dataclasses import replace

import pytest
from rich.cells import cell_len

from adapters.console.grades import against, gauge, print_grade, print_trace
from crag.types import Trace
from tests.adapters.console import samples


def shown(trace: Trace, width: int, more: str = "") -> str:
    out, file = samples.screen(width)
    print_trace(out, trace, more)
    return file.getvalue()


def test_the_table_has_rank_source_score_verdict_fate_and_reason_of_each_passage() -> None:
    lines = shown(samples.TRACE, 130).splitlines()
    row = next(line for line in lines if "leave-3" in line)
    assert row.split()[0] == "3"
    for part in ("people/leave-3.md#carrying-over", "0.050", "INCORRECT", "dropped", "below the lower"):
        assert part in row
    assert any("Score (| 0.35, | 0.72)" in line for line in lines)


def test_in_a_narrow_terminal_each_passage_has_lines_of_its_own() -> None:
    text = shown(samples.TRACE, 60)
    assert " 1. CORRECT, kept\n    people/leave-1.md#carrying-over\n" in text
    assert "    0.910, at or above the upper threshold 0.720\n" in text
    assert "    0.500, between 0.350 and 0.720\n" in text
    assert all(len(line) <= 60 for line in text.splitlines())


LONG = "handbook/people and culture/policies/leave/parental-leave-and-care.md"


@pytest.mark.parametrize(
    ("path", "anchor", "width", "told"),
    [
        (LONG, "", 60, "    …/policies/leave/parental-leave-and-care.md\n"),
        (LONG, "how-much", 60, "    …/policies/leave/parental-leave-and-care.md#how-much\n"),
        (LONG, "what-you-get-in-stennick", 60, "    …/parental-leave-and-care.md#what-you-get-in-stennick\n"),
        (LONG, "what-you-get-in-stennick-and-elsewhere", 60, "    …/parental-leave-and-care.md\n    #what-you-get-in-"),
        ("leave/" + "x" * 70 + ".md", "", 60, f"    …/{'x' * 53}…\n"),
        ("a.md", "y" * 70, 60, f"    a.md\n    #{'y' * 54}…\n"),
        ("leave/休暇/" + "休" * 20 + ".md", "a", 50, f"    …/{'休' * 20}.md\n    #a\n"),
    ],
)
def test_a_path_too_long_for_the_terminal_keeps_its_file_name_and_heading(
    path: str, anchor: str, width: int, told: str
) -> None:
    grade = replace(samples.GRADES[0], chunk=replace(samples.chunk(), path=path, anchor=anchor))
    out, file = samples.screen(width, terminal=True)
    print_trace(out, replace(samples.TRACE, grades=(grade,)))
    lines = file.getvalue().split("\n")
    assert told in "\n".join(lines[1:])
    assert all(cell_len(line) <= width for line in lines[1:3])


def test_on_a_pipe_a_path_stays_whole() -> None:
    grade = replace(samples.GRADES[0], chunk=replace(samples.chunk(), path=LONG))
    assert f"    {LONG}#carrying-over\n" in shown(replace(samples.TRACE, grades=(grade,)), 60)


def test_in_the_table_a_path_is_not_broken_in_a_word() -> None:
    grade = replace(samples.GRADES[0], chunk=replace(samples.chunk(), path=LONG))
    row = next(line for line in shown(replace(samples.TRACE, grades=(grade,)), 112).splitlines() if "CORRECT" in line)
    assert row.split()[1] in ("…/parental-leave-and-care.md", "…/parental-leave-and-care.md#carrying-over")


def test_below_it_stand_strips_queries_actions_timings_models_and_generation() -> None:
    text = shown(samples.TRACE, 130)
    assert "\nStrips (the sentences of a passage, graded one by one; + was kept, - was not)\n" in text
    assert "+ 0.800 [#2] Five days carry over." in text
    assert "- 0.020 [#2] The canteen opens at noon." in text
    for line in (
        "Band      AMBIGUOUS (some passed)",
        "Actions   refine, generate",
        "Searched  carry over",
        "Rewritten annual leave carry over",
        "Timings   search 8 ms, grade 121 ms, grading and correcting 140 ms",
        "Models    embedder e5, grader mini",
        "Index     Candor_1, 31 documents",
    ):
        assert f"{line}\n" in text


@pytest.mark.parametrize("width", [60, 130])
def test_five_passages_are_shown_with_what_was_kept_and_how_to_see_the_others(width: int) -> None:
    grades = tuple(replace(samples.GRADES[2], chunk=samples.chunk(n)) for n in range(1, 21))
    grades = (*grades[:8], replace(grades[8], kept=True), *grades[9:])
    short = shown(replace(samples.TRACE, grades=grades), width, "/grade all")
    assert [n for n in range(1, 21) if f"leave-{n}.md" in short] == [1, 2, 3, 4, 5, 9]
    assert "\n14 more, all weaker: /grade all\n" in short
    long = shown(replace(samples.TRACE, grades=grades), width)
    assert [n for n in range(1, 21) if f"leave-{n}.md" in long] == [*range(1, 21)]
    assert " more: " not in long


def test_a_trace_without_grades_says_so() -> None:
    assert shown(Trace(id="x"), 80).startswith("No passage was graded.\n")


def test_a_passage_that_nobody_graded_has_no_score_and_says_why() -> None:
    trace = replace(samples.TRACE, grades=(*samples.GRADES, samples.UNGRADED))
    wide, narrow = shown(trace, 130), shown(trace, 60)
    row = next(line for line in wide.splitlines() if "leave-4" in line)
    assert row.split()[2:5] == ["-", "-------|------|-----", "INCORRECT"]
    assert "not graded: ranked below" in " ".join(wide.split())
    assert "    people/leave-4.md#carrying-over\n    not graded: ranked below the best 3 by similarity\n" in narrow
    assert "Graded    3 of 4 passages\n" in narrow
    assert "Graded  " not in shown(samples.TRACE, 60)


def test_evidence_of_another_retriever_is_marked() -> None:
    trace = replace(samples.TRACE, grades=(replace(samples.GRADES[0], retriever="web"),))
    assert "leave-1.md#carrying-over (web)" in shown(trace, 60)


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (0.7, "0.700, at or above the upper threshold 0.700"),
        (0.3, "0.300, between 0.300 and 0.700"),
        (0.29, "0.290, below the lower threshold 0.300"),
        (math.nan, "unreadable"),
    ],
)
def test_a_score_is_placed_against_both_thresholds(score: float, words: str) -> None:
    assert against(score, 0.7, 0.3) == words


def test_the_gauge_marks_both_thresholds_and_the_score() -> None:
    assert gauge(0.0, 0.7, 0.3) == "o-----|-------|-----"
    assert gauge(1.0, 0.7, 0.3) == "------|-------|----o"
    assert gauge(math.nan, 0.7, 0.3) == "------|-------|-----"


def test_one_passage_is_shown_with_verdict_score_and_raw_score() -> None:
    out, file = samples.screen()
    print_grade(out, samples.GRADES[0], 0.72, 0.35)
    assert file.getvalue().startswith(
        "Verdict  CORRECT\nScore    0.910, at or above the upper threshold 0.720\nRaw      0.880"
    )


@pytest.mark.parametrize("width", [60, 130])
def test_nothing_of_a_document_commands_the_terminal(width: int) -> None:
    text = shown(samples.hostile().trace, width)
    assert "\x1b" not in text
    assert "owned" not in text


def test_passages_are_called_weaker_only_where_they_are() -> None:
    grades = tuple(replace(samples.GRADES[2], chunk=samples.chunk(n), score=n / 100) for n in range(1, 8))
    assert "\n2 more: /grade all\n" in shown(replace(samples.TRACE, grades=grades), 60, "/grade all")
    ungraded = tuple(replace(grade, graded=grade.chunk.id < "c6") for grade in grades)
    assert "\n2 more, weaker or not graded: /grade all\n" in shown(
        replace(samples.TRACE, grades=ungraded), 60, "/grade all"
    )
