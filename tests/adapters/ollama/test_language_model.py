"""The Ollama adapter against a peer that speaks Ollama's protocol."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from adapters.ollama import OllamaLanguageModel
from crag.llm.timeouts import Timeouts
from crag.ports import LanguageModel
from tests.contracts.language_model import PROMPT, SCHEMA
from tests.contracts.language_model_peer import PATIENT, PeerContract
from tests.peers.llm import KEY


class TestOllamaLanguageModel(PeerContract):
    def model_at(self, address: str, timeouts: Timeouts) -> AbstractAsyncContextManager[LanguageModel]:
        return OllamaLanguageModel(host=address, model="tiny", context_window=2048, timeouts=timeouts, api_key=KEY)

    async def test_the_window_the_limit_and_the_schema_are_sent(self) -> None:
        async with self.on_a_peer(PATIENT) as stage:
            await stage.model.complete(PROMPT, max_tokens=50, schema=SCHEMA)
        [sent] = stage.peer.requests
        assert sent["options"] == {"temperature": 0, "seed": 0, "num_ctx": 2048, "num_predict": 50}
        assert sent["format"] == SCHEMA
        assert [m["content"] for m in sent["messages"]] == [PROMPT.system, PROMPT.user]
        assert sent["think"] is False
