"""Buttons, modals and thumbs: what a person does with a reply."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from weakref import WeakValueDictionary

from slack_sdk.errors import SlackApiError

from adapters.slack import history, ids
from adapters.slack.apology import never_silent
from adapters.slack.asking import Asking, Self
from adapters.slack.blocks import Json
from adapters.slack.calls import Calls
from adapters.slack.correcting import Correcting
from adapters.slack.grades import TITLE, grade_view
from adapters.slack.handover import handover, passed_on
from adapters.slack.modals import passage, passage_view, reword_view, sentence_view
from adapters.slack.people import People
from adapters.slack.refusals import FAILURES, screen_error
from adapters.slack.replies import notice
from crag import wording
from crag.errors import ScreenError
from crag.platform import Desk, Place
from crag.types import Reply

log = logging.getLogger(__name__)

GRADING = "I am searching and grading. This takes a few seconds …"
TOO_SLOW = "Slack didn't let me show that. Please try again."
KEPT = 200
"""Graded replies whose pages are at hand, and replies whose question is known to be passed on."""
THUMBS = {"+1": True, "thumbsup": True, "-1": False, "thumbsdown": False}


class Pressing:
    """One method for each thing that can be pressed; `body` is Slack's payload."""

    def __init__(self, desk: Desk, calls: Calls, people: People, asking: Asking, me: Self) -> None:
        self._desk = desk
        self._calls = calls
        self._people = people
        self._asking = asking
        self._me = me
        self._correcting = Correcting(desk, calls, asking, self._recall)
        self._graded: OrderedDict[str, Reply] = OrderedDict()
        self._handed: OrderedDict[str, None] = OrderedDict()
        self._handing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def pressed(self, body: Json) -> None:
        """Any button of a message or a modal."""
        action: Json = body["actions"][0]
        does: dict[str, Callable[[Json, str], Awaitable[None]]] = {
            ids.GRADED: self._show_grades,
            f"{ids.PAGE}_back": self._turn_page,
            f"{ids.PAGE}_on": self._turn_page,
            ids.PASSAGE: self._show_passage,
            ids.VOTE: self._vote,
            ids.HUMAN: self._ask_a_human,
            ids.REWORD: self._reword,
            ids.CANCEL: self._cancel,
            ids.CORRECT: self._correct,
        }
        handler = does.get(str(action["action_id"]))
        if handler is None:
            return
        async with self._never_silent(body, self._place(body)):
            try:
                await handler(body, str(action.get("value") or ""))
            except (*FAILURES, ScreenError) as error:
                log.warning("a button did nothing: %s", error)
                await self._tell(body, TOO_SLOW)

    async def submitted(self, body: Json) -> None:
        """A modal that was sent."""
        view: Json = body["view"]
        where, kept = ids.kept_place(view["private_metadata"])
        async with self._never_silent(body, where):
            if view["callback_id"] in (ids.CORRECT_VIEW, ids.REASON_VIEW):
                await self._correcting.submitted(body, where, kept)
                return
            words = str(view["state"]["values"][ids.WORDS][ids.WORDS].get("value") or "").strip()
            if view["callback_id"] == ids.REWORD_VIEW and words:
                await self._asking.reworded(view["id"], body["user"]["id"], where, words)

    async def grade(self, body: Json) -> None:
        """`/grade QUESTION`: the table for the asker alone."""
        try:
            view_id = await self._open(body, TITLE, GRADING)
        except FAILURES as error:
            log.warning("the window for /grade can't be opened: %s", error)
            await self._asking.refuse_command(body, TOO_SLOW)
            return
        incoming = await self._asking.incoming_of_command(body)

        async def graded() -> Json:
            found = await self._desk.grade(incoming)
            if isinstance(found, str):
                return sentence_view(TITLE, found)
            self._graded[found.trace.id] = found
            while len(self._graded) > KEPT:
                self._graded.popitem(last=False)
            return grade_view(found, incoming.place)

        await self._fill(view_id, TITLE, graded)

    async def reacted(self, event: Json) -> None:
        """A thumb up or down under a reply of the bot is a vote."""
        helpful = THUMBS.get(str(event.get("reaction")).split("::")[0])
        item: Json = event.get("item") or {}
        if helpful is None or item.get("type") != "message" or event.get("item_user") != self._me.user:
            return
        channel, ts = str(item["channel"]), str(item["ts"])
        where = ids.place(self._me.team, channel, ts)
        if not self._desk.serves(where):
            return
        try:
            found = await self._calls.sure.conversations_replies(
                channel=channel, ts=ts, oldest=ts, latest=ts, inclusive=True, limit=10
            )
        except FAILURES as error:
            log.warning("can't see what a reaction is about: %s", screen_error(error))
            return
        reply = next((history.reply_of(message) for message in found["messages"] if message["ts"] == ts), "")
        if reply:
            person = await self._asking.person(str(event["user"]), where)
            await self._desk.vote(reply, where, person, helpful=helpful)

    # --- buttons

    async def _show_grades(self, body: Json, value: str) -> None:
        where = self._place(body)

        async def shown() -> Json:
            reply = await self._recall(body, value, where)
            return sentence_view(TITLE, reply) if isinstance(reply, str) else grade_view(reply, where)

        await self._fill(await self._open(body, TITLE, wording.MOMENT), TITLE, shown)

    async def _turn_page(self, body: Json, value: str) -> None:
        reply_id, _, page = value.rpartition(":")
        where = self._place(body)

        async def shown() -> Json:
            reply = await self._recall(body, reply_id, where)
            return sentence_view(TITLE, reply) if isinstance(reply, str) else grade_view(reply, where, int(page))

        await self._fill(str(body["view"]["id"]), TITLE, shown)

    async def _show_passage(self, body: Json, value: str) -> None:
        reply_id, _, which = value.rpartition(":")
        where = self._place(body)

        async def shown() -> Json:
            reply = await self._recall(body, reply_id, where)
            if isinstance(reply, str):
                return sentence_view("Passage", reply)
            chunk = passage(reply, which)
            return passage_view(chunk) if chunk else sentence_view("Passage", wording.GONE)

        await self._fill(await self._open(body, "Passage", wording.MOMENT), "Passage", shown)

    async def _vote(self, body: Json, value: str) -> None:
        reply, _, vote = value.rpartition(":")
        where = self._place(body)
        person, form = await asyncio.gather(
            self._asking.person(body["user"]["id"], where), self._ask_why(body, reply, where, vote)
        )
        thanks = await self._desk.vote(reply, where, person, helpful=vote == "up")
        if form:
            await self._correcting.offer_passages(body, form, reply, where)
        else:
            await self._tell(body, thanks)

    async def _ask_why(self, body: Json, reply: str, where: Place, vote: str) -> str:
        """The form after "Not helpful", by its id; "" for none. The vote counts without it."""
        if vote == "up":
            return ""
        try:
            return await self._correcting.open(body, reply, where)
        except FAILURES as error:
            log.warning("a vote's reason can't be asked for: %s", error)
            return ""

    async def _correct(self, body: Json, value: str) -> None:
        reply, _, page = value.rpartition(":")
        where = self._place(body)
        form = await self._correcting.open(body, reply, where, int(page))
        await self._correcting.offer_passages(body, form, reply, where, int(page))

    async def _reword(self, body: Json, value: str) -> None:
        where = self._place(body)

        async def shown() -> Json:
            reply = await self._recall(body, value, where)
            if isinstance(reply, str):  # gone, it can be written anew
                return reword_view("", where) if reply == wording.GONE else sentence_view(wording.ASK_AGAIN, reply)
            return reword_view(reply.question.text, where)

        view_id = await self._open(body, wording.ASK_AGAIN, wording.MOMENT)
        await self._fill(view_id, wording.ASK_AGAIN, shown)

    async def _ask_a_human(self, body: Json, value: str) -> None:
        """Posted once, also where two press at once, or where the card could not be changed afterwards."""
        async with self._handing.setdefault(value, asyncio.Lock()):
            if value in self._handed:
                await self._tell(body, wording.PASSED_ON)
            else:
                await self._hand_over(body, value)

    async def _hand_over(self, body: Json, value: str) -> None:
        where = self._place(body)
        person = await self._asking.person(body["user"]["id"], where)
        given = await self._desk.hand_over(value, where, person)
        if isinstance(given, str):
            await self._tell(body, given)
            return
        message: Json = body.get("message") or {}
        given_link = given.link or self._me.link(where.channel, message.get("ts", ""), where.thread)
        try:
            await self._calls.post(given.channel, handover(given, given_link, person.id))
        except ScreenError as error:
            log.error("a question can't be handed over to %s: %s", given.channel, error)
            await self._tell(body, f"{wording.NOT_PASSED_ON} {error}")
            return
        self._handed[value] = None
        while len(self._handed) > KEPT:
            self._handed.popitem(last=False)
        try:
            if message:
                await self._calls.update(where.channel, message["ts"], passed_on(message, person.id))
                return
        except (SlackApiError, ScreenError) as error:
            log.warning("a card can't say that its question was passed on: %s", error)
        await self._tell(body, wording.PASSED_ON)

    async def _cancel(self, body: Json, value: str) -> None:
        person = await self._people.person(body["user"]["id"], groups=True)
        await self._tell(body, await self._desk.cancel(person, self._place(body), value))

    # --- what they share

    def _place(self, body: Json) -> Place:
        """Where the pressed thing is: a message's thread, or what a modal keeps."""
        if view := body.get("view"):
            return ids.kept_place(view["private_metadata"])[0]
        container: Json = body["container"]
        ts = str(container["message_ts"])
        return ids.place(self._me.team, str(container["channel_id"]), str(container.get("thread_ts") or ts))

    async def _recall(self, body: Json, reply: str, where: Place) -> Reply | str:
        if graded := self._graded.get(reply):
            return graded
        return await self._desk.recall(reply, where, await self._asking.person(body["user"]["id"], where))

    def _never_silent(self, body: Json, where: Place) -> AbstractAsyncContextManager[None]:
        response_url = str(body.get("response_url") or "")
        return never_silent(
            self._calls, where.channel, str(body["user"]["id"]), thread=where.thread, response_url=response_url
        )

    async def _tell(self, body: Json, text: str) -> None:
        where = self._place(body)
        await self._calls.whisper(
            where.channel,
            body["user"]["id"],
            notice(text),
            thread=where.thread,
            response_url=str(body.get("response_url") or ""),
        )

    async def _open(self, body: Json, title: str, text: str) -> str:
        """A modal at once: what opens it serves for three seconds only. Returns its id."""
        opened = await self._calls.sure.views_open(trigger_id=body["trigger_id"], view=sentence_view(title, text))
        return str(opened["view"]["id"])

    async def _fill(self, view_id: str, title: str, make: Callable[[], Awaitable[Json]]) -> None:
        """What the modal is for; one sentence if that fails. A modal that was closed meanwhile needs nothing."""
        try:
            view = await make()
        except Exception:
            log.exception("a modal can't be filled")
            view = sentence_view(title, wording.INTERNAL)
        try:
            await self._calls.again(lambda: self._calls.sure.views_update(view_id=view_id, view=view))
        except (*FAILURES, ScreenError) as error:
            log.info("a modal isn't shown any more: %s", error)
