"""The writer on a language model: what it sends, what it leaves out, what it passes on."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from crag.errors import LanguageModelError
from crag.llm.prompts import DECLINED, is_declined
from crag.llm.window import estimate_tokens
from crag.llm.writer import LLMWriter
from crag.ports import Writer
from tests.contracts.language_model import until_it_raises
from tests.contracts.writer import PASSAGES, QUESTION, WriterContract, evidence
from tests.fakes.language_model import ScriptedLanguageModel, refused_key


class TestLLMWriter(WriterContract):
    @asynccontextmanager
    async def open(self) -> AsyncIterator[Writer]:
        yield LLMWriter(ScriptedLanguageModel("Up to 8 days [1]."))


async def test_the_answer_streams_in_pieces() -> None:
    writer = LLMWriter(ScriptedLanguageModel("Up to 8 days [1]. " * 5))
    assert len([p async for p in writer.write(QUESTION, PASSAGES)]) > 5


async def test_without_evidence_nothing_is_asked() -> None:
    model = ScriptedLanguageModel()
    assert is_declined("".join([p async for p in LLMWriter(model).write(QUESTION, [])]))
    assert not model.prompts


async def test_the_sentinel_is_passed_on() -> None:
    writer = LLMWriter(ScriptedLanguageModel(DECLINED))
    assert is_declined("".join([p async for p in writer.write(QUESTION, PASSAGES)]))


async def test_an_error_in_mid_stream_reaches_the_caller_after_the_pieces() -> None:
    writer = LLMWriter(ScriptedLanguageModel(refused_key(), fail_after=2))
    text, error = await until_it_raises(writer.write(QUESTION, PASSAGES))
    assert text == "so far so far "
    assert "refused the key" in str(error)


async def test_leaving_early_frees_the_model() -> None:
    model = ScriptedLanguageModel("Up to 8 days [1]. " * 20)
    stream = LLMWriter(model).write(QUESTION, PASSAGES)
    await anext(stream)
    assert model.running == 1
    await stream.aclose()  # type: ignore[attr-defined]
    assert model.running == 0


async def test_the_weakest_evidence_goes_first_when_the_window_is_small(caplog: pytest.LogCaptureFixture) -> None:
    model = ScriptedLanguageModel(context_window=1024)
    passages = [
        evidence(n, f"Passage {n}. " + "Words and words. " * 20, score=s) for n, s in ((1, 0.4), (2, 0.9), (3, 0.6))
    ]
    with caplog.at_level(logging.WARNING):
        [p async for p in LLMWriter(model, max_tokens=200).write(QUESTION, passages)]
    [prompt] = model.prompts
    assert ["Passage 1" in prompt.user, "Passage 2" in prompt.user, "Passage 3" in prompt.user] == [False, True, True]
    assert estimate_tokens(prompt.system + prompt.user) + 200 < 1024
    assert "holds 2 of 3 passages" in caplog.text


async def test_a_passage_that_is_too_long_alone_is_cut_at_a_sentence_and_says_so() -> None:
    model = ScriptedLanguageModel(context_window=1024)
    passage = evidence(1, " ".join(f"Sentence number {n} is here." for n in range(300)))
    [p async for p in LLMWriter(model, max_tokens=200).write(QUESTION, [passage])]
    [prompt] = model.prompts
    assert "is here.\n[…]\n</evidence" in prompt.user
    assert estimate_tokens(prompt.system + prompt.user) + 200 < 1024
    assert QUESTION in prompt.user


async def test_a_question_over_the_window_is_an_error_and_nothing_is_sent() -> None:
    model = ScriptedLanguageModel(context_window=1024)
    with pytest.raises(LanguageModelError, match="don't fit into the 1024 tokens"):
        [p async for p in LLMWriter(model).write("why " * 2000, PASSAGES)]
    assert not model.prompts


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("The office opens at eight.", 6),
        ("4711 0815 12.5.2026", 15),
        ("有給休暇は何日", 7),
        ("x = f(a, b);", 8),
        ("", 0),
    ],
)
def test_tokens_are_rather_over_than_underestimated(text: str, least: int) -> None:
    assert estimate_tokens(text) >= least
