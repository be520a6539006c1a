"""The file of questions: saved with each key, readable by `evaluate`, continued by the next run."""

import json
from dataclasses import replace
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


@pytest.fixture
def unread(path: Path) -> Sheet:
    """A file as --all leaves it, with a line of somebody's own in it, opened again."""
    first = Sheet(path)
    first.keep(ASKED, ASKED.question, reviewed=False)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"id": "own", "question": "Who orders lunch?", "sources": ["lunch.md"]}\n')
    first.keep(MISSED, MISSED.question, reviewed=False)
    return Sheet(path)


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_what_nobody_read_comes_back_with_what_a_person_needs_to_judge_it(unread: Sheet) -> None:
    asked, missed = unread.unread
    assert (asked.question, asked.answerable, asked.quote) == (ASKED.question, True, CHUNK.text)
    assert (missed.question, missed.answerable, missed.note) == (MISSED.question, False, "Why not.")
    assert asked.place == missed.place == "Leave (handbook/kiln.md)"
    assert (unread.kept, unread.answerable, unread.unanswerable) == (1, 2, 1)


def test_a_line_that_is_kept_is_reviewed_from_then_on(unread: Sheet, path: Path) -> None:
    asked, missed = unread.unread
    assert unread.keep(asked, asked.question)
    assert unread.kept == 2
    first, own, last = rows(path)
    assert first == {"question": ASKED.question, "kind": "sentence", "sources": ["handbook/kiln.md"]}
    assert own["id"] == "own"
    assert last["reviewed"] is False
    assert [line.question for line in Sheet(path).unread] == [missed.question]


def test_a_line_that_is_dropped_goes_and_is_not_proposed_again(unread: Sheet, path: Path) -> None:
    for line in tuple(unread.unread):
        unread.drop(line)
    again = Sheet(path)
    assert [row["id"] for row in rows(path)] == ["own"]
    assert (again.kept, again.answerable, again.unanswerable, again.dropped) == (1, 1, 0, 2)
    assert (unread.kept, unread.answerable, unread.unanswerable, unread.dropped) == (1, 1, 0, 2)
    assert {ASKED.key, MISSED.key} <= again.known


def test_a_line_that_is_edited_loses_the_answer_to_the_question_that_it_was(path: Path) -> None:
    told = replace(ASKED, answer="on Friday")
    Sheet(path).keep(told, told.question, reviewed=False)
    sheet = Sheet(path)
    assert sheet.keep(sheet.unread[0], "when do you clear the fridge?")
    assert rows(path)[0]["question"] == "when do you clear the fridge?"
    assert "answer" not in rows(path)[0]
    assert ASKED.key in Sheet(path).known


@pytest.mark.parametrize("waited", [True, False])
def test_a_near_miss_that_its_passage_answers_after_the_edit_has_its_document(path: Path, waited: bool) -> None:
    if waited:
        Sheet(path).keep(MISSED, MISSED.question, reviewed=False)
    sheet = Sheet(path)
    assert sheet.keep(sheet.unread[0] if waited else MISSED, "Is the fridge ever cleared?", answerable=True)
    row = {"question": "Is the fridge ever cleared?", "kind": "answerable", "sources": ["handbook/kiln.md"]}
    assert rows(path) == [row]
    assert (sheet.kept, sheet.answerable, sheet.unanswerable, len(sheet.unread)) == (1, 1, 0, 0)
    assert {MISSED.key, "is the fridge ever cleared"} <= sheet.known


@pytest.mark.parametrize("waited", [True, False])
def test_a_question_about_something_else_after_the_edit_has_no_source_and_no_answer(path: Path, waited: bool) -> None:
    told = replace(ASKED, answer="on Friday")
    if waited:
        Sheet(path).keep(told, told.question, reviewed=False)
    sheet = Sheet(path)
    assert sheet.keep(sheet.unread[0] if waited else told, "When is the oven emptied?", answerable=False)
    assert rows(path) == [{"question": "When is the oven emptied?", "kind": "unanswerable", "sources": []}]
    assert (sheet.kept, sheet.answerable, sheet.unanswerable, len(sheet.unread)) == (1, 0, 1, 0)


def test_an_edit_that_leaves_the_label_leaves_kind_and_sources(unread: Sheet, path: Path) -> None:
    asked, missed = unread.unread
    assert unread.keep(asked, "when do you clear it?", answerable=True)
    assert unread.keep(missed, "when do you paint it?", answerable=False)
    labels = [(row.get("kind"), row["sources"]) for row in rows(path)]
    assert labels == [("sentence", ["handbook/kiln.md"]), (None, ["lunch.md"]), ("not_told", [])]
    assert (unread.answerable, unread.unanswerable) == (2, 1)


def test_an_edit_of_letters_and_marks_only_is_kept(unread: Sheet, path: Path) -> None:
    assert unread.keep(unread.unread[0], "when is the fridge emptied")
    assert unread.keep(proposal("Who cleans it?", CHUNK), "who cleans it")
    assert [row["question"] for row in rows(path)][::3] == ["when is the fridge emptied", "who cleans it"]
    assert (unread.kept, unread.dropped) == (3, 0)


def test_a_line_that_is_edited_into_another_one_goes(unread: Sheet, path: Path) -> None:
    assert not unread.keep(unread.unread[0], "who orders lunch?")
    assert [row["question"] for row in rows(path)] == ["Who orders lunch?", MISSED.question]
    assert (unread.kept, unread.dropped) == (1, 1)


def test_the_last_line_can_go(path: Path) -> None:
    Sheet(path).keep(ASKED, ASKED.question, reviewed=False)
    sheet = Sheet(path)
    sheet.drop(sheet.unread[0])
    assert Sheet(path).kept == 0


def test_what_somebody_changed_in_the_meantime_stays(unread: Sheet, path: Path) -> None:
    changed = path.read_text(encoding="utf-8").replace("emptied", "cleared")
    path.write_text(changed, encoding="utf-8")
    unread.keep(unread.unread[0], unread.unread[0].question)
    assert path.read_text(encoding="utf-8") == changed


def test_a_link_and_the_rights_of_a_file_stay(unread: Sheet, path: Path, tmp_path: Path) -> None:
    path.chmod(0o640)
    (tmp_path / "link.jsonl").symlink_to(path)
    sheet = Sheet(tmp_path / "link.jsonl")
    sheet.keep(sheet.unread[0], sheet.unread[0].question)
    assert (tmp_path / "link.jsonl").is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert "reviewed" not in rows(path)[0]


def test_a_line_from_elsewhere_may_lack_what_is_shown(path: Path) -> None:
    path.write_text('{"question": "Who?", "sources": ["a.md"], "reviewed": false, "answer": "Bela", "note": 3}\n')
    (line,) = Sheet(path).unread
    assert (line.place, line.quote, line.note) == ("a.md", "Bela", "")


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
