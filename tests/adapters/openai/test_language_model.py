"""The OpenAI adapter against a peer that speaks OpenAI's protocol."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import pytest

from adapters.openai import OpenAILanguageModel
from crag.errors import LanguageModelError
from crag.llm.timeouts import Timeouts
from crag.ports import LanguageModel
from tests.contracts.language_model import PROMPT, SCHEMA
from tests.contracts.language_model_peer import PATIENT, PeerContract
from tests.peers.llm import KEY, LanguageModelPeer, Saying, Trouble


class TestOpenAILanguageModel(PeerContract):
    def model_at(self, address: str, timeouts: Timeouts) -> AbstractAsyncContextManager[LanguageModel]:
        return OpenAILanguageModel(
            base_url=f"{address}/v1", api_key=KEY, model="tiny", context_window=2048, timeouts=timeouts, retries=0
        )

    async def test_temperature_limit_and_schema_are_sent(self) -> None:
        async with self.on_a_peer(PATIENT) as stage:
            await stage.model.complete(PROMPT, max_tokens=50, schema=SCHEMA)
        [sent] = stage.peer.requests
        assert (sent["temperature"], sent["max_tokens"]) == (0, 50)
        assert sent["response_format"]["json_schema"] == {"name": "answer", "schema": SCHEMA, "strict": True}

    async def test_a_refused_parameter_is_left_out_from_then_on(self) -> None:
        async with self.on_a_peer(PATIENT) as stage:
            stage.peer.refuses = {"max_tokens", "temperature", "logprobs"}
            stage.peer.saying = Saying("Yes")
            for _ in range(2):
                await stage.model.complete(PROMPT, max_tokens=50, first_token=True)
        assert len(stage.peer.requests) == 5
        last = stage.peer.requests[-1]
        assert last["max_completion_tokens"] == 50
        assert not {"max_tokens", "temperature", "logprobs", "top_logprobs"} & last.keys()

    async def test_a_request_that_stays_refused_is_an_error(self) -> None:
        async with self.on_a_peer(PATIENT) as stage:
            stage.peer.refuses = {"messages"}
            with pytest.raises(LanguageModelError, match=r"refused the request \(HTTP 400: Unsupported parameter"):
                await stage.model.complete(PROMPT, max_tokens=50)
        assert len(stage.peer.requests) == 1

    async def test_a_busy_server_is_asked_once_more(self) -> None:
        async with LanguageModelPeer() as peer, OpenAILanguageModel(base_url=f"{peer.address}/v1", model="m") as model:
            peer.trouble = Trouble.TOO_MANY
            with pytest.raises(LanguageModelError, match="429"):
                await model.complete(PROMPT, max_tokens=50)
        assert len(peer.requests) == 2
