"""From what happened in Slack to a question at the desk, and its reply in the thread."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass

from adapters.slack import history
from adapters.slack.blocks import Json
from adapters.slack.calls import Calls
from adapters.slack.events import Said, said
from adapters.slack.ids import PLATFORM, place
from adapters.slack.leftovers import block_id_of
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
        self._asked_in: OrderedDict[tuple[str, str], frozenset[str]] = OrderedDict()
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
            if not (message.thread and self._desk.follows_up(where) and await self._is_asker(message)):
                return
        if self._known(message):
            return
        shared = bool(body.get("is_ext_shared_channel"))
        person, thread = await asyncio.gather(
            self._people.person(message.user, home=message.home, shared=shared), self._thread(message)
        )
        pane = message.direct and history.is_pane(thread)
        turns = history.turns(thread, before=message.ts, bot=self._me.user)
        if pane and not turns and message.text:
            await self._name(message)
        await self._ask(
            Incoming(
                keys=(
                    f"{PLATFORM}:{body['event_id']}",
                    f"{PLATFORM}:{where.tenant}:{where.channel}:{message.ts}",
                ),
                place=where,
                person=person,
                entry=_entry(message, pane),
                text=message.text,
                history=turns,
                message=message.ts,
                link=self._me.link(message.channel, message.ts, message.thread),
            )
        )

    async def command(self, body: Json) -> None:
        """`/ask QUESTION`: the bot writes the question down and answers in its thread."""
        incoming = await self.incoming_of_command(body)
        await self._ask(incoming, response_url=str(body.get("response_url", "")))

    async def incoming_of_command(self, body: Json) -> Incoming:
        """What a command asks, for `/ask` and `/grade`."""
        where = place(self._me.team, body["channel_id"], "")
        person = await self.person(body["user_id"], where)
        text = heard(str(body.get("text") or ""), self._me.user)
        return Incoming((f"{PLATFORM}:command:{body['trigger_id']}",), where, person, Entry.COMMAND, text)

    async def shortcut(self, body: Json) -> None:
        """ "Ask Candor about this": the message is the question, the answer goes into its thread."""
        message: Json = body["message"]
        channel, ts = str(body["channel"]["id"]), str(message["ts"])
        where = place(self._me.team, channel, str(message.get("thread_ts") or ts))
        person, thread = await asyncio.gather(
            self.person(body["user"]["id"], where), history.read(self._calls, channel, where.thread)
        )
        incoming = Incoming(
            keys=(f"{PLATFORM}:shortcut:{body['trigger_id']}",),
            place=where,
            person=person,
            entry=Entry.SHORTCUT,
            text=heard(str(message.get("text") or ""), self._me.user),
            history=history.turns(thread, before=ts, bot=self._me.user),
            message=ts,
            link=self._me.link(channel, ts, where.thread),
        )
        await self._ask(incoming, response_url=str(body.get("response_url", "")))

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

    async def reworded(self, view: str, user: str, where: Place, text: str) -> None:
        """The question again, in the words of the modal `view`: asked in the thread it came from."""
        person, thread = await asyncio.gather(
            self.person(user, where), history.read(self._calls, where.channel, where.thread)
        )
        turns = history.turns(thread, before="", bot=self._me.user)
        await self._ask(Incoming((f"{PLATFORM}:view:{view}",), where, person, Entry.COMMAND, text, turns))

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
        )
        return SlackScreen(self._calls, where, pace_s=self._pace_s, humans=self._humans)

    async def _ask(self, incoming: Incoming, *, response_url: str = "") -> None:
        self._remember_asker(incoming)
        screen = self.screen_for(incoming, response_url=response_url)
        try:
            await self._desk.ask(incoming, screen)
        finally:
            await screen.close()

    async def _thread(self, message: Said) -> list[Json]:
        return await history.read(self._calls, message.channel, message.thread) if message.thread else []

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

    def _remember_asker(self, incoming: Incoming) -> None:
        thread = (incoming.place.channel, incoming.place.thread)
        if thread in self._asked_in:
            self._asked_in[thread] |= {incoming.person.id}

    async def _is_asker(self, message: Said) -> bool:
        """Whether this person asked the bot in this thread before. Each thread is read once."""
        thread = (message.channel, message.thread)
        if thread not in self._asked_in:
            found = await history.read(self._calls, message.channel, message.thread)
            self._asked_in[thread] = history.askers(found, self._me.user)
            while len(self._asked_in) > SEEN:
                self._asked_in.popitem(last=False)
        return message.user in self._asked_in[thread]


def _entry(message: Said, pane: bool) -> Entry:
    if pane:
        return Entry.ASSISTANT
    if message.direct:
        return Entry.DIRECT
    return Entry.MENTION if message.mentions else Entry.FOLLOW_UP
