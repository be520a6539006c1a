import asyncio
import os
import threading

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from adapters.console.lines import piped, prompted

PASTE = "\x1b[200~{}\x1b[201~"


async def typed(*keys: str) -> list[str]:
    """The lines that come of these keys, until the end."""
    with create_pipe_input() as keyboard, create_app_session(input=keyboard, output=DummyOutput()):
        _type(keyboard, *keys)
        return [line async for line in prompted()]


def _type(keyboard: PipeInput, *keys: str) -> None:
    for key in keys:
        keyboard.send_text(key)


async def test_each_enter_ends_a_line_and_ctrl_d_ends_all() -> None:
    assert await typed("one\r", "two\r", "\x04") == ["one", "two"]


async def test_a_paste_of_many_lines_is_one_question() -> None:
    assert await typed(PASTE.format("first\nsecond"), "\r", "\x04") == ["first\nsecond"]


async def test_escape_enter_starts_a_new_line() -> None:
    assert await typed("first\x1b\rsecond\r", "\x04") == ["first\nsecond"]


async def test_arrow_up_brings_back_the_last_line() -> None:
    with create_pipe_input() as keyboard, create_app_session(input=keyboard, output=DummyOutput()):
        lines = prompted()
        keyboard.send_text("one\r")
        assert await anext(lines) == "one"
        second: asyncio.Future[str] = asyncio.ensure_future(anext(lines))
        await asyncio.sleep(0.1)  # the prompt loads its history in the background
        keyboard.send_text("\x1b[A\r")
        assert await second == "one"


async def test_ctrl_c_empties_the_line_and_on_an_empty_one_leaves() -> None:
    assert await typed("wrong\x03right\r", "\x04") == ["right"]
    assert await typed("one\r", "\x03") == ["one"]


async def read(*blocks: bytes) -> list[str]:
    reading, writing = os.pipe()

    def write() -> None:
        for block in blocks:
            os.write(writing, block)
        os.close(writing)

    threading.Thread(target=write).start()
    try:
        return [line async for line in piped(reading)]
    finally:
        os.close(reading)


async def test_a_pipe_gives_its_lines_also_the_last_without_an_end() -> None:
    assert await read(b"one\ntw", b"o\nthree") == ["one", "two", "three"]


async def test_a_character_that_comes_in_two_blocks_stays_whole() -> None:
    assert await read(b"gr\xc3", b"\xb6\xc3\x9fer\n") == ["größer", ""]


async def test_bytes_that_are_no_text_are_replaced() -> None:
    assert await read(b"\xff\n") == ["\ufffd", ""]


async def test_waiting_for_a_line_can_be_cancelled() -> None:
    reading, writing = os.pipe()

    async def wait() -> None:
        async for _ in piped(reading):
            pass

    task = asyncio.create_task(wait())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    os.close(writing)
