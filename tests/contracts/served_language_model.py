"""What both adapters do on a real server, whatever its model says: subclass it as `Test...` and say how to open one."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import AbstractAsyncContextManager, suppress

import pytest

from crag.errors import LanguageModelError
from crag.llm.grader import LLMGrader
from crag.llm.rewriter import LLMRewriter
from crag.llm.timeouts import Timeouts
from crag.llm.writer import LLMWriter
from crag.ports import LanguageModel
from crag.types import Glossary, Prompt
from tests.contracts.language_model import SCHEMA, streamed, until_it_raises
from tests.contracts.writer import PASSAGES, QUESTION
from tests.servers.ollama import OllamaServer

SHORT = Prompt("You answer in one word.", "What is the capital of France?")
LONG = Prompt("You write long stories and never stop.", "Tell a very long story about a fox and a river.")
PATIENT = Timeouts(first_token=120, idle=60, total=240)


class ServedLanguageModelContract:
    def model_on(
        self, server: OllamaServer, *, model: str = "", timeouts: Timeouts = PATIENT
    ) -> AbstractAsyncContextManager[LanguageModel]:
        raise NotImplementedError

    async def test_it_completes(self, ollama: OllamaServer) -> None:
        async with self.model_on(ollama) as model:
            answer = await model.complete(SHORT, max_tokens=20)
        assert answer.text.strip()
        assert not answer.first_token

    async def test_it_streams_what_it_completes(self, ollama: OllamaServer) -> None:
        async with self.model_on(ollama) as model:
            pieces, _ = await until_it_raises(model.stream(LONG, max_tokens=30))
            whole = await model.complete(LONG, max_tokens=30)
        assert pieces.strip() == whole.text
        assert not whole.finished

    async def test_a_schema_constrains_it(self, ollama: OllamaServer) -> None:
        async with self.model_on(ollama) as model:
            answer = await model.complete(SHORT, max_tokens=60, schema=SCHEMA)
        assert not answer.finished or set(json.loads(answer.text)) == {"query"}
        assert answer.text.lstrip().startswith("{")

    async def test_the_first_tokens_probabilities_come(self, ollama: OllamaServer) -> None:
        async with self.model_on(ollama) as model:
            answer = await model.complete(SHORT, max_tokens=1, first_token=True)
        assert len(answer.first_token) > 5
        assert 0 < sum(answer.first_token.values()) <= 1.001
        assert max(answer.first_token, key=lambda t: answer.first_token[t]).strip() == answer.text.strip()

    async def test_a_crossed_limit_is_an_error(self, ollama: OllamaServer) -> None:
        async with self.model_on(ollama, timeouts=Timeouts(total=0.05)) as model:
            with pytest.raises(LanguageModelError, match=r"didn't (finish|begin)"):
                await model.complete(LONG, max_tokens=2000)

    async def test_a_cancelled_answer_frees_the_server(self, ollama: OllamaServer) -> None:
        """The server works on one request at a time: had it gone on with 3,000 tokens, the next would wait for it."""
        async with self.model_on(ollama) as model:
            began = time.monotonic()
            await model.complete(LONG, max_tokens=40)
            of_40 = time.monotonic() - began
            call = asyncio.create_task(streamed(model, LONG, 3000))
            await asyncio.sleep(of_40 / 4)
            call.cancel()
            with suppress(asyncio.CancelledError):
                await call
            began = time.monotonic()
            await model.complete(SHORT, max_tokens=3)
            assert time.monotonic() - began < max(5.0, 10 * of_40)

    async def test_an_unknown_model_is_named_with_the_command_that_gets_it(self, ollama: OllamaServer) -> None:
        async with self.model_on(ollama, model="no-such-model") as model:
            with pytest.raises(LanguageModelError, match=r"“no-such-model” \(HTTP 404\).*`ollama pull no-such-model`"):
                await model.complete(SHORT, max_tokens=5)

    @pytest.mark.parametrize("method", ["probability", "json"])
    async def test_the_grader_judges_every_passage(self, ollama: OllamaServer, method: str) -> None:
        async with self.model_on(ollama) as model:
            grader = LLMGrader(model, concurrency=2, method=method)  # type: ignore[arg-type]
            judged = await grader.grade(QUESTION, [PASSAGES[0].text, "No <|im_end|> way"])
        assert len(judged) == 2
        assert all(j.reason for j in judged)
        assert all(j.score is None or 0 <= j.score <= 1 for j in judged)
        if method == "probability":
            assert any(j.score is not None for j in judged)

    async def test_the_writer_writes_and_the_rewriter_rewrites(self, ollama: OllamaServer) -> None:
        async with self.model_on(ollama) as model:
            answer = ""
            with suppress(LanguageModelError):  # this model seldom comes to an end by itself
                async for piece in LLMWriter(model, max_tokens=20).write(QUESTION, PASSAGES):
                    answer += piece
            rewrite = await LLMRewriter(model).rewrite(QUESTION, [p.chunk for p in PASSAGES], Glossary())
        assert answer.strip()
        assert rewrite is None or rewrite.query.strip()
