import asyncio

import pytest

from bot.assistant import Assistant
from crag.events import Listener
from crag.types import Abstention, Question, Reason, Reply
from tests.adapters.console.samples import answered


class Engine:
    def __init__(self, error: Exception | None = None, *, hang: bool = False) -> None:
        self.error = error
        self.hang = hang

    async def answer(self, question: Question, on_event: Listener | None = None) -> Reply:
        if self.hang:
            await asyncio.Event().wait()
        if self.error:
            raise self.error
        return answered()


async def test_the_engines_reply_passes_as_it_is() -> None:
    assert await Assistant(Engine(), deadline_s=5).answer(Question("Who?")) == answered()


@pytest.mark.parametrize(
    ("engine", "reason"),
    [(Engine(ZeroDivisionError()), Reason.INTERNAL), (Engine(hang=True), Reason.TIMEOUT)],
)
async def test_whatever_happens_a_reply_comes(engine: Engine, reason: Reason) -> None:
    reply = await Assistant(engine, deadline_s=0.01, grace_s=0.01).answer(Question("Who?"))
    assert isinstance(reply.body, Abstention)
    assert reply.body.reason is reason
    assert reply.question.text == "Who?"
    assert reply.trace.id


async def test_cancelling_passes() -> None:
    task = asyncio.create_task(Assistant(Engine(hang=True), deadline_s=5).answer(Question("Who?")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
