"""Keeping and dropping on a terminal."""

import asyncio
import io
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput, Output
from prompt_toolkit.output.vt100 import Vt100_Output
from rich.console import Console

from adapters.console.suggesting import KEYS, TypedKeys, review
from crag.evaluation.questions import load
from crag.suggesting.proposals import Kind, Proposal
from crag.suggesting.sheet import Sheet
from crag.suggesting.unread import Unread
from tests.bot.journal.scenes import until
from tests.crag.suggesting.samples import passage, proposal

CHUNK = passage("The fridge is emptied on Friday.", "Kiln House", "Food", document="kiln.md")
ASKED = proposal("When is the fridge emptied?", CHUNK)
MISSED = proposal("When is the fridge painted?", CHUNK, Kind.NOT_TOLD, "paint")
MORE = proposal("Who empties the fridge?", CHUNK)


class Pressed:
    """A person with a plan."""

    def __init__(self, keys: str, texts: Sequence[str] = (), answers: Sequence[bool | None] = ()) -> None:
        self._keys = iter(keys)
        self._texts = iter(texts)
        self._answers = iter(answers)
        self.before: list[bool] = []

    async def choose(self) -> str:
        return next(self._keys)

    async def edit(self, text: str) -> str:
        return next(self._texts)

    async def answers(self, *, before: bool) -> bool | None:
        self.before.append(before)
        return next(self._answers)


async def these(*proposals: Proposal) -> AsyncIterator[Proposal]:
    for found in proposals:
        yield found


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    return Sheet(tmp_path / "q.jsonl")


async def reviewed(keys: Pressed, sheet: Sheet, *proposals: Proposal) -> tuple[bool, str]:
    out = Console(file=io.StringIO(), width=100)
    over = await review(out, these(*proposals), keys, sheet)
    assert isinstance(out.file, io.StringIO)
    return over, out.file.getvalue()


async def test_y_keeps_n_drops_and_each_key_says_how_far_it_is(sheet: Sheet) -> None:
    over, shown = await reviewed(Pressed("yny"), sheet, ASKED, MORE, MISSED)
    assert over
    assert [asked.text for asked in load(sheet.path)] == [ASKED.question, MISSED.question]
    assert "Kept. 1 kept (1 answerable, 0 unanswerable), about 100 make a calibration." in shown
    assert "Dropped. 1 kept" in shown
    assert "Kept. 2 kept (1 answerable, 1 unanswerable)" in shown


async def test_the_passage_and_what_should_happen_are_shown(sheet: Sheet) -> None:
    _, shown = await reviewed(Pressed("yy"), sheet, ASKED, MISSED)
    assert "This passage should answer it." in shown
    assert "Kiln House > Food (kiln.md)" in shown
    assert "“The fridge is emptied on Friday.”" in shown
    assert "Nothing should answer it. Why not." in shown


async def test_e_keeps_what_the_person_makes_of_it(sheet: Sheet) -> None:
    await reviewed(Pressed("e", ["  when's the fridge   emptied?? "], [True]), sheet, ASKED)
    assert [asked.text for asked in load(sheet.path)] == ["when's the fridge emptied??"]
    assert ASKED.key in sheet.known


async def test_an_edit_that_is_given_up_asks_again(sheet: Sheet) -> None:
    _, shown = await reviewed(Pressed("een", ["", "?!"]), sheet, ASKED)
    assert (sheet.kept, sheet.dropped) == (0, 1)
    assert shown.count("Not edited.") == 2


@pytest.mark.parametrize(("found", "answers"), [(ASKED, False), (MISSED, True), (ASKED, True), (MISSED, False)])
async def test_other_words_are_labelled_by_the_person(sheet: Sheet, found: Proposal, answers: bool) -> None:
    keys = Pressed("e", ["Does anyone clear the cold shelf?"], [answers])
    _, shown = await reviewed(keys, sheet, found)
    (asked,) = load(sheet.path)
    assert keys.before == [found.answerable]
    assert asked.sources == ({"kiln.md"} if answers else set())
    assert f"Kept as {'answerable' if answers else 'unanswerable'}. 1 kept ({int(answers)} answerable" in shown


async def test_capitals_and_marks_and_a_known_question_ask_for_no_label(sheet: Sheet) -> None:
    keys = Pressed("eee", ["when is the fridge PAINTED", "who EMPTIES the fridge", "When is the fridge painted?"])
    await reviewed(keys, sheet, MISSED, MORE, ASKED)
    assert keys.before == []
    assert [asked.answerable for asked in load(sheet.path)] == [False, True]


async def test_who_stops_at_the_label_writes_and_drops_nothing(sheet: Sheet) -> None:
    over, _ = await reviewed(Pressed("e", ["Who paints it?"], [None]), sheet, MISSED)
    assert not over
    assert not sheet.path.exists()
    assert not sheet.dropped_path.exists()


async def test_an_edit_that_makes_a_known_question_says_so(sheet: Sheet) -> None:
    _, shown = await reviewed(Pressed("ye", [ASKED.question]), sheet, ASKED, MORE)
    assert "That question is in the file already." in shown
    assert sheet.kept == 1


