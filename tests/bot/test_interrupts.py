"""What Ctrl-C does while somebody chats."""

import asyncio
import os
import signal

from bot.exits import Exit
from bot.interrupts import LATE_S, Interrupts


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


async def test_ctrl_c_just_as_an_answer_is_ready_stops_it() -> None:
    interrupts = Interrupts()
    found: list[str | None] = []

    async def command() -> Exit:
        async def answer() -> str:
            asyncio.get_running_loop().call_soon(interrupts._on_signal, signal.SIGINT)
            return "27 days"

        found.append(await interrupts.question(answer()))
        return Exit.OK

    assert await interrupts.run(command()) is Exit.OK
    assert found == [None]


async def test_a_late_ctrl_c_does_not_end_the_chat_and_a_later_one_does() -> None:
    interrupts = Interrupts()
    reached = ""

    async def command() -> Exit:
        nonlocal reached
        await interrupts.question(asyncio.sleep(0, "27 days"))
        interrupt()
        await asyncio.sleep(LATE_S)
        reached = "the next prompt"
        interrupt()
        await asyncio.sleep(5)
        return Exit.OK

    assert await interrupts.run(command()) is Exit.INTERRUPTED
    assert reached == "the next prompt"
