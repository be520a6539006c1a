"""The wiring: which parts the settings lead to, and that what was opened is closed."""

import asyncio
import importlib.util
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bot.app import App, Wiring
from bot.models import language_model, require_extra
from config.settings import Settings, load
from crag.errors import ModelError, SearchError, SettingsError
from crag.ports import Grader
from crag.types import Answer, Completion, Question
from tests.bot.house import FakeWiring, Parts
from tests.fakes.language_model import ScriptedLanguageModel

KNOWN = Question("How many vacation days carry over?")
Set = Callable[[str, str], None]


def settings() -> Settings:
    return load().settings


@asynccontextmanager
async def opened(parts: Parts) -> AsyncIterator[App]:
    async with FakeWiring(settings(), lambda _: None, parts).app() as app:
        yield app


async def test_by_default_the_writer_quotes_and_the_reranker_grades() -> None:
    async with opened(Parts.filled()) as app:
        reply = await app.engine.answer(KNOWN)
    assert reply.trace.models["writer"] == "extractive"
    assert reply.trace.models["grader"] == "fake-grader-1"
    assert (reply.trace.upper, reply.trace.lower) == (0.6, 0.3)


async def test_a_language_model_writes_where_the_settings_say_so(setting: Set) -> None:
    setting("WRITER__KIND", "ollama")
    setting("WRITER__MODEL", "tiny")
    parts = Parts.filled()
    parts.model = ScriptedLanguageModel("Five vacation days carry over into the next year [1].", model="tiny")
    async with opened(parts) as app:
        reply = await app.engine.answer(KNOWN)
    assert reply.trace.models["writer"] == reply.trace.models["rewriter"] == "tiny"
    assert isinstance(reply.body, Answer)
    assert reply.body.text == "Five vacation days carry over into the next year [1]."


async def test_a_language_model_grades_with_cut_offs_of_its_own(setting: Set) -> None:
    for name, value in {"KIND": "llm", "LLM__MODEL": "tiny", "LLM__METHOD": "json", "LLM__UPPER": "0.8"}.items():
        setting(f"GRADER__{name}", value)
    parts = Parts.filled()
    grade = '{"grade": "correct", "confidence": 0.9, "reason": "It says so."}'
    parts.model = ScriptedLanguageModel(grade, model="tiny")
    async with opened(parts) as app:
        reply = await app.engine.answer(KNOWN)
    assert (reply.trace.upper, reply.trace.lower) == (0.8, 0.3)
    assert "tiny" in reply.trace.models["grader"]


@pytest.mark.parametrize("section", ["GRADER__LLM", "WRITER"])
async def test_a_language_model_adjudicates_where_the_settings_say_so(setting: Set, section: str) -> None:
    setting("GRADER__ADJUDICATE", "true")
    setting(f"{section}__MODEL", "tiny")
    if section == "WRITER":
        setting("WRITER__KIND", "ollama")
    parts = Parts.filled()
    parts.grader.script = {"vacation": 0.5, "": 0.1}
    yes = Completion("Yes", first_token={"Yes": 0.9, "No": 0.1})
    parts.model = ScriptedLanguageModel(yes, model="tiny")
    async with opened(parts) as app:
        reply = await app.engine.answer(KNOWN)
        plain = await app.engines(llm=False).answer(KNOWN)
    best = reply.trace.grades[0]
    assert (best.verdict.value, best.score) == ("CORRECT", 0.5)
    assert best.adjudicated == pytest.approx(0.9)
    assert reply.trace.models["adjudicator"] == "tiny (probability)"
    assert reply.trace.models["grader"] == "fake-grader-1"
    assert (plain.trace.grades[0].verdict, "adjudicator" in plain.trace.models) == ("AMBIGUOUS", False)


async def test_the_thresholds_of_other_models_are_a_warning(place: Path) -> None:
    (place / "calibration.json").write_text('{"upper": 0.6, "lower": 0.3, "grader": "another"}')
    async with opened(Parts.filled()) as app:
        assert "measured with other models" in app.warning


async def test_options_come_from_the_settings(setting: Set) -> None:
    setting("CRAG__MAX_REWRITES", "2")
    setting("CRAG__WIDEN", "false")
    setting("CRAG__CANDIDATES", "7")
    setting("CRAG__GRADED", "3")
    setting("CRAG__GRADING_SHARE", "0.5")
    setting("CRAG__DEADLINE_S", "9")
    async with opened(Parts.filled()) as app:
        options = app.engine.options
    assert (options.max_rewrites, options.widen, options.candidates, options.deadline_s) == (2, False, 7, 9)
    assert (options.graded, options.grading_share) == (3, 0.5)


async def test_a_part_that_fails_stops_the_others_and_is_raised_as_it_is() -> None:
    class Failing(FakeWiring):
        @asynccontextmanager
        async def _broken(self) -> AsyncIterator[Grader]:
            await asyncio.sleep(0.05)
            raise ModelError("The grading model is broken.")
            yield

        def grader(self) -> AbstractAsyncContextManager[Grader]:
            return self._broken()

    parts = Parts.filled()
    with pytest.raises(ModelError, match="The grading model is broken"):
        async with Failing(settings(), lambda _: None, parts).app():
            pass
    assert parts.events == ["server started", "server stopped"]


async def test_a_failure_while_answering_still_closes_everything() -> None:
    parts = Parts.filled()
    with pytest.raises(ZeroDivisionError):
        async with opened(parts):
            raise ZeroDivisionError
    assert parts.events[-1] == "server stopped"


async def test_a_server_that_is_not_there_is_raised_as_it_is() -> None:
    parts = Parts(unreachable=SearchError("No server."))
    with pytest.raises(SearchError, match="No server"):
        async with opened(parts):
            pass


@pytest.mark.parametrize(
    ("url", "http_port", "secure"),
    [("http://weaviate:8080", 8080, False), ("https://w.example", 443, True), ("http://w.example/", 80, False)],
)
async def test_an_address_is_read_from_its_url(setting: Set, url: str, http_port: int, secure: bool) -> None:
    setting("WEAVIATE__MODE", "server")
    setting("WEAVIATE__URL", url)
    setting("WEAVIATE__API_KEY", "secret")
    async with Wiring(settings(), lambda _: None).address() as address:
        assert (address.http_port, address.secure, address.grpc_port) == (http_port, secure, 50051)
        assert address.api_key == "secret"
        assert "secret" not in repr(address)


def test_without_the_extra_its_kind_is_refused_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SettingsError, match=r"CANDOR_EMBEDDER__KIND .*requirements/sentence-transformers\.txt"):
        require_extra("CANDOR_EMBEDDER__KIND")


@pytest.mark.parametrize("server", ["ollama", "openai"])
async def test_a_language_model_is_made_without_reaching_for_its_server(setting: Set, server: str) -> None:
    setting("WRITER__KIND", server)
    setting("WRITER__MODEL", "tiny")
    chosen = settings().writer
    async with language_model(chosen.kind, chosen, "CANDOR_WRITER") as model:
        assert (model.model, model.context_window) == ("tiny", 8192)


def test_the_second_corpus_is_kept_out_of_the_first_search(setting: Set) -> None:
    from bot.cli import _real_wiring
    from bot.context import Context, Screen
    from bot.interrupts import Interrupts

    assert Context(Screen(), load(), Interrupts(), _real_wiring).question("Who?").corpora == frozenset()
    setting("CRAG__SECOND_RETRIEVER", "corpus")
    setting("CRAG__SECOND_CORPORA", "archive")
    assert Context(Screen(), load(), Interrupts(), _real_wiring).question("Who?").corpora == {"default"}
