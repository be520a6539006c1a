"""`candor questions suggest`, on fakes."""

import json
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from bot.proposing import AT_ONCE
from crag.evaluation.questions import load
from crag.types import Chunk
from tests.bot.conftest import CommandLine, Run
from tests.bot.house import GENERATION, Parts
from tests.fakes.language_model import ScriptedLanguageModel, refused_key

PAGES = {
    "leave": "You can carry over up to 5 vacation days each year. Unused days are deleted on 1 July.",
    "travel": "You can book up to 3 hotel nights for a trip. Your lead approves every long trip.",
    "visitors": "Register visitors at the reception by 16:00. If you lose your badge abroad, tell the reception.",
}


@pytest.fixture(autouse=True)
def pages(candor: CommandLine) -> None:
    share = candor.parts.database.generations[GENERATION]["local"]
    chunks = {
        name: Chunk(name, f"{name}.md", f"{name}.md", name.title(), (name.title(),), text, (0, len(text)), "h")
        for name, text in PAGES.items()
    }
    share.chunks = {name: (chunk, candor.parts.embedder._vector(chunk.passage)) for name, chunk in chunks.items()}


def test_all_proposals_are_a_file_that_evaluate_reads(candor: CommandLine, tmp_path: Path) -> None:
    run = candor("questions", "suggest", "--all", "--seed", "1")
    assert run.code == 0
    asked = load(tmp_path / "questions.jsonl")
    known = {q.text: q.sources for q in asked if q.answerable}
    assert known["How many vacation days each year can I carry over?"] == {"leave.md"}
    assert known["Who approves every long trip?"] == {"travel.md"}
    assert sum(not q.answerable for q in asked) >= 3
    assert f"0 kept, {len(asked)} to review" in run.out
    assert candor("evaluate", "questions.jsonl", "--json").code == 0


def test_the_next_command_can_be_pasted(candor: CommandLine) -> None:
    assert (
        "candor evaluate 'my questions.jsonl'"
        in candor("questions", "suggest", "--all", "-o", "my questions.jsonl").err
    )


