import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from bot.commands import demo
from crag.types import DocumentRecord
from tests.bot.conftest import CommandLine
from tests.bot.house import Parts

KNOWN = "How many vacation days carry over?"
UNKNOWN = "Which colour has the moon rocket?"


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Puts text on standard input, as a pipe would."""
    with ExitStack() as streams:

        def put(text: str) -> None:
            reading, writing = os.pipe()
            with os.fdopen(writing, "w") as pipe:
                pipe.write(text)
            monkeypatch.setattr("sys.stdin", streams.enter_context(os.fdopen(reading)))

        yield put


def test_on_a_pipe_each_line_is_a_question(candor: CommandLine, piped: Callable[[str], None]) -> None:
    piped(f"{KNOWN}\n\n{UNKNOWN}")
    run = candor("chat")
    assert run.code == 0
    assert f"> {KNOWN}\nFive vacation days" in run.out
    assert f"> {UNKNOWN}\nI don't know\n" in run.out


def test_the_greeting_says_how_much_is_known(candor: CommandLine, piped: Callable[[str], None]) -> None:
    piped("")
    assert "(3 passages)" in candor("chat").out
    candor.parts = Parts()
    piped("")
    assert "candor index PATH" in candor("chat").out


def test_the_greeting_counts_what_questions_search(candor: CommandLine, piped: Callable[[str], None]) -> None:
    database = candor.parts.database
    share = database.generations["Candor_1"]["local"]
    share.records = {c.document: DocumentRecord(c.document, c.path, c.hash, 1) for c, _ in share.chunks.values()}
    hidden, vector = share.chunks["visitors-1"]
    share.chunks["visitors-1"] = (replace(hidden, access=frozenset({"reception"})), vector)
    piped(UNKNOWN)
    out = candor("chat").out
    assert "Candor knows 3 documents (3 passages), of which you may see 2. Ask away" in out
    assert "I searched 2 documents" in out
    assert candor("status").out.startswith("index          3 documents (2 for everyone), 3 passages; Candor_1\n")
    assert "ok   index: 3 documents (2 for everyone), 3 passages, generation Candor_1" in candor("doctor").out


def test_grade_shows_the_last_reply(candor: CommandLine, piped: Callable[[str], None]) -> None:
    piped(f"/grade\n{KNOWN}\n/grade\n")
    out = candor("chat").out
    assert "There is no question yet" in out
    assert "CORRECT, kept\n" in out


def test_the_conversation_goes_along_until_it_is_forgotten(candor: CommandLine, piped: Callable[[str], None]) -> None:
    piped(f"{KNOWN}\nAnd when do they lapse?\n/grade\n/new\nWhen do they lapse?\n/grade\n")
    before, after = candor("chat").out.split("A new conversation.")
    assert f"Question  {KNOWN}" in before
    assert f"Question  {KNOWN}" not in after


def test_a_follow_up_leans_on_no_question_that_found_nothing(candor: CommandLine, piped: Callable[[str], None]) -> None:
    piped(f"{KNOWN}\n{UNKNOWN}\nAnd when do they lapse?\n/grade\n")
    out = candor("chat").out
    assert f"Question  {KNOWN} And when do they lapse?" in out
    assert f"Question  {UNKNOWN}" not in out


def test_commands_help_and_quit(candor: CommandLine, piped: Callable[[str], None]) -> None:
    piped("/help\n/fly\n/quit\nnever asked\n")
    out = candor("chat").out
    assert "/quit   leave" in out
    assert "I don't know /fly." in out
    assert "never asked" not in out


def test_quit_means_quit_whatever_stands_behind_it(candor: CommandLine, piped: Callable[[str], None]) -> None:
    piped("/quit now\nnever asked\n")
    run = candor("chat")
    assert run.code == 0
    assert "/quit" not in run.out.replace("> /quit now", "")
    assert "never asked" not in run.out


def test_an_escape_sequence_in_a_question_is_not_echoed(candor: CommandLine, piped: Callable[[str], None]) -> None:
    piped("\x1b]0;owned\x07Who?\n")
    assert "\x1b" not in candor("chat").out


def tour_file(place: Path, *stops: dict[str, object]) -> str:
    file = place / "tour.json"
    file.write_text(json.dumps({"stops": stops}))
    return str(file)


def test_the_tour_plays_each_stop_and_ends_with_0(candor: CommandLine, place: Path) -> None:
    file = tour_file(
        place,
        {"headline": "Known", "question": KNOWN, "shows": "answered"},
        {"headline": "Unknown", "question": UNKNOWN, "shows": "abstained", "grades": True},
    )
    run = candor("tour", "--file", file)
    assert run.code == 0
    assert "1. Known -" in run.out
    assert "INCORRECT, dropped" in run.out


def test_a_stop_that_takes_another_path_fails_the_tour(candor: CommandLine, place: Path) -> None:
    file = tour_file(place, {"headline": "Known", "question": KNOWN, "shows": "abstained"})
    run = candor("tour", "--file", file)
    assert run.code == 1
    assert f'"{KNOWN}" was to be abstained, but was answered.' in run.err.replace("\n", " ")


@pytest.mark.parametrize("text", ["", "[]", '{"stops": [{"headline": "x"}]}'])
def test_a_tour_that_cannot_be_read_is_named(candor: CommandLine, place: Path, text: str) -> None:
    (place / "tour.json").write_text(text)
    run = candor("tour", "--file", str(place / "tour.json"))
    assert run.code == 1
    assert "can't be read" in run.err.replace("\n", " ")
    assert candor.parts.events == []


def test_the_demo_indexes_once_and_plays_the_tour_on_a_pipe(
    candor: CommandLine, place: Path, piped: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    candor.parts = Parts()
    (place / "handbook").mkdir()
    (place / "handbook" / "leave.md").write_text("# Leave\n\nFive vacation days carry over into the next year.\n")
    file = tour_file(place, {"headline": "Known", "question": KNOWN, "shows": "answered"})
    monkeypatch.setattr(demo, "HANDBOOK", place / "handbook")
    monkeypatch.setattr(demo, "TOUR", Path(file))
    piped("")
    first = candor("demo")
    assert first.code == 0
    assert "1 new" in first.err
    assert first.err.endswith("For your own documents: candor index FOLDER, then candor chat\n")
    assert "Five vacation days carry over" in first.out
    assert "1 unchanged" in candor("demo").err