async def test_q_stops_and_nothing_is_lost(sheet: Sheet) -> None:
    over, _ = await reviewed(Pressed("yq"), sheet, ASKED, MISSED)
    assert not over
    assert [asked.text for asked in load(sheet.path)] == [ASKED.question]
    assert MISSED.key not in Sheet(sheet.path).known


async def test_lines_that_nobody_read_are_kept_dropped_and_edited_with_the_same_keys(sheet: Sheet) -> None:
    for found in (ASKED, MISSED, MORE):
        sheet.keep(found, found.question, reviewed=False)
    again = Sheet(sheet.path)
    out = Console(file=io.StringIO(), width=100)
    waiting = tuple(again.unread)

    async def lines() -> AsyncIterator[Unread]:
        for line in waiting:
            yield line

    assert await review(out, lines(), Pressed("yne", ["who clears the fridge?"], [True]), again)
    assert [asked.text for asked in load(sheet.path)] == [ASKED.question, "who clears the fridge?"]
    assert '"reviewed"' not in sheet.path.read_text(encoding="utf-8")
    assert isinstance(out.file, io.StringIO)
    shown = out.file.getvalue()
    assert "Kiln House > Food (kiln.md)" in shown
    assert "“The fridge is emptied on Friday.”" in shown
    assert "Nothing should answer it. Why not." in shown
    assert "Kept. 1 kept, 2 to review, about 100 make a calibration." in shown
    assert "Kept as answerable. 2 kept (2 answerable, 0 unanswerable), about 100 make a calibration." in shown


async def test_a_line_that_names_no_document_can_not_become_answerable(sheet: Sheet) -> None:
    sheet.path.write_text('{"question": "Who paints it?", "sources": [], "reviewed": false}\n', encoding="utf-8")
    again = Sheet(sheet.path)
    (line,) = again.unread

    async def lines() -> AsyncIterator[Unread]:
        yield line

    out = Console(file=io.StringIO(), width=200)
    assert not await review(out, lines(), Pressed("eq", ["Who clears it?"], [True]), again)
    assert isinstance(out.file, io.StringIO)
    assert 'Candor doesn\'t know its document: write the question with its "sources" into' in out.file.getvalue()
    assert [asked.text for asked in load(sheet.path)] == ["Who paints it?"]
    assert not sheet.dropped_path.exists()


async def test_a_document_does_not_command_the_terminal(sheet: Sheet) -> None:
    hostile = proposal("When \x1b[2Jis it?", passage("Text \x1b]0;title\x07here.", "Ti\x1b[31mtle"))
    _, shown = await reviewed(Pressed("n"), sheet, hostile)
    assert "\x1b" not in shown


@contextmanager
def typing(text: str, output: Output | None = None) -> Iterator[PipeInput]:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=output or DummyOutput()):
        pipe.send_text(text)
        yield pipe


@pytest.mark.parametrize(
    ("typed", "choice"), [("y", "y"), ("N", "n"), ("xx\r e", "e"), ("q", "q"), ("\x03", "q"), ("\x04", "q")]
)
async def test_one_key_is_enough_and_others_choose_nothing(typed: str, choice: str) -> None:
    with typing(typed):
        assert await TypedKeys().choose() == choice


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("typed", ["y", "Y", "n", "xn", "e n", "\r", "q", "\x03", "\x04"])
async def test_one_key_says_whether_the_passage_answers(typed: str, before: bool) -> None:
    expected = {"y": True, "n": False, "\r": before}.get(typed[-1].lower())
    with typing(typed):
        assert await TypedKeys().answers(before=before) is expected


@pytest.mark.parametrize("label", [True, False])
async def test_another_key_gets_a_word(label: bool) -> None:
    """Only what differs is drawn: of "Unknown" in the place of "y keep", the k isn't."""
    screen = io.StringIO()

    with typing("", Vt100_Output(screen, lambda: Size(40, 100), enable_cpr=False)) as pipe:
        keys = TypedKeys()
        asking = asyncio.create_task(keys.answers(before=False) if label else keys.choose())
        await until(lambda: ("it? y/n (Enter: no) >" if label else KEYS) in screen.getvalue())
        assert "nown" not in screen.getvalue()
        pipe.send_text("x")
        await until(lambda: "nown" in screen.getvalue())
        pipe.send_text("n")
        assert await asking == (False if label else "n")


@pytest.mark.parametrize(
    ("typed", "text"), [("\r", "When?"), (" Now?\r", "When? Now?"), ("\x1b", ""), ("\x03", ""), ("\x15Who?\r", "Who?")]
)
async def test_the_text_stands_there_to_be_edited(typed: str, text: str) -> None:
    with typing(typed):
        assert await TypedKeys().edit("When?") == text


@pytest.mark.parametrize("again", [False, True])
async def test_an_edit_into_a_question_that_was_dropped_says_so(sheet: Sheet, again: bool) -> None:
    await reviewed(Pressed("n"), sheet, MISSED)
    sheet = Sheet(sheet.path) if again else sheet
    _, shown = await reviewed(Pressed("e", ["When is the fridge PAINTED?"]), sheet, ASKED)
    assert "Not kept: that question was dropped earlier." in " ".join(shown.split())
    assert "q.jsonl.dropped." in shown
    assert "in the file" not in shown
    assert sheet.kept == 0
