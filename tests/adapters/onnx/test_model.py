"""Opening, damage, queueing and closing of a model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.onnx import OnnxGrader
from adapters.onnx.network import FILES, Network
from adapters.onnx.worker import Worker
from crag.errors import ModelError
from tests.adapters.onnx.conftest import open_grader


def delete(file: Path) -> None:
    file.unlink()


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def pointer(file: Path) -> None:
    file.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", [delete, empty, cut, pointer])
async def test_a_damaged_file_is_named_with_what_to_do(
    copy_of_grader: Path, name: str, damage: Callable[[Path], None]
) -> None:
    damage(copy_of_grader / name)
    with pytest.raises(ModelError, match=name) as caught:
        async with open_grader(copy_of_grader):
            pass
    assert str(copy_of_grader / name) in caught.value.message
    assert "git restore models" in caught.value.advice


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nowhere"):
        async with open_grader(tmp_path / "nowhere"):
            pass


@pytest.mark.parametrize("name", FILES)
async def test_the_fingerprint_changes_with_every_file(copy_of_grader: Path, name: str) -> None:
    before = Network.load(copy_of_grader, threads=1, service="").fingerprint
    if name == "model.onnx":
        with (copy_of_grader / name).open("ab") as file:
            file.write(b"\x32\x00")  # a field that protobuf reads and the graph ignores
    else:
        with (copy_of_grader / name).open("a") as file:
            file.write("\n")
    assert Network.load(copy_of_grader, threads=1, service="").fingerprint != before


async def test_closing_ends_the_thread(copy_of_grader: Path) -> None:
    async with OnnxGrader(copy_of_grader, threads=1, batch_tokens=512) as grader:
        assert any(thread.name.startswith("grading-model") for thread in threading.enumerate())
    assert not any(thread.name.startswith("grading-model_") for thread in threading.enumerate())
    with pytest.raises(ModelError, match="shutting down"):
        await grader.grade("late?", ["too late"])


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
