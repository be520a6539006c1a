"""Where the chat's lines come from: a prompt on a terminal, standard input on a pipe."""

from __future__ import annotations

import asyncio
import codecs
import os
import threading
from collections.abc import AsyncIterator


async def prompted() -> AsyncIterator[str]:
    """Lines that are typed: arrows bring back earlier ones, a paste may have many lines, Escape Enter starts a new one.

    Ends at Ctrl-D. Ctrl-C empties the line; on an empty one it ends them too."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import InMemoryHistory
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    keys = KeyBindings()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=EOFError)

    session: PromptSession[str] = PromptSession(history=InMemoryHistory(), key_bindings=keys)
    while True:
        try:
            yield await session.prompt_async("> ", handle_sigint=False)
        except EOFError:
            return


async def piped(descriptor: int) -> AsyncIterator[str]:
    """Lines of a file or a pipe. A thread of its own reads, and dies with the process: a reader that waits for a line
    that never comes would otherwise keep the process from ending."""
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[str | None] = asyncio.Queue()

    def tell(item: str | None) -> None:
        try:
            loop.call_soon_threadsafe(arrived.put_nowait, item)
        except RuntimeError:
            return  # the loop is closed: nobody is waiting any more

    def read() -> None:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        rest = ""
        while block := os.read(descriptor, 65536):
            *lines, rest = (rest + decoder.decode(block)).split("\n")
            for line in lines:
                tell(line)
        tell(rest + decoder.decode(b"", final=True))
        tell(None)

    threading.Thread(target=read, name="candor-lines", daemon=True).start()
    while (line := await arrived.get()) is not None:
        yield line
