"""From what happened in Slack to a question at the desk, and its reply in the thread."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import Any

from adapters.slack import history
from adapters.slack.apology import never_silent
from adapters.slack.askers import Askers
from adapters.slack.blocks import Json
from adapters.slack.calls import Calls
from adapters.slack.events import Said, said
from adapters.slack.ids import PLATFORM, place
from adapters.slack.leftovers import block_id_of, mark_of
from adapters.slack.mrkdwn import heard
from adapters.slack.people import People
from adapters.slack.refusals import FAILURES
from adapters.slack.replies import notice
from adapters.slack.screen import SlackScreen
from adapters.slack.thread import Where
from crag.platform import Desk, Entry, Incoming, Person, Place

SEEN = 10_000
"""Messages that are remembered, so that one which arrives twice costs nothing; the desk remembers them for good."""
TITLE = 60
SIGN_S = 0.3
"""How long a sign of life waits for who asks: most are known, and who is refused sees none."""


@dataclass(frozen=True, slots=True)
class Self:
    """Who the bot is in its workspace; `url` is the workspace's address, `name` its own name and the workspace's."""

    team: str
    user: str
    bot_id: str
    url: str
    name: str = ""

    def link(self, channel: str, ts: str, thread: str = "") -> str:
        """Opens a message."""
        if not ts:
            return ""
        address = f"{self.url}archives/{channel}/p{ts.replace('.', '')}"
        return f"{address}?thread_ts={thread}&cid={channel}" if thread and thread != ts else address


class Asking:
    """Builds Incomings and shows what the desk says to them."""

    def __init__(self, desk: Desk, calls: Calls, people: People, me: Self, *, pace_s: float, humans: bool) -> None:
        self._desk = desk
        self._calls = calls
        self._people = people
        self._me = me
        self._pace_s = pace_s
        self._humans = humans
        self._seen: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._askers = Askers(calls, me.user)
        self._began = time.time()

    async def event(self, body: Json) -> None:
        """A `message` or `app_mention` event. A mention comes as both, with one ts."""
        message = said(body["event"], self._me.user)
        if message is None:
            return
        where = place(self._me.team, message.channel, message.root)
        if not self._desk.serves(where):
            return
        if not (message.direct or message.mentions):
            if not (message.thread and self._desk.follows_up(where) and await self._askers.include(message)):
                return
        if self._known(message):
            return
        bare = Incoming(
            keys=(
                f"{PLATFORM}:{body['event_id']}",
                f"{PLATFORM}:{where.tenant}:{where.channel}:{message.ts}",
            ),
            place=where,
            person=_nobody_knows(message.user),
            entry=_entry(message, pane=False),
            text=message.text,
            message=message.ts,
            link=self._me.link(message.channel, message.ts, message.thread),
        )

        async def known() -> Incoming:
            shared = bool(body.get("is_ext_shared_channel"))
            person, thread = await asyncio.gather(
                self._people.person(message.user, home=message.home, shared=shared),
                self._thread(replace(where, thread=message.thread)),
            )
            pane = message.direct and history.is_pane(thread)
            turns = history.turns(thread, before=message.ts, bot=self._me.user)
            if pane and not turns and message.text:
                await self._name(message)
            return replace(bare, person=person, entry=_entry(message, pane), history=turns)

        async with never_silent(self._calls, message.channel, message.user, thread=message.thread):
            await self._ask(bare, known())

    async def command(self, body: Json) -> None:
        """`/ask QUESTION`: the bot writes the question down and answers in its thread."""
        response_url = str(body.get("response_url") or "")
        async with never_silent(self._calls, body["channel_id"], body["user_id"], response_url=response_url):
            await self._ask(self._bare_command(body), self.incoming_of_command(body), response_url=response_url)

    async def incoming_of_command(self, body: Json) -> Incoming:
        """What a command asks, for `/ask` and `/grade`."""
        bare = self._bare_command(body)
        return replace(bare, person=await self.person(bare.person.id, bare.place))

    def _bare_command(self, body: Json) -> Incoming:
        where = place(self._me.team, body["channel_id"], "")
        text = heard(str(body.get("text") or ""), self._me.user)
        key = f"{PLATFORM}:command:{body['trigger_id']}"
        return Incoming((key,), where, _nobody_knows(str(body["user_id"])), Entry.COMMAND, text)

    async def shortcut(self, body: Json) -> None:
        """ "Ask Candor about this": the message is the question, the answer goes into its thread."""
        message: Json = body["message"]
        channel, ts, user = str(body["channel"]["id"]), str(message["ts"]), str(body["user"]["id"])
        where = place(self._me.team, channel, str(message.get("thread_ts") or ts))
        response_url = str(body.get("response_url") or "")
        bare = Incoming(
            keys=(f"{PLATFORM}:shortcut:{body['trigger_id']}",),
            place=where,
            person=_nobody_knows(user),
            entry=Entry.SHORTCUT,
            text=heard(str(message.get("text") or ""), self._me.user),
            message=ts,
            link=self._me.link(channel, ts, where.thread),
        )
        async with never_silent(self._calls, channel, user, response_url=response_url):
            await self._ask(bare, self._looked_up(bare, before=ts), response_url=response_url)

    async def reworded(self, view: str, user: str, where: Place, text: str) -> None:
        """The question again, in the words of the modal `view`: asked in the thread it came from."""
        bare = Incoming((f"{PLATFORM}:view:{view}",), where, _nobody_knows(user), Entry.COMMAND, text)
        await self._ask(bare, self._looked_up(bare, before=""))

    async def completed(self, incoming: Incoming) -> Incoming:
        """See crag.platform.PlatformBot. What stands in Slack already can be found again, what doesn't is written."""
        return await self._looked_up(incoming, before=incoming.message)

    async def _looked_up(self, bare: Incoming, *, before: str) -> Incoming:
        """With the person, and with the thread's turns `before` a ts."""
        where = bare.place
        person, thread = await asyncio.gather(self.person(bare.person.id, where), self._thread(where))
        return replace(bare, person=person, history=history.turns(thread, before=before, bot=self._me.user))

    async def refuse(self, body: Json, text: str) -> None:
        """Say to one person why nothing comes of a shortcut."""
        await self._calls.whisper(
            str(body["channel"]["id"]),
            str(body["user"]["id"]),
            notice(text),
            response_url=str(body.get("response_url") or ""),
        )

    async def refuse_command(self, body: Json, text: str) -> None:
        """Say to one person why nothing comes of a command."""
        response_url = str(body.get("response_url") or "")
        await self._calls.whisper(body["channel_id"], body["user_id"], notice(text), response_url=response_url)

    async def person(self, user: str, where: Place) -> Person:
        """Who asks by a command or a button, where no event says whose channel it is."""
        return await self._people.person(user, shared=await self._people.shared(where.channel))

    def screen_for(self, incoming: Incoming, *, response_url: str = "", resumed: bool = False) -> SlackScreen:
        """`resumed`: an earlier process was asked."""
        where = Where(
            channel=incoming.place.channel,
            thread=incoming.place.thread or incoming.message,
            user=incoming.person.id,
            team=self._me.team,
            question=incoming.message,
            asked="" if incoming.message else incoming.text,
            block_id=block_id_of(incoming.person.id, incoming.keys[0]),
            response_url=response_url,
            began=self._began if resumed else 0.0,
            bot=self._me.bot_id,
            mark=mark_of(incoming.keys[0]),
        )
        return SlackScreen(self._calls, where, pace_s=self._pace_s, humans=self._humans)

    async def _ask(self, bare: Incoming, looking: Coroutine[Any, Any, Incoming], *, response_url: str = "") -> None:
        """Asks what `looking` makes of the bare question; a sign of life waits for it a moment only."""
        screen = self.screen_for(bare, response_url=response_url)
        look = asyncio.create_task(looking)
        try:
            async with self._desk.receiving(bare) as new:
                if not new:
                    return
                if not (await asyncio.wait({look}, timeout=SIGN_S))[0]:
                    await screen.wait()
                incoming = await look
                self._askers.remember(incoming)
                await self._desk.ask(incoming, screen)
        finally:
            look.cancel()
            await screen.close()

    async def _thread(self, where: Place) -> list[Json]:
        return await history.read(self._calls, where.channel, where.thread) if where.thread else []

    async def _name(self, message: Said) -> None:
        """The assistant pane lists its threads by title. Without one the thread still works."""
        try:
            async with asyncio.timeout(2):
                await self._calls.loose.assistant_threads_setTitle(
                    channel_id=message.channel, thread_ts=message.root, title=message.text[:TITLE]
                )
        except FAILURES:
            return

    def _known(self, message: Said) -> bool:
        key = (message.channel, message.ts)
        if key in self._seen:
            return True
        self._seen[key] = None
        while len(self._seen) > SEEN:
            self._seen.popitem(last=False)
        return False


def _nobody_knows(user: str) -> Person:
    """Before Slack has said who it is."""
    return Person(user, guest=None, external=None)


def _entry(message: Said, pane: bool) -> Entry:
    if pane:
        return Entry.ASSISTANT
    if message.direct:
        return Entry.DIRECT
    return Entry.MENTION if message.mentions else Entry.FOLLOW_UP
