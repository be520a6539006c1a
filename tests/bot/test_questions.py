"""`candor questions suggest`, on fakes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crag.evaluation.questions import load
from crag.types import Chunk
from tests.bot.conftest import CommandLine
from tests.bot.house import GENERATION, Parts
from tests.fakes.language_model import ScriptedLanguageModel

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
    assert f"{len(asked)} kept" in run.out
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
    assert "nothing to ask" in run.err


def test_a_language_model_proposes_where_one_is_configured(
    candor: CommandLine, setting: Callable[[str, str], None], tmp_path: Path
) -> None:
    setting("WRITER__KIND", "ollama")
    setting("WRITER__MODEL", "scripted")
    stated = {
        "question": "how many vacation days can I carry over?",
        "answer": "up to 5 vacation days",
        "near_miss": "how many sick days can I carry over?",
        "changed": "sick days",
    }
    candor.parts.model = ScriptedLanguageModel(json.dumps(stated))
    candor("questions", "suggest", "--all")
    kinds = {q.text: q.kind for q in load(tmp_path / "questions.jsonl")}
    assert kinds[stated["question"]] == "written"
    assert kinds[stated["near_miss"]] == "written_near_miss"
    assert kinds["Who approves every long trip?"] == "sentence"