def test_what_nobody_read_is_marked(candor: CommandLine, tmp_path: Path) -> None:
    candor("questions", "suggest", "--all", "-o", "q.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows
    assert all(row["reviewed"] is False for row in rows)


def test_without_a_terminal_nothing_happens_unless_all_are_asked_for(candor: CommandLine, tmp_path: Path) -> None:
    run = candor("questions", "suggest")
    assert (run.code, run.out) == (2, "")
    assert "no terminal" in run.err
    assert "--all" in run.err
    assert candor.parts.events == []
    assert not (tmp_path / "questions.jsonl").exists()


def test_a_limit_and_a_seed(candor: CommandLine, tmp_path: Path) -> None:
    for name in ("a", "b"):
        candor("questions", "suggest", "--all", "--limit", "4", "--seed", "7", "-o", f"{name}.jsonl")
    assert (tmp_path / "a.jsonl").read_text() == (tmp_path / "b.jsonl").read_text()
    kinds = [q.answerable for q in load(tmp_path / "a.jsonl")]
    assert kinds == [True, False, True, False]
    assert candor("questions", "suggest", "--all", "--limit", "0").code == 2


def test_running_again_goes_on_and_proposes_nothing_twice(candor: CommandLine, tmp_path: Path) -> None:
    first = candor("questions", "suggest", "--all", "--limit", "4", "--json").json
    (tmp_path / "questions.jsonl.dropped").write_text("Who approves every long trip?\n")
    second = candor("questions", "suggest", "--all", "--json").json
    assert (first["kind"], first["written"]) == ("questions", 4)
    texts = [q.text for q in load(tmp_path / "questions.jsonl")]
    assert len(texts) == len(set(texts)) == 4 + second["written"]
    assert second["dropped"] == 1
    third = candor("questions", "suggest", "--all", "--json")
    assert (third.code, third.json["written"]) == (0, 0)


@pytest.fixture
def typed(candor: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Run]:
    """What a person in a terminal gets to see who presses these keys."""
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")

    def suggest(keys: str, *arguments: str) -> Run:
        with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
            pipe.send_text(keys)
            run = candor("questions", "suggest", *arguments)
        return replace(run, out=strip_ansi(run.out), err=strip_ansi(run.err))

    return suggest


@contextmanager
def interrupted(ready: Callable[[], bool]) -> Iterator[None]:
    """Presses Ctrl-C, again and again, once it is time."""
    over = threading.Event()

    def press() -> None:
        while not over.wait(0.6):
            if ready():
                os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def strip_ansi(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_what_nobody_reviewed_comes_first_and_then_what_is_new(
    candor: CommandLine, typed: Callable[..., Run], tmp_path: Path
) -> None:
    candor("questions", "suggest", "--all", "--limit", "3", "--seed", "1")
    waiting = [q.text for q in load(tmp_path / "questions.jsonl")]
    first = typed("yq")
    assert "0 kept, 3 to review" in first.out
    assert "Those that nobody has reviewed come first." in first.out
    assert waiting[0] in first.out
    second = typed("nyyyq")
    assert "1 kept, 2 to review" in second.out
    shown = [line for line in second.out.splitlines() if line in waiting]
    assert shown == waiting[1:]
    kept = [q.text for q in load(tmp_path / "questions.jsonl")]
    assert kept[:2] == [waiting[0], waiting[2]]
    assert len(kept) == 4
    assert "4 kept (" in second.out
    assert "reviewed" not in (tmp_path / "questions.jsonl").read_text(encoding="utf-8")


def test_a_limit_counts_what_waits_too(candor: CommandLine, typed: Callable[..., Run], tmp_path: Path) -> None:
    candor("questions", "suggest", "--all", "--limit", "3")
    run = typed("yy", "--limit", "2")
    assert "2 kept, 1 to review" in run.out
    assert "Nothing more" not in run.err


def test_where_nothing_more_comes_it_is_said_why_and_what_to_do(candor: CommandLine, typed: Callable[..., Run]) -> None:
    candor("questions", "suggest", "--all", "--limit", "2")
    over = typed("y" * 30)
    why = (
        "Nothing more can be proposed: all that Candor finds to ask in the 3 passages that are indexed is in "
        "questions.jsonl or was dropped; for more, set a language model up (CANDOR_WRITER__KIND), index more documents,"
    )
    assert why in " ".join(over.err.split())
    assert "everything that Candor finds to ask" in " ".join(typed("").err.split())


def test_nobody_waits_for_a_models_first_words(
    candor: CommandLine, setting: Callable[[str, str], None], typed: Callable[..., Run]
) -> None:
    setting("WRITER__KIND", "ollama")
    setting("WRITER__MODEL", "scripted")
    candor.parts.model = ScriptedLanguageModel(hang=True)
    run = typed("yq")
    assert (run.code, "1 kept (1 answerable, 0 unanswerable)" in run.out) == (0, True)


def test_a_model_that_is_down_is_told_in_a_line_and_the_rules_go_on(
    candor: CommandLine, setting: Callable[[str, str], None], typed: Callable[..., Run]
) -> None:
    setting("WRITER__KIND", "ollama")
    setting("WRITER__MODEL", "scripted")
    candor.parts.model = ScriptedLanguageModel(refused_key())
    run = typed("y" * 30)
    line = f"{refused_key().message} Going on without it: what follows is made by rules."
    assert [told for told in run.out.splitlines() if "HTTP 401" in told] == [line]
    assert "Who approves every long trip?" in run.out
    assert "set a language model up" not in run.err
    assert candor("questions", "suggest", "--all", "-o", "all.jsonl").err.count("HTTP 401") == 1


def test_stopping_at_the_first_question_is_no_failure(typed: Callable[..., Run]) -> None:
    run = typed("q")
    assert (run.code, "found nothing" in run.err) == (0, False)


def test_ctrl_c_while_a_model_writes_ends_it_as_q_does(
    candor: CommandLine, setting: Callable[[str, str], None], typed: Callable[..., Run], tmp_path: Path
) -> None:
    candor("questions", "suggest", "--all", "--limit", "2")
    setting("WRITER__KIND", "ollama")
    setting("WRITER__MODEL", "scripted")
    candor.parts.model = ScriptedLanguageModel(hang=True)
    file = tmp_path / "questions.jsonl"
    with interrupted(lambda: file.read_text(encoding="utf-8").count("\n") == 2 + AT_ONCE):
        run = typed("yy" + "y" * AT_ONCE)
    assert run.code == 0
    assert f"{2 + AT_ONCE} kept (" in run.out
    assert "candor evaluate" in run.err
    assert candor.parts.events[-1] == "server stopped"


def test_a_broken_file_is_told_before_anything_starts(candor: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text("nonsense")
    run = candor("questions", "suggest", "--all")
    assert run.code == 2
    assert "line 1" in run.err
    assert candor.parts.events == []
    assert candor("questions", "suggest", "--all", "-o", "no/such/q.jsonl").code == 2


def test_nothing_indexed_is_told(candor: CommandLine) -> None:
    candor.parts = Parts()
    run = candor("questions", "suggest", "--all")
    assert (run.code, run.out) == (1, "")
    assert "candor index" in run.err


def test_documents_that_nothing_can_be_asked_of_are_told(candor: CommandLine) -> None:
    share = candor.parts.database.generations[GENERATION]["local"]
    text = "Die Frist endet am Freitag."
    share.chunks = {"g": (Chunk("g", "g.md", "g.md", "G", ("G",), text, (0, len(text)), "h"), share.chunks["leave"][1])}
    run = candor("questions", "suggest", "--all")
    assert run.code == 1
    told = " ".join(run.err.split())
    assert "found nothing to ask about in the one passage there is: without a language model it makes" in told
    assert "CANDOR_WRITER__KIND" in told


def test_a_language_model_proposes_where_one_is_configured(
    candor: CommandLine, setting: Callable[[str, str], None], tmp_path: Path
) -> None:
    setting("WRITER__KIND", "ollama")
    setting("WRITER__MODEL", "scripted")
    stated = {
        "answer": "up to 5 vacation days",
        "question": "how many vacation days can I carry over?",
        "word": "vacation",
        "other": "sick",
    }
    candor.parts.model = ScriptedLanguageModel(json.dumps(stated))
    candor("questions", "suggest", "--all")
    kinds = {q.text: q.kind for q in load(tmp_path / "questions.jsonl")}
    assert kinds[stated["question"]] == "written"
    assert kinds["how many sick days can I carry over?"] == "written_near_miss"
    assert kinds["Who approves every long trip?"] == "sentence"
