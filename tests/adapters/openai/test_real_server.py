"""The OpenAI adapter on a real server that speaks its protocol: Ollama's /v1."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import pytest

from adapters.openai import OpenAILanguageModel
from crag.llm.timeouts import Timeouts
from crag.ports import LanguageModel
from tests.contracts.served_language_model import PATIENT, ServedLanguageModelContract
from tests.servers.ollama import OllamaServer

pytestmark = [pytest.mark.llm, pytest.mark.asyncio(loop_scope="session")]


class TestOpenAIOnARealServer(ServedLanguageModelContract):
    def model_on(
        self, server: OllamaServer, *, model: str = "", timeouts: Timeouts = PATIENT
    ) -> AbstractAsyncContextManager[LanguageModel]:
        return OpenAILanguageModel(
            base_url=f"{server.host}/v1",
            model=model or server.model,
            context_window=server.context_window,
            timeouts=timeouts,
            retries=0,
        )
