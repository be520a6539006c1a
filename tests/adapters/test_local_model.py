"""Queueing and closing of a model that lives in this process."""

from __future__ import annotations

import asyncio
import threading

import pytest

from adapters.local_model import Worker
from crag.errors import ModelError


class Gate:
    """A request that holds the worker until it is let go."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.seen: list[bool] = []
        self._loop = asyncio.get_running_loop()
        self._open = threading.Event()

    def __call__(self, stop: threading.Event) -> str:
        self._loop.call_soon_threadsafe(self.started.set)
        assert self._open.wait(10)
        self.seen.append(stop.is_set())
        return "done"

    def let_go(self) -> None:
        self._open.set()


async def test_a_request_cancelled_before_its_turn_is_never_computed() -> None:
    worker, gate, computed = Worker("test model"), Gate(), list[str]()
    running = asyncio.create_task(worker.run(gate))
    await gate.started.wait()
    waiting = asyncio.create_task(worker.run(lambda _: computed.append("waiting")))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gate.let_go()
    assert await running == "done"
    await worker.run(lambda _: computed.append("next"))
    assert computed == ["next"]
    await worker.close()


async def test_a_request_cancelled_while_it_runs_is_told_to_stop() -> None:
    worker, gate = Worker("test model"), Gate()
    running = asyncio.create_task(worker.run(gate))
    await gate.started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    gate.let_go()
    await worker.close()
    assert gate.seen == [True]


async def test_requests_that_wait_when_the_model_closes_fail_in_words() -> None:
    worker, gate = Worker("test model"), Gate()
    running = asyncio.create_task(worker.run(gate))
    await gate.started.wait()
    waiting = asyncio.create_task(worker.run(lambda _: "never"))
    await asyncio.sleep(0)
    closing = asyncio.create_task(worker.close())
    with pytest.raises(ModelError, match="The test model is shutting down"):
        await waiting
    gate.let_go()
    await closing
    assert await running == "done"
