"""`candor questions suggest` on a real language model server. What the small model says means nothing; that it is
asked, held to its schema and understood does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.app import Wiring
from config.settings import Settings
from crag.evaluation.questions import load
from crag.llm import prompts
from crag.types import Chunk
from tests.bot.conftest import CommandLine
from tests.bot.house import GENERATION, FakeWiring, Parts, filled
from tests.servers.ollama import OllamaServer

pytestmark = pytest.mark.llm
TEXT = "Up to eight unused vacation days move into the next year. They lapse on 30 June. Ask Bela."
SAID = {
    "answer": "They lapse on 30 June.",
    "question": "When do unused vacation days lapse in the next year?",
    "word": "vacation days",
    "other": "travel vouchers",
}


class ServedWiring(FakeWiring):
    """Over fake parts, save for the writer's model."""

    writer_model = Wiring.writer_model


class ServedParts(Parts):
    def wiring(self, settings: Settings, notice: Callable[[str], None]) -> Wiring:
        return ServedWiring(settings, notice, self)


@pytest.fixture
def served(candor: CommandLine, ollama: OllamaServer, setting: Callable[[str, str], None]) -> CommandLine:
    """The command line, with one passage and a model on a real server."""
    candor.parts = ServedParts()
    candor.parts.database = filled(candor.parts.embedder)
    chunk = Chunk("l", "l.md", "l.md", "Leave", ("Leave", "Carrying over"), TEXT, (0, len(TEXT)), "h")
    share = candor.parts.database.generations[GENERATION]["local"]
    share.chunks = {"l": (chunk, candor.parts.embedder._vector(chunk.passage))}
    setting("WRITER__KIND", "ollama")
    setting("WRITER__MODEL", ollama.model)
    setting("WRITER__BASE_URL", ollama.host)
    setting("WRITER__FIRST_TOKEN_S", "100")
    setting("WRITER__TOTAL_S", "100")
    return candor


def test_what_a_real_model_writes_stands_in_the_file(
    served: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The schema leaves the model no choice, so that what it writes is known."""
    fields = {name: {"type": "string", "enum": [text]} for name, text in SAID.items()}
    monkeypatch.setattr(prompts, "SUGGEST_SCHEMA", {**prompts.SUGGEST_SCHEMA, "properties": fields})
    run = served("questions", "suggest", "--all")
    assert (run.code, "Going on without" in run.err) == (0, False)
    assert {asked.text: asked.kind for asked in load(tmp_path / "questions.jsonl")} == {
        SAID["question"]: "written",
        "When do unused travel vouchers lapse in the next year?": "written_near_miss",
    }


def test_whatever_a_real_model_writes_there_are_questions(served: CommandLine) -> None:
    run = served("questions", "suggest", "--all", "--json")
    assert (run.code, "Going on without" in run.err) == (0, False)
    assert run.json["written"] >= 2


def test_a_model_that_the_server_lacks_is_told_in_a_line(
    served: CommandLine, setting: Callable[[str, str], None]
) -> None:
    setting("WRITER__MODEL", "nobody")
    run = served("questions", "suggest", "--all", "--json")
    assert run.json["written"] >= 2
    assert "doesn't know the model “nobody”" in " ".join(run.err.split())
