"""Who asked the bot in which thread: only they may go on there without a mention."""

from __future__ import annotations

from collections import OrderedDict

from adapters.slack import history
from adapters.slack.calls import Calls
from adapters.slack.events import Said
from crag.platform import Incoming

MOST = 10_000


class Askers:
    """`bot` is the bot's own user id. Each thread is read once."""

    def __init__(self, calls: Calls, bot: str) -> None:
        self._calls = calls
        self._bot = bot
        self._asked_in: OrderedDict[tuple[str, str], frozenset[str]] = OrderedDict()

    def remember(self, incoming: Incoming) -> None:
        thread = (incoming.place.channel, incoming.place.thread)
        if thread in self._asked_in:
            self._asked_in[thread] |= {incoming.person.id}

    async def include(self, message: Said) -> bool:
        """Whether this person asked the bot in this thread before."""
        thread = (message.channel, message.thread)
        if thread not in self._asked_in:
            found = await history.read(self._calls, message.channel, message.thread)
            self._asked_in[thread] = history.askers(found, self._bot)
            while len(self._asked_in) > MOST:
                self._asked_in.popitem(last=False)
        return message.user in self._asked_in[thread]
