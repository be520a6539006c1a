"""A question's way: may it be asked, is there room, answer it, show it, remember it. Whatever happens, something is
said - unless the place isn't served, or the question was asked before."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from bot.assistant import Assistant
from bot.desk import words
from bot.desk.admission import Admission
from bot.desk.budget import Budget
from bot.desk.delivering import Delivering
from bot.desk.line import Full, Line
from bot.desk.ongoing import Ongoing
from bot.desk.places import Places
from bot.desk.ports import Engines, Journal
from bot.desk.receiving import RECORD_S, Receiving
from bot.desk.showing import Showing
from bot.logs import about
from bot.metrics import Metrics
from config.chat import Channel, Limits
from crag import wording
from crag.events import Listener, Stage, State
from crag.platform import Incoming, Person, PlatformBot, Screen
from crag.types import Answer, Question, Reply

log = logging.getLogger(__name__)

NOTICE_S = 2.0
"""The longest that a notice may take when Candor stops."""
CONNECT_S = 60.0
"""How long questions of an earlier process wait for their platform."""


class Questions:
    """`deadline_s` is the engine's; a question waits no longer than that for its turn either. `budget` is None where no
    language model is asked."""

    def __init__(
        self,
        *,
        places: Places,
        journal: Journal,
        engines: Engines,
        budget: Budget | None,
        limits: Limits,
        metrics: Metrics,
        deadline_s: float,
    ) -> None:
        self._places = places
        self._journal = journal
        self._engines = engines
        self._budget = budget
        self._metrics = metrics
        self._deadline_s = deadline_s
        self._admission = Admission(places, limits, metrics)
        self.line = Line(at_once=limits.at_once, places=limits.queue, patience_s=deadline_s)
        self.ongoing = Ongoing(lambda: metrics.question("failed"))
        self._receiving = Receiving(places, journal, metrics)
        self._delivering = Delivering(journal, metrics, self.ongoing)

    def receiving(self, incoming: Incoming, *, within_s: float = RECORD_S) -> AbstractAsyncContextManager[bool]:
        """See crag.platform.Desk."""
        return self._receiving.received(incoming, within_s)

    async def ask(self, incoming: Incoming, screen: Screen) -> None:
        """See crag.platform.Desk."""
        channel = self._places.channel(incoming.place)
        if channel is None:
            return
        try:
            await self.ongoing.follow(self._asked(incoming, channel, screen), None)
        except Exception:  # `ongoing` has logged it
            await self._turned_away(incoming, screen, wording.INTERNAL)

    async def grade(self, incoming: Incoming) -> Reply | str:
        """See crag.platform.Desk."""
        channel = self._places.channel(incoming.place)
        if channel is None:
            return wording.NOT_HERE
        try:
            return await self.ongoing.follow(self._graded(incoming, channel), words.RESTARTING_NOW)
        except Exception:  # `ongoing` has logged it
            return wording.INTERNAL

    async def resume(self, bot: PlatformBot) -> None:
        """Answer what an earlier process left unanswered on this platform, as soon as it is connected."""
        await _connected(bot)
        for incoming in await self._journal.pending(bot.platform):
            self.ongoing.start(self._again(incoming, bot))

    async def drain(self, seconds: float) -> None:
        """Take nothing new, finish what can be finished in this time, and leave the rest to the next start."""
        await self.ongoing.drain(seconds)

    async def _graded(self, incoming: Incoming, channel: Channel) -> Reply | str:
        with about(_short()):
            if not await self._journal.claim(incoming.keys):
                self._metrics.question("duplicate")
                return ""
            if no := self._admission.refusal(incoming):
                return no
            if self.ongoing.stopping:
                self._metrics.question("postponed")
                return words.RESTARTING_NOW
            try:
                async with self._turn():
                    reply = await self._answer(incoming, channel, None)
            except Full as full:
                self._metrics.question("busy")
                return words.busy(full.waiting)
            self._journal.record(incoming, reply)
            return reply

    async def _asked(self, incoming: Incoming, channel: Channel, screen: Screen) -> None:
        with about(_short()):
            if not await self._receiving.is_new(incoming, screen):
                self._metrics.question("duplicate")
                return
            if no := self._admission.refusal(incoming):
                told = self._admission.may_be_told(incoming)
                await self._turned_away(incoming, screen, no if told else "")
                return
            if self.ongoing.stopping:
                await self._postpone(incoming, screen)
                return
            if self.line.full:
                self._metrics.question("busy")
                await self._turned_away(incoming, screen, words.busy(self.line.waiting))
                return
            await self._work(incoming, channel, screen, always=False)

    async def _turned_away(self, incoming: Incoming, screen: Screen, text: str) -> None:
        """It gets no reply, now or later; "" is said to nobody."""
        if text:
            await self._delivering.notice(screen, text)
        await self._journal.settle(incoming.keys)

    async def _again(self, incoming: Incoming, bot: PlatformBot) -> None:
        """A question of an earlier process: its limits were counted there, so it waits as long as it takes."""
        with about(_short()):
            channel = self._places.channel(incoming.place)
            asked = incoming if _is_known(incoming.person) else await bot.completed(incoming)
            if channel is None or asked is None:
                await self._journal.settle(incoming.keys)
                return
            screen = bot.screen_for(asked)
            if no := self._places.refusal(asked.place, asked.person):
                await self._turned_away(asked, screen, no)
                return
            log.info("a question that was left unanswered is answered now")
            await self._work(asked, channel, screen, always=True)

    async def _work(self, incoming: Incoming, channel: Channel, screen: Screen, *, always: bool) -> None:
        try:
            async with Showing(screen) as showing:
                showing(Stage(State.RECEIVED))
                await self._journal.open(incoming)
                async with self._turn(always=always):
                    reply = await self._answer(incoming, channel, showing)
        except Full as full:
            self._metrics.question("busy")
            await self._turned_away(incoming, screen, words.busy(full.waiting))
            return
        except asyncio.CancelledError:
            if self.ongoing.stopping:
                self._metrics.question("postponed")
                await self._delivering.notice(screen, words.RESTARTING, within_s=NOTICE_S)
            raise
        await self._delivering.reply(incoming, reply, screen)

    @contextlib.asynccontextmanager
    async def _turn(self, *, always: bool = False) -> AsyncIterator[None]:
        began = time.monotonic()
        async with self.line.turn(always=always):
            self._metrics.waited(time.monotonic() - began)
            yield

    async def _answer(self, incoming: Incoming, channel: Channel, listener: Listener | None) -> Reply:
        place, scope = incoming.place, self._places.scope(incoming.place, channel)
        question = Question(
            text=incoming.text,
            conversation=place.conversation,
            asker=incoming.person.id,
            tenant=scope.tenant,
            corpora=scope.corpora,
            access=scope.access,
            history=incoming.history,
        )
        llm = self._budget is None or await self._budget.left()
        assistant = Assistant(self._engines(second=scope.second, llm=llm), deadline_s=self._deadline_s)
        reply = await assistant.answer(question, listener)
        if not llm and isinstance(reply.body, Answer):
            reply = replace(reply, body=replace(reply.body, notes=(words.SPENT, *reply.body.notes)))
        self._metrics.replied(reply)
        log.info("%s in %.0f ms (trace %s)", _outcome(reply), reply.trace.timings.get("total", 0), reply.trace.id)
        return reply

    async def _postpone(self, incoming: Incoming, screen: Screen) -> None:
        self._metrics.question("postponed")
        await self._journal.open(incoming)
        await self._delivering.notice(screen, words.RESTARTING, within_s=NOTICE_S)


async def _connected(bot: PlatformBot) -> None:
    """Wait for the platform, but not for ever: its API may work where its events don't arrive."""
    until = time.monotonic() + CONNECT_S
    while not bot.connected and time.monotonic() < until:  # noqa: ASYNC110 - it is a flag of the adapter's
        await asyncio.sleep(0.1)


def _is_known(person: Person) -> bool:
    return person.guest is not None and person.external is not None


def _short() -> str:
    return uuid.uuid4().hex[:12]


def _outcome(reply: Reply) -> str:
    return type(reply.body).__name__.lower()
