from dataclasses import replace
from pathlib import Path

import pytest

from crag.corrections import Corrected, Correction, Truth, claimed, gathered
from crag.evaluation.questions import Asked, line_of, load
from crag.types import Turn

HOLIDAY = Corrected("slack:U1", 1.0, Truth.ANSWERABLE, ("leave.md",), "How many days?")


def test_the_last_correction_of_a_question_counts_whoever_made_it() -> None:
    later = replace(HOLIDAY, person="slack:U2", at=2.0, text="how many days", truth=Truth.UNANSWERABLE, sources=())
    (asked,) = gathered([later, HOLIDAY], "local").questions
    assert (asked.text, asked.sources, asked.kind) == ("how many days", frozenset(), "corrected")
    assert gathered([later, HOLIDAY], "local").people == ("slack:U2",)


def test_what_was_said_before_makes_another_question() -> None:
    follow_up = replace(HOLIDAY, history=(Turn("And interns?"),))
    assert len(gathered([HOLIDAY, follow_up], "local").questions) == 2


def test_a_question_that_the_file_has_counts_as_the_file_has_it() -> None:
    file = [Asked("q1", "easy", "How many DAYS", frozenset({"other.md"}))]
    found = gathered([HOLIDAY], "local", file)
    assert (found.questions, found.known) == ((), 1)


def test_wrong_alone_makes_no_question_and_does_not_undo_what_somebody_knew() -> None:
    wrong = replace(HOLIDAY, at=2.0, truth=Truth.UNSAID, sources=())
    assert gathered([wrong], "local").unsaid == 1
    assert gathered([HOLIDAY, wrong], "local").questions[0].sources == {"leave.md"}
    assert gathered([wrong, replace(HOLIDAY, at=3.0)], "local").unsaid == 0


def test_an_answerable_question_without_a_document_is_no_unanswerable_one() -> None:
    found = gathered([replace(HOLIDAY, sources=())], "local")
    assert (found.questions, found.unsaid) == ((), 1)


def test_corrections_of_other_tenants_and_without_words_are_left_out() -> None:
    found = gathered([replace(HOLIDAY, tenant="other"), replace(HOLIDAY, text="???")], "local")
    assert (found.questions, found.elsewhere) == ((), 1)


def test_people_are_counted_once() -> None:
    found = gathered([HOLIDAY, replace(HOLIDAY, text="Who?"), replace(HOLIDAY, text="Why?", person="U9")], "local")
    assert (len(found.questions), found.persons) == (3, 2)
    left = found.without(frozenset({found.questions[2].id}))
    assert (len(left.questions), left.persons) == (2, 1)


def test_a_correction_is_a_line_of_a_question_file_asked_with_what_its_asker_could_see(tmp_path: Path) -> None:
    history = (Turn("Who may travel?"), Turn("All staff.", by_bot=True))
    seen = replace(HOLIDAY, history=history, corpora=frozenset({"wiki"}), access=frozenset({"hr", "everyone"}))
    (asked,) = gathered([seen], "local").questions
    file = tmp_path / "q.jsonl"
    file.write_text(line_of(asked))
    assert load(file) == [asked]
    assert (asked.history, asked.access) == (history, frozenset({"hr", "everyone"}))


@pytest.mark.parametrize(
    ("choice", "passages", "page", "claim"),
    [
        ("", [], " ", None),
        ("answerable", ["2", "1"], "", Correction(Truth.ANSWERABLE, (1, 2))),
        ("", [], " leave.md ", Correction(Truth.ANSWERABLE, (), "leave.md")),
        ("unsaid", [], "leave.md", Correction(Truth.ANSWERABLE, (), "leave.md")),
        ("unsaid", [], "", Correction(Truth.UNSAID)),
        ("unanswerable", ["1"], "leave.md", Correction(Truth.UNANSWERABLE)),
        ("answerable", [], "", Correction(Truth.ANSWERABLE)),
    ],
)
def test_what_stands_in_a_form(choice: str, passages: list[str], page: str, claim: Correction | None) -> None:
    assert claimed(choice, passages, page) == claim
