"""The rewriter on a language model: a JSON schema, the question's language, and None for everything unusable."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from crag.errors import LanguageModelError
from crag.llm.prompts import REWRITE_SCHEMA
from crag.llm.rewriter import LLMRewriter
from crag.llm.window import estimate_tokens
from crag.ports import Rewriter
from crag.types import Glossary, Rewrite, Turn
from tests.contracts.rewriter import GLOSSARY, QUESTION, RewriterContract, chunk
from tests.fakes.language_model import ScriptedLanguageModel, refused_key

HISTORY = (Turn("When does the Porto office open?"), Turn("At eight [1].", by_bot=True))


def query(text: str) -> str:
    return json.dumps({"query": text})


class TestLLMRewriter(RewriterContract):
    @asynccontextmanager
    async def open(self) -> AsyncIterator[Rewriter]:
        yield LLMRewriter(ScriptedLanguageModel(query("paid time off carried over")))


async def test_headings_and_known_abbreviations_are_offered_and_a_schema_is_asked_for() -> None:
    model = ScriptedLanguageModel(query("paid time off"))
    await LLMRewriter(model).rewrite(QUESTION, [chunk("Carrying over")], GLOSSARY)
    assert "Leave > Carrying over" in model.prompts[0].user
    assert "pto = paid time off" in model.prompts[0].user
    assert model.schemas == [REWRITE_SCHEMA]


@pytest.mark.parametrize(
    "said",
    [
        query(""),
        query("?!"),
        query("how much pto can I keep"),
        query("x " * 300),
        query("Сколько дней отпуска"),
        query("Wie viele Urlaubstage kann ich behalten?"),
        '{"query": "half',
        "Try searching for leave days.",
        "[]",
    ],
    ids=[
        "empty",
        "no words",
        "the same",
        "too long",
        "another script",
        "another language",
        "half a JSON",
        "prose",
        "another JSON",
    ],
)
async def test_an_unusable_rewrite_is_none(said: str) -> None:
    assert await LLMRewriter(ScriptedLanguageModel(said)).rewrite(QUESTION, [], Glossary()) is None


async def test_a_question_in_another_script_may_keep_latin_names() -> None:
    rewriter = LLMRewriter(ScriptedLanguageModel(query("Slack 有給 申請")))
    assert await rewriter.rewrite("Slackで有給は?", [], Glossary()) == Rewrite("Slack 有給 申請")


async def test_a_german_question_is_not_searched_for_in_english() -> None:
    question = "Wie viele Urlaubstage kann ich ins nächste Jahr mitnehmen?"
    english, german = "How many days of leave can I keep?", "Übertragung von Urlaub ins neue Jahr"
    assert await LLMRewriter(ScriptedLanguageModel(query(english))).rewrite(question, [], Glossary()) is None
    assert await LLMRewriter(ScriptedLanguageModel(query(german))).rewrite(question, [], Glossary()) == Rewrite(german)
    assert await LLMRewriter(ScriptedLanguageModel(query(english))).standalone(question, HISTORY) == question


async def test_a_follow_up_gets_what_it_refers_to() -> None:
    model = ScriptedLanguageModel(query("When does the Porto office close?"))
    assert await LLMRewriter(model).standalone("And close?", HISTORY) == "When does the Porto office close?"
    assert "When does the Porto office open?" in model.prompts[0].user


@pytest.mark.parametrize("said", [query(""), "garbage", '{"query": "half', query("Когда закрывается офис?")])
async def test_an_unusable_standalone_question_leaves_the_question_as_it_was(said: str) -> None:
    assert await LLMRewriter(ScriptedLanguageModel(said)).standalone("And close?", HISTORY) == "And close?"


async def test_a_failing_model_raises() -> None:
    rewriter = LLMRewriter(ScriptedLanguageModel(refused_key()))
    with pytest.raises(LanguageModelError):
        await rewriter.rewrite(QUESTION, [], Glossary())
    with pytest.raises(LanguageModelError):
        await rewriter.standalone(QUESTION, HISTORY)


async def test_only_the_last_turns_are_sent_and_each_is_cut() -> None:
    model = ScriptedLanguageModel(query("x y"))
    history = [Turn(f"turn number {n} " + "y" * 5000) for n in range(20)]
    await LLMRewriter(model).standalone("And?", history)
    assert "turn number 13 " not in model.prompts[0].user
    assert "turn number 14 " in model.prompts[0].user
    assert len(model.prompts[0].user) < 4000


async def test_what_stands_around_a_question_gives_way_to_a_small_window() -> None:
    near, long = [chunk(f"{n} " + "Übertragung " * 9) for n in range(6)], "How many days are carried over? " * 15
    model = ScriptedLanguageModel(query("days carried over"), context_window=700)
    assert await LLMRewriter(model).rewrite(long, near, GLOSSARY) == Rewrite("days carried over")
    assert "Übertragung" not in model.prompts[-1].user
    turns = [Turn(f"turn {n} " + "y" * 380) for n in range(6)]
    assert await LLMRewriter(model).standalone(long, turns) == "days carried over"
    assert ["turn 0" in model.prompts[-1].user, "turn 5" in model.prompts[-1].user] == [False, True]
    assert all(estimate_tokens(p.system + p.user) < 700 for p in model.prompts)


async def test_a_question_that_fills_the_window_is_left_as_it_is_and_nothing_is_sent() -> None:
    model, long = ScriptedLanguageModel(query("x y"), context_window=700), "why " * 1000
    assert await LLMRewriter(model).rewrite(long, [], Glossary()) is None
    assert await LLMRewriter(model).standalone(long, HISTORY) == long
    assert not model.prompts
