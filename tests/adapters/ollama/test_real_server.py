"""The Ollama adapter on a real server, and what only a real tokenizer can tell."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import ollama as client
import pytest

from adapters.ollama import OllamaLanguageModel
from crag.llm.prompts import write
from crag.llm.timeouts import Timeouts
from crag.llm.window import FRAME_TOKENS, estimate_tokens
from crag.ports import LanguageModel
from tests.contracts.served_language_model import PATIENT, ServedLanguageModelContract
from tests.contracts.writer import evidence
from tests.servers.ollama import OllamaServer

pytestmark = [pytest.mark.llm, pytest.mark.asyncio(loop_scope="session")]

TEXTS = {
    "prose": "The office in Porto opens at eight, unless there is a public holiday. " * 10,
    "table": "| Plan | Price | Seats |\n|---|---:|---|\n| Team | 12.50 EUR | 4711 |\n" * 10,
    "code": "def f(a: int) -> dict[str, list[int]]:\n    return {'x': [a ** 2 for _ in range(10)]}\n" * 10,
    "german": "Überstunden müssen innerhalb von dreißig Tagen genehmigt und ausgeglichen werden. " * 10,
    "japanese": "未使用の有給休暇は翌年の三月末まで繰り越すことができます。" * 10,
    "hashes": "sha256:cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046\n" * 10,
    "emoji": "🦊🚀👍🏽 " * 30,
}


class TestOllamaOnARealServer(ServedLanguageModelContract):
    def model_on(
        self, server: OllamaServer, *, model: str = "", timeouts: Timeouts = PATIENT
    ) -> AbstractAsyncContextManager[LanguageModel]:
        return OllamaLanguageModel(
            host=server.host, model=model or server.model, context_window=server.context_window, timeouts=timeouts
        )

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
    async def test_a_prompt_never_has_more_tokens_than_estimated(self, ollama: OllamaServer, text: str) -> None:
        prompt = write("How?", [evidence(1, text)])
        async with client.AsyncClient(host=ollama.host) as api:
            answer = await api.chat(
                ollama.model,
                [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
                options={"num_predict": 1, "num_ctx": ollama.context_window},
            )
        counted = answer.prompt_eval_count or 0
        assert 50 < counted <= estimate_tokens(prompt.system) + estimate_tokens(prompt.user) + FRAME_TOKENS
