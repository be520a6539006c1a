"""The file of questions: saved with each key, readable by `evaluate`, continued by the next run."""

import json
from pathlib import Path

import pytest

from crag.evaluation.questions import QuestionsError, load
from crag.suggesting.proposals import Kind
from crag.suggesting.sheet import Sheet, SheetError
from tests.crag.suggesting.samples import passage, proposal

CHUNK = passage("The fridge is emptied on Friday.", document="handbook/kiln.md")
ASKED = proposal("When is the fridge emptied?", CHUNK)
MISSED = proposal("When is the fridge painted?", CHUNK, Kind.NOT_TOLD, "paint")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "questions.jsonl"


def test_what_is_kept_is_a_file_that_evaluate_reads(path: Path) -> None:
    sheet = Sheet(path)
    assert sheet.keep(ASKED, ASKED.question)
    assert sheet.keep(MISSED, MISSED.question)
    asked, missed = load(path)
    assert (asked.text, asked.sources, asked.kind) == (ASKED.question, frozenset({"handbook/kiln.md"}), "sentence")
    assert (missed.text, missed.answerable, missed.kind) == (MISSED.question, False, "not_told")
    assert (sheet.answerable, sheet.unanswerable) == (1, 1)


def test_each_decision_is_on_the_disk_at_once(path: Path) -> None:
    sheet = Sheet(path)
    sheet.keep(ASKED, ASKED.question)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 1
    sheet.drop(MISSED)
    assert sheet.dropped_path.read_text(encoding="utf-8") == "When is the fridge painted?\n"


def test_the_next_run_knows_what_was_kept_dropped_and_edited(path: Path) -> None:
    sheet = Sheet(path)
    sheet.keep(ASKED, "when's the fridge emptied, and by whom?")
    sheet.drop(MISSED)
    again = Sheet(path)
    assert {ASKED.key, MISSED.key} <= again.known
    assert (again.kept, again.dropped) == (1, 2)
    assert load(path)[0].text == "when's the fridge emptied, and by whom?"


def test_the_same_question_is_not_kept_twice(path: Path) -> None:
    sheet = Sheet(path)
    assert sheet.keep(ASKED, ASKED.question)
    assert not sheet.keep(MISSED, "when is the FRIDGE emptied")
    assert len(load(path)) == 1


def test_a_file_of_ones_own_is_continued(path: Path) -> None:
    path.write_text('{"question": "Who orders lunch?", "sources": ["lunch.md"]}', encoding="utf-8")
    sheet = Sheet(path)
    sheet.keep(MISSED, MISSED.question)
    assert [asked.text for asked in load(path)] == ["Who orders lunch?", MISSED.question]
    assert (sheet.answerable, sheet.unanswerable) == (1, 1)


def test_what_nobody_read_is_marked(path: Path) -> None:
    Sheet(path).keep(ASKED, ASKED.question, reviewed=False)
    assert json.loads(path.read_text(encoding="utf-8"))["reviewed"] is False


def test_a_broken_file_is_told_with_its_line_and_left_alone(path: Path) -> None:
    path.write_text('{"question": ""}\n', encoding="utf-8")
    with pytest.raises(QuestionsError, match="line 1"):
        Sheet(path)
    assert path.read_text(encoding="utf-8") == '{"question": ""}\n'


def test_a_place_that_can_not_be_written_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "folder" / "q.jsonl", tmp_path):
        with pytest.raises(SheetError, match="can't be written"):
            Sheet(path)


def test_dropped_questions_that_can_not_be_read_are_told(path: Path) -> None:
    path.with_name("questions.jsonl.dropped").mkdir()
    with pytest.raises(SheetError, match="can't be read"):
        Sheet(path)
