"""The first thing that happens to a question: the journal has it, once, before anything of it shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.desk.places import Places
from bot.desk.ports import Journal
from bot.desk.showing import Showing
from bot.metrics import Metrics
from crag.events import Stage, State
from crag.platform import Incoming, Screen

RECORD_S = 0.2
"""How long nothing is shown until the journal has the question: what it has, a kill can't lose."""


class Receiving:
    """Claims each question and opens it in the journal, in one step."""

    def __init__(self, places: Places, journal: Journal, metrics: Metrics) -> None:
        self._places = places
        self._journal = journal
        self._metrics = metrics
        self._received: dict[str, asyncio.Task[bool]] = {}

    @asynccontextmanager
    async def received(self, incoming: Incoming, within_s: float) -> AsyncIterator[bool]:
        """See crag.platform.Desk.receiving."""
        key = incoming.keys[0]
        if key in self._received or self._places.channel(incoming.place) is None:
            yield False
            return
        claiming = self._received[key] = self._claim(incoming)
        ends = True
        try:
            await asyncio.wait([claiming], timeout=within_s)
            new = not claiming.done() or claiming.result()
            if not new:
                self._metrics.question("duplicate")
            yield new
        except asyncio.CancelledError:
            ends = False  # of this process, not of the question
            raise
        finally:
            if self._received.get(key) is claiming:
                del self._received[key]
                if ends and await claiming:
                    await self._journal.settle(incoming.keys)

    async def is_new(self, incoming: Incoming, screen: Screen) -> bool:
        """Whether it wasn't asked before. A journal that is slow to say so must not delay the sign of life."""
        claiming = self._received.pop(incoming.keys[0], None) or self._claim(incoming)
        async with Showing(screen) as showing:
            sign = asyncio.get_running_loop().call_later(RECORD_S, showing, Stage(State.RECEIVED))
            try:
                return await claiming
            finally:
                sign.cancel()

    def _claim(self, incoming: Incoming) -> asyncio.Task[bool]:
        return asyncio.create_task(self._journal.claim(incoming.keys, incoming))
