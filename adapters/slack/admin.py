"""`/candor`: what admins do from Slack. The desk checks on every path who may; this reads words and shows cards."""

from __future__ import annotations

import asyncio
import logging
import time

from slack_sdk.errors import SlackApiError

from adapters.slack.admin_cards import ADMIN_HELP, HELP, help_card, job_card, sources_card, status_card
from adapters.slack.apology import never_silent
from adapters.slack.asking import Self
from adapters.slack.blocks import Json, Post
from adapters.slack.calls import Calls
from adapters.slack.ids import place
from adapters.slack.people import People
from adapters.slack.refusals import FAILURES
from adapters.slack.replies import notice
from crag.errors import ScreenError
from crag.platform import Desk, JobPhase, JobView, Person, Place

log = logging.getLogger(__name__)

PACE_S = 3.0
"""The shortest time between two edits of a job's message."""
FLAGS = ("--full", "--dry-run")
REPORTS = "I'm on it. I tell you in our direct messages how it goes."


class Admin:
    """`pace_s` is for tests."""

    def __init__(self, desk: Desk, calls: Calls, people: People, me: Self, *, pace_s: float = PACE_S) -> None:
        self._desk = desk
        self._calls = calls
        self._people = people
        self._me = me
        self._pace_s = pace_s

    async def command(self, body: Json) -> None:
        where = place(self._me.team, body["channel_id"], "")
        user, response_url = str(body["user_id"]), str(body.get("response_url") or "")
        async with never_silent(self._calls, where.channel, user, response_url=response_url):
            person = await self._people.person(user, groups=True)
            shown = await self._done(str(body.get("text") or ""), person, where)
            await self._calls.whisper(where.channel, user, shown, response_url=response_url)

    async def _done(self, text: str, person: Person, where: Place) -> Post:
        """What to show to the admin. Some keyboards make one long dash of two."""
        name, *words = text.replace("—", "--").split() or ["help"]
        match name.lower():
            case "status":
                status = await self._desk.status(person, where)
                return notice(status) if isinstance(status, str) else status_card(status)
            case "sources":
                sources = await self._desk.sources(person, where)
                return notice(sources) if isinstance(sources, str) else sources_card(sources)
            case "reindex":
                return notice(await self._reindex(words, person, where))
            case "cancel":
                return notice(await self._desk.cancel(person, where))
            case "help":
                return help_card(HELP, ADMIN_HELP if self._desk.may_admin(person, where) else "")
            case other:
                return notice(f"I don't know “{other}”. `/candor help` lists what there is.")

    async def _reindex(self, words: list[str], person: Person, where: Place) -> str:
        unknown = [word for word in words if word.startswith("-") and word not in FLAGS]
        if unknown:
            return f"I don't know {unknown[0]}. There are {' and '.join(FLAGS)}."
        board = JobBoard(self._calls, person.id, pace_s=self._pace_s)
        sources = tuple(word for word in words if not word.startswith("-"))
        said = await self._desk.reindex(
            person, where, sources=sources, full="--full" in words, dry_run="--dry-run" in words, show=board.show
        )
        return said or REPORTS


class JobBoard:
    """One message in the admin's direct messages, edited as the job goes on. What comes faster than the pace is left
    out, the end never is."""

    def __init__(self, calls: Calls, user: str, *, pace_s: float = PACE_S) -> None:
        self._calls = calls
        self._user = user
        self._pace_s = pace_s
        self._at: tuple[str, str] | None = None
        self._shown_at = float("-inf")
        self._showing = asyncio.Lock()

    async def show(self, view: JobView) -> None:
        ended = view.phase not in (JobPhase.QUEUED, JobPhase.RUNNING)
        if not ended and (self._showing.locked() or time.monotonic() - self._shown_at < self._pace_s):
            return
        async with self._showing:
            try:
                await self._put(job_card(view), ended=ended)
            except (*FAILURES, ScreenError) as error:
                log.warning("a job's progress isn't shown: %s", error)
            self._shown_at = time.monotonic()

    async def _put(self, card: Post, *, ended: bool) -> None:
        if self._at is None:
            self._at = await self._calls.post(self._user, card)
            return
        channel, ts = self._at
        if not ended:
            await self._calls.loose.chat_update(channel=channel, ts=ts, text=card.text, blocks=list(card.blocks))
            return
        try:
            await self._calls.update(channel, ts, card)
        except SlackApiError:
            self._at = await self._calls.post(channel, card)
