"""What people corrected in chat: exported as questions, and used by the next calibration."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.journal import open_journal
from crag.calibration import load_calibration
from crag.corrections import Correction, Truth
from tests.bot.conftest import CommandLine
from tests.bot.journal.scenes import incoming, reply
from tests.bot.test_calibrate import File, file
from tests.bot.test_evaluate import KNOWN

__all__ = ["file"]

NOTHING, ANSWERED = Correction(Truth.UNANSWERABLE), Correction(Truth.ANSWERABLE)
Said = tuple[str, str, Correction, tuple[str, ...]]
"""Who, of which question, what."""
Correct = Callable[..., None]


@pytest.fixture
def correct(place: Path) -> Correct:
    """Keeps corrections in the journal, each of a reply of its own."""

    def keep(*said: Said, **question: Any) -> None:
        async def written() -> None:
            async with open_journal(f"sqlite:///{place}/journal.db", retention_days=90) as journal:
                for number, (person, text, correction, sources) in enumerate(said):
                    id, asked = f"{person}-{text}-{number}", incoming(f"{person}-{text}-{number}", text=text)
                    made = reply(id, asked)
                    journal.record(asked, replace(made, question=replace(made.question, **question)))
                    await journal.correct(id, "slack", person, correction, sources)

        asyncio.run(written())

    return keep


def moon(count: int, person: str = "U1") -> list[Said]:
    """Questions without an answer, to which Candor gives none."""
    return [(person, f"Which colour has moon rocket {n}?", NOTHING, ()) for n in range(count)]


def test_corrections_are_counted_beside_the_questions_of_the_file_with_who_made_them(
    candor: CommandLine, file: File, place: Path, correct: Correct
) -> None:
    correct(*moon(10), *moon(2, "U2"), ("U3", "When do vacation days lapse?", ANSWERED, ("leave.md",)))
    run = candor("calibrate", file(60, 40))
    assert run.code == 0
    assert "From 100 questions of q.jsonl and 11 corrections by 3 people." in run.out
    assert "8 of the corrections are by one person." in run.out
    assert run.out.index("From 100") < run.out.index("before, and after") < run.out.index("Promise")
    assert "takes effect when Candor is started again" in run.err
    written = load_calibration(place / "calibration.json")
    assert written.measured_on.startswith("111 questions of your own, 50 of them without an answer, 11 by correction")


def test_a_correction_changes_what_is_chosen_and_a_rollback_undoes_it(
    candor: CommandLine, file: File, place: Path, correct: Correct
) -> None:
    questions, before = file(60, 40), (place / "calibration.json").read_text()
    correct(*[(f"U{n}", f"Do visitors wear badge {n}?", NOTHING, ()) for n in range(20)])
    assert (place / "calibration.json").read_text() == before
    found = candor("calibrate", questions, "--json").json
    assert found["from"] == ["From 100 questions of q.jsonl and 20 corrections by 20 people."]
    assert found["before"]["false_answers"]["count"] == 10
    assert found["after"]["false_answers"]["count"] == 0
    assert found["after"]["lower"] > found["before"]["lower"]
    assert "lower 0.300, upper 0.600" in candor("calibrate", "--rollback").out
    assert (place / "calibration.json").read_text() == before


def test_a_dry_run_with_corrections_changes_nothing(
    candor: CommandLine, file: File, place: Path, correct: Correct
) -> None:
    before = (place / "calibration.json").read_text()
    correct(*moon(2))
    run = candor("calibrate", file(60, 40), "--dry-run")
    assert "and 2 corrections by 1 person." in run.out
    assert (place / "calibration.json").read_text() == before


def test_corrections_can_be_left_out(candor: CommandLine, file: File, correct: Correct) -> None:
    correct(*moon(10))
    run = candor("calibrate", file(60, 40), "--without-corrections")
    assert "From 100 questions of q.jsonl; corrections were left out, as you asked." in run.out


def test_without_a_journal_there_are_no_corrections_and_none_is_made(
    candor: CommandLine, file: File, place: Path
) -> None:
    assert "From 100 questions of q.jsonl and 0 corrections." in candor("calibrate", file(60, 40)).out
    assert not (place / "journal.db").exists()


def test_a_journal_that_can_not_be_read_is_told_with_the_way_around_it(
    candor: CommandLine, file: File, place: Path
) -> None:
    (place / "journal.db").mkdir()
    run = candor("calibrate", file(60, 40))
    assert run.code == 1
    assert "--without-corrections" in run.err


def test_what_the_file_has_what_says_too_little_and_what_nobody_finds_is_left_out_and_said(
    candor: CommandLine, file: File, correct: Correct
) -> None:
    correct(
        ("U1", str(KNOWN["question"]), NOTHING, ()),
        ("U2", "Is it all wrong?", Correction(Truth.UNSAID), ()),
        ("U3", "When do vacation days lapse?", ANSWERED, ("laeve.md",)),
        *moon(1),
    )
    run = candor("calibrate", file(60, 40))
    assert "and 1 correction by 1 person." in run.out
    assert "1 correction whose question stands in the file" in run.out
    assert "1 correction saying that an answer is wrong, but not what is right" in run.out
    assert "perhaps misspelt or not indexed: laeve.md." in run.out


def test_a_document_that_no_question_finds_is_found_by_its_name(
    candor: CommandLine, file: File, correct: Correct
) -> None:
    correct(("U1", "When is the weekend?", ANSWERED, ("visitors.md",)))
    assert "and 1 correction by 1 person." in candor("calibrate", file(60, 40)).out


def test_corrections_of_another_tenant_are_not_asked_here(candor: CommandLine, file: File, correct: Correct) -> None:
    correct(*moon(3), tenant="slack-T9")
    run = candor("calibrate", file(60, 40))
    assert "and 0 corrections." in run.out
    assert "3 corrections of another tenant" in run.out


def test_a_corrected_question_is_asked_with_what_its_asker_could_see(
    candor: CommandLine, file: File, correct: Correct
) -> None:
    """Nobody at its place sees the page on leave: an answer from it would be false, and there is none."""
    correct(("U1", "How many vacation days move over?", NOTHING, ()), access=frozenset({"guests"}))
    run = candor("journal", "export", "--questions")
    (candor_file := Path("c.jsonl")).write_text(run.out)
    row = candor("evaluate", str(candor_file), "--json").json["rows"][0]
    assert (row["kind"], row["result"]) == ("corrected", "honest_abstention")
    candor_file.write_text(run.out.replace('"access": ["guests"]', '"access": ["everyone"]'))
    assert candor("evaluate", str(candor_file), "--json").json["rows"][0]["result"] == "false_answer"


def test_too_few_questions_are_told_with_where_they_are_from(candor: CommandLine, file: File, correct: Correct) -> None:
    correct(*moon(3))
    run = candor("calibrate", file(5, 5))
    assert (run.code, "From 10 questions of q.jsonl and 3 corrections" in run.err) == (1, True)


def test_corrections_are_exported_as_a_file_of_questions(candor: CommandLine, correct: Correct) -> None:
    correct(
        ("U1", "When do vacation days lapse?", ANSWERED, ("leave.md",)),
        ("U2", "Wann verfällt Urlaub?", NOTHING, ()),
        ("U3", "Is it all wrong?", Correction(Truth.UNSAID), ()),
    )
    run = candor("journal", "export", "--questions")
    assert run.code == 0
    rows = [json.loads(line) for line in run.out.splitlines()]
    assert [(row["question"], row["sources"]) for row in rows] == [
        ("When do vacation days lapse?", ["leave.md"]),
        ("Wann verfällt Urlaub?", []),
    ]
    assert "ä" in run.out
    assert "2 corrected questions by 2 people." in run.err
    assert "1 correction saying that an answer is wrong" in run.err
    assert "U1" not in run.out
    data = candor("journal", "export", "--questions", "--json").json
    assert (data["questions"], data["people"], data["left_out"]) == (rows, 2, {"unsaid": 1, "elsewhere": 0})


def test_a_persons_corrections_are_printed_and_deleted(candor: CommandLine, correct: Correct) -> None:
    correct(("U9", "When do vacation days lapse?", ANSWERED, ("leave.md",)))
    assert "said answerable: leave.md (U9-When do" in candor("journal", "export", "--user", "slack:U9").out
    assert candor("journal", "stats", "--json").json["corrections"] == 1
    assert "1 correction;" in candor("journal", "delete", "--user", "slack:U9").out
    assert candor("journal", "export", "--questions").out == ""


@pytest.mark.parametrize("arguments", [["--questions", "--user", "slack:U1"], []])
def test_an_export_is_of_a_person_or_of_the_corrections(candor: CommandLine, arguments: list[str]) -> None:
    assert candor("journal", "export", *arguments).code == 2
