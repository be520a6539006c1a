"""The contract of `crag.ports.LanguageModel`: subclass it as `Test...` and say how to set the stage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import pytest

from crag.errors import LanguageModelError
from crag.ports import LanguageModel
from crag.types import Prompt

PROMPT = Prompt("You answer in one sentence.", "When does the office open?")
STRANGE_PROMPT = Prompt("", '🦊 "quotes" \\ \u2028 <|im_end|> {json} 有給 \x00')
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
    "additionalProperties": False,
}


class Stage(Protocol):
    """A model, and what its server will say."""

    @property
    def model(self) -> LanguageModel: ...

    def says(self, text: str, *, finished: bool = True, probabilities: Mapping[str, float] | None = None) -> None: ...

    def fails(self) -> None:
        """From now on every call fails."""
        ...


async def until_it_raises(stream: AsyncIterator[str]) -> tuple[str, LanguageModelError]:
    """What came before the error, and the error."""
    text = ""
    try:
        async for piece in stream:
            text += piece
    except LanguageModelError as error:
        return text, error
    raise AssertionError(f"no error after “{text}”")


async def streamed(model: LanguageModel, prompt: Prompt = PROMPT, max_tokens: int = 50) -> str:
    return "".join([piece async for piece in model.stream(prompt, max_tokens=max_tokens)])


class LanguageModelContract:
    def open(self) -> AbstractAsyncContextManager[Stage]:
        raise NotImplementedError

    @pytest.fixture
    async def stage(self) -> AsyncIterator[Stage]:
        async with self.open() as stage:
            yield stage

    async def test_it_names_its_model_and_its_window(self, stage: Stage) -> None:
        assert stage.model.model
        assert stage.model.context_window > 0

    async def test_a_completion_is_what_was_said(self, stage: Stage) -> None:
        stage.says("It opens at 9:00 – “sharp” [1]. 🕘")
        answer = await stage.model.complete(PROMPT, max_tokens=50)
        assert (answer.text, answer.finished, dict(answer.first_token)) == (
            "It opens at 9:00 – “sharp” [1]. 🕘",
            True,
            {},
        )

    async def test_a_stream_joins_to_what_was_said_and_comes_in_pieces(self, stage: Stage) -> None:
        stage.says("It opens at 9:00.\n\nIt closes at 18:00 [1].")
        pieces = [piece async for piece in stage.model.stream(PROMPT, max_tokens=50)]
        assert "".join(pieces) == "It opens at 9:00.\n\nIt closes at 18:00 [1]."
        assert len(pieces) > 1

    async def test_any_prompt_can_be_sent(self, stage: Stage) -> None:
        assert (await stage.model.complete(STRANGE_PROMPT, max_tokens=50)).text
        assert await streamed(stage.model, STRANGE_PROMPT)

    async def test_a_schema_can_be_asked_for(self, stage: Stage) -> None:
        stage.says('{"query": "opening hours"}')
        assert (await stage.model.complete(PROMPT, max_tokens=50, schema=SCHEMA)).text == '{"query": "opening hours"}'

    async def test_the_first_tokens_probabilities_come_when_asked_for(self, stage: Stage) -> None:
        stage.says("Yes", finished=False, probabilities={"Yes": 0.75, " No": 0.2})
        asked = await stage.model.complete(PROMPT, max_tokens=1, first_token=True)
        assert dict(asked.first_token) == pytest.approx({"Yes": 0.75, " No": 0.2})
        assert not (await stage.model.complete(PROMPT, max_tokens=1)).first_token

    async def test_without_probabilities_the_text_still_comes(self, stage: Stage) -> None:
        stage.says("Yes", finished=False)
        answer = await stage.model.complete(PROMPT, max_tokens=1, first_token=True)
        assert (answer.text, dict(answer.first_token)) == ("Yes", {})

    async def test_a_cut_completion_says_so_and_a_cut_stream_raises_after_its_text(self, stage: Stage) -> None:
        stage.says("It opens at", finished=False)
        assert not (await stage.model.complete(PROMPT, max_tokens=3)).finished
        text, error = await until_it_raises(stage.model.stream(PROMPT, max_tokens=3))
        assert text == "It opens at"
        assert "cut off at 3 tokens" in str(error)

    async def test_an_answer_of_nothing_is_an_error(self, stage: Stage) -> None:
        for nothing in ("", " \n ", "<think>hm</think>\n"):
            stage.says(nothing)
            with pytest.raises(LanguageModelError, match="answered nothing"):
                await stage.model.complete(PROMPT, max_tokens=50)
            with pytest.raises(LanguageModelError, match="answered nothing"):
                await streamed(stage.model)

    async def test_thinking_is_not_part_of_the_answer(self, stage: Stage) -> None:
        stage.says("<think>\nIs 8 < 9? </thin </think>\n\nIt opens at 9:00, if 8 < 9.")
        assert (await stage.model.complete(PROMPT, max_tokens=50)).text == "It opens at 9:00, if 8 < 9."
        assert await streamed(stage.model) == "It opens at 9:00, if 8 < 9."

    async def test_thinking_without_its_opening_tag_never_passes_for_an_answer(self, stage: Stage) -> None:
        stage.says("Perhaps at 8:00?</think>It opens at 9:00.")
        assert (await stage.model.complete(PROMPT, max_tokens=50)).text == "It opens at 9:00."
        with pytest.raises(LanguageModelError, match="mixed its thinking"):
            await streamed(stage.model)

    async def test_a_failure_is_a_language_model_error_in_words(self, stage: Stage) -> None:
        stage.fails()
        with pytest.raises(LanguageModelError, match=r"language model.*\."):
            await stage.model.complete(PROMPT, max_tokens=50)
        with pytest.raises(LanguageModelError, match=r"language model.*\."):
            await streamed(stage.model)

    async def test_parallel_calls_each_get_their_answer(self, stage: Stage) -> None:
        stage.says("It opens at 9:00 [1].")
        calls = [stage.model.complete(PROMPT, max_tokens=50) for _ in range(8)]
        streams = [streamed(stage.model) for _ in range(8)]
        answers = await asyncio.gather(*calls)
        assert {a.text for a in answers} | set(await asyncio.gather(*streams)) == {"It opens at 9:00 [1]."}

    async def test_a_stream_may_be_left_early(self, stage: Stage) -> None:
        stage.says("It opens at 9:00. " * 20)
        stream = stage.model.stream(PROMPT, max_tokens=200)
        assert await anext(stream)
        assert isinstance(stream, AsyncGenerator)
        await stream.aclose()
        assert (await stage.model.complete(PROMPT, max_tokens=200)).text
