"""What an adapter does when its server misbehaves: subclass it as `Test...` and say how to open a model on a peer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass

import pytest

from crag.errors import LanguageModelError
from crag.llm.timeouts import Timeouts
from crag.ports import LanguageModel
from tests.contracts.language_model import PROMPT, LanguageModelContract, Stage, streamed, until_it_raises
from tests.peers.llm import KEY, LanguageModelPeer, Saying, Trouble

PATIENT = Timeouts(first_token=10, idle=10, total=20)
NO_TIME_TO_BEGIN = Timeouts(first_token=0.3, idle=10, total=20)
NO_TIME_TO_PAUSE = Timeouts(first_token=10, idle=0.3, total=20)
UNUSED_PORT = "http://admin:hunter2@127.0.0.1:9"

WORDS = {
    Trouble.REFUSES_THE_KEY: r"refused the key \(HTTP 401\)\. Check CANDOR_WRITER__API_KEY\.",
    Trouble.FORBIDS: r"refused the key \(HTTP 403\)\. Check CANDOR_WRITER__API_KEY\.",
    Trouble.KNOWS_NO_SUCH_MODEL: r"doesn't know the model “tiny” .*`ollama pull tiny`",
    Trouble.TOO_MANY: r"turns requests away.*\(HTTP 429\)",
    Trouble.FAILS: r"failed \(HTTP 500: .*badly",
    Trouble.OVERLOADED: r"failed \(HTTP 503",
    Trouble.GARBAGE: r"can't be read as|broke off",
    Trouble.GARBAGE_FAILURE: r"failed \(HTTP 502|can't be read as",
    Trouble.FAILS_IN_MID_STREAM: r"failed: out of memory, \*\*\*",
    Trouble.NEVER_ANSWERS: r"didn't begin to answer within 0\.3 s",
    Trouble.ONLY_A_ROLE: r"didn't begin to answer within 0\.3 s",
    Trouble.STALLS: r"fell silent for 0\.3 s",
    Trouble.CLOSES: r"broke off in mid-answer",
    Trouble.ENDS_EARLY: r"broke off in mid-answer",
    Trouble.ENDLESS: r"went on long after the 50 tokens",
}
LIMITS = {
    Trouble.NEVER_ANSWERS: NO_TIME_TO_BEGIN,
    Trouble.ONLY_A_ROLE: NO_TIME_TO_BEGIN,
    Trouble.STALLS: NO_TIME_TO_PAUSE,
}


@dataclass
class PeerStage:
    model: LanguageModel
    peer: LanguageModelPeer

    def says(self, text: str, *, finished: bool = True, probabilities: Mapping[str, float] | None = None) -> None:
        self.peer.saying = Saying(text, finished, probabilities or {})

    def fails(self) -> None:
        self.peer.trouble = Trouble.FAILS


class PeerContract(LanguageModelContract):
    def model_at(self, address: str, timeouts: Timeouts) -> AbstractAsyncContextManager[LanguageModel]:
        """The adapter with the model "tiny", the key KEY and a window of 2,048 tokens."""
        raise NotImplementedError

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Stage]:
        async with self.on_a_peer(PATIENT) as stage:
            yield stage

    @asynccontextmanager
    async def on_a_peer(self, timeouts: Timeouts) -> AsyncIterator[PeerStage]:
        async with LanguageModelPeer() as peer, self.model_at(peer.address, timeouts) as model:
            yield PeerStage(model, peer)

    @pytest.mark.parametrize(("trouble", "words"), WORDS.items(), ids=[t.name.lower() for t in WORDS])
    async def test_each_trouble_is_told_in_plain_words_without_secrets(self, trouble: Trouble, words: str) -> None:
        async with self.on_a_peer(LIMITS.get(trouble, PATIENT)) as stage:
            stage.peer.trouble = trouble
            for call in (lambda: stage.model.complete(PROMPT, max_tokens=50), lambda: streamed(stage.model)):
                with pytest.raises(LanguageModelError, match=words) as caught:
                    await call()
                told = str(caught.value)
                assert KEY not in told
                assert "hunter2" not in told
                assert told.isprintable()
                assert caught.value.__cause__ is None

    async def test_an_answer_that_trickles_on_ends_at_the_total(self) -> None:
        async with self.on_a_peer(Timeouts(first_token=10, idle=10, total=0.6)) as stage:
            stage.peer.trouble = Trouble.TRICKLES
            with pytest.raises(LanguageModelError, match=r"didn't finish within 0\.6 s"):
                await streamed(stage.model)

    async def test_pieces_before_a_break_arrive(self) -> None:
        async with self.on_a_peer(NO_TIME_TO_PAUSE) as stage:
            stage.peer.trouble = Trouble.STALLS
            text, _ = await until_it_raises(stage.model.stream(PROMPT, max_tokens=50))
            assert text
            assert "It opens at 9:00 [1].".startswith(text)

    async def test_a_server_that_is_not_there_is_named_without_its_password(self) -> None:
        async with self.model_at(UNUSED_PORT, PATIENT) as model:
            with pytest.raises(LanguageModelError, match=r"http://127\.0\.0\.1:9 can't be reached") as caught:
                await model.complete(PROMPT, max_tokens=50)
            assert "hunter2" not in str(caught.value)

    @pytest.mark.parametrize("trouble", [Trouble.NEVER_ANSWERS, Trouble.STALLS, Trouble.TRICKLES])
    async def test_a_cancelled_call_hangs_up(self, trouble: Trouble) -> None:
        async with self.on_a_peer(PATIENT) as stage:
            stage.peer.trouble = trouble
            call = asyncio.create_task(streamed(stage.model))
            async with asyncio.timeout(5):
                await stage.peer.asked.wait()
                call.cancel()
                with suppress(asyncio.CancelledError):
                    await call
                await stage.peer.left.wait()

    async def test_a_crossed_limit_hangs_up(self) -> None:
        async with self.on_a_peer(NO_TIME_TO_PAUSE) as stage:
            stage.peer.trouble = Trouble.STALLS
            with pytest.raises(LanguageModelError):
                await stage.model.complete(PROMPT, max_tokens=50)
            async with asyncio.timeout(5):
                await stage.peer.left.wait()

    async def test_hidden_thinking_is_a_sign_of_life_and_not_shown(self) -> None:
        async with self.on_a_peer(PATIENT) as stage:
            stage.peer.saying = Saying("It opens at 9:00.", thinking="The user wants the opening hours.")
            assert await streamed(stage.model) == "It opens at 9:00."

    async def test_the_key_goes_out_as_a_bearer_token(self) -> None:
        async with self.on_a_peer(PATIENT) as stage:
            await stage.model.complete(PROMPT, max_tokens=50)
            assert stage.peer.keys == [f"Bearer {KEY}"]
