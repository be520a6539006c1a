import json
from pathlib import Path

import pytest

from crag.evaluation.questions import QuestionsError, fingerprint, line_of, load
from crag.types import Turn
from tests.crag.scenes import chunk

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "questions.jsonl"


def written(place: Path, *rows: object) -> Path:
    file = place / "questions.jsonl"
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return file


def test_the_examples_are_in_the_format() -> None:
    questions = load(EXAMPLES)
    assert (len(questions), sum(q.answerable for q in questions)) == (120, 73)
    assert {q.split for q in questions} == {"dev", "test"}
    assert all(q.answer for q in questions if q.answerable)


def test_a_question_alone_is_an_unanswerable_one_with_a_name_of_its_own(tmp_path: Path) -> None:
    (one,) = load(written(tmp_path, {"question": "Who owns the moon?"}))
    assert (one.kind, one.answerable, one.split) == ("unanswerable", False, "")
    (again,) = load(written(tmp_path, "", {"question": "Who owns the moon?", "id": None}, "  "))
    assert again.id == one.id


def test_a_history_says_who_spoke_or_takes_turns(tmp_path: Path) -> None:
    marked, plain = load(
        written(
            tmp_path,
            {"question": "And now?", "history": ["user: hi", "user: there", "bot: Hello: you"]},
            {"question": "And then?", "history": ["hi", "Hello"]},
        )
    )
    assert marked.history == (Turn("hi"), Turn("there"), Turn("Hello: you", by_bot=True))
    assert plain.history == (Turn("hi"), Turn("Hello", by_bot=True))


def test_of_a_question_that_found_nothing_it_is_known_and_written_again(tmp_path: Path) -> None:
    history = ["user: hi", "bot: I don't know. I searched 30 documents.", "hm", "I don’t know"]
    (asked,) = load(written(tmp_path, {"question": "And now?", "history": history}))
    assert [turn.unknown for turn in asked.history] == [False, True, False, True]
    (tmp_path / "again.jsonl").write_text(line_of(asked), encoding="utf-8")
    assert load(tmp_path / "again.jsonl") == [asked]


def test_a_source_is_a_path_or_a_url(tmp_path: Path) -> None:
    (asked,) = load(written(tmp_path, {"question": "Holiday?", "sources": ["holiday.md", "https://x.example/a"]}))
    assert asked.source_of(chunk("x")) == "holiday.md"
    assert asked.source_of(chunk("x", "sick")) == ""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "it is not JSON (Expecting property name"),
        ("[1]", "it must be a JSON object"),
        ('{"sources": []}', '"question" must be a text with words'),
        ('{"question": 3}', '"question" must be a text'),
        ('{"question": "?!"}', "with words in it"),
        ('{"question": "Why?", "sources": [1]}', '"sources" must be a list of document paths'),
        ('{"question": "Why?", "sources": ""}', '"sources" must be a list of document paths'),
        (
            '{"question": "Why?", "sources": "none"}',
            "empty ([]) where nothing answers the question; 'none' is no document",
        ),
        ('{"question": "Why?", "sources": "No"}', "'No' is no document"),
        ('{"question": "Why?", "sources": ["n/a"]}', "'n/a' is no document"),
        ('{"question": "Why?", "source": "a.md"}', 'the field is called "sources"'),
        ('{"question": "Why?", "answer": "So."}', 'it has an "answer" but no "sources"'),
        ('{"question": "Why?", "history": "hi"}', '"history" must be a list of texts'),
        ('{"question": "Why?", "id": "a"}', "the id 'a' stands in line 1 already"),
        ('{"question": "\\ud800 why?"}', "surrogates"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    file = written(tmp_path, {"question": "First?", "id": "a"}, "", line)
    with pytest.raises(QuestionsError, match=r"questions\.jsonl, line 3: ") as error:
        load(file)
    assert told in error.value.message
    assert "docs/evaluation.md" in error.value.advice


def test_a_question_that_stands_twice_is_told_as_that_where_it_has_no_id(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match="line 2: the same question stands in line 1 already"):
        load(written(tmp_path, {"question": "Who?"}, {"question": "Who?", "sources": ["a.md"]}))


def test_a_line_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b'\xef\xbb\xbf{"question": "Fine?"}\n{"question": "\xff?"}\n')
    with pytest.raises(QuestionsError, match="line 2: it is not UTF-8"):
        load(tmp_path / "q")


def test_a_file_without_questions_and_a_missing_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match="There is no question in"):
        load(written(tmp_path, "", " "))
    with pytest.raises(QuestionsError, match="No such file"):
        load(tmp_path / "none")


def test_the_fingerprint_knows_what_was_asked_and_not_in_which_order(tmp_path: Path) -> None:
    one, other = {"question": "Holiday?", "sources": ["a.md"]}, {"question": "Moon?"}
    first = fingerprint(load(written(tmp_path, one, other)))
    assert fingerprint(load(written(tmp_path, other, one))) == first
    assert fingerprint(load(written(tmp_path, other, one | {"sources": ["b.md"]}))) != first
