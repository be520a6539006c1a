"""The bot's side of crag.platform."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from bot.desk.administration import Administration
from bot.desk.correcting import Correcting
from bot.desk.places import Places
from bot.desk.questions import Questions
from bot.desk.receiving import RECORD_S
from bot.desk.replies import Replies
from bot.jobs.telling import Show
from crag.corrections import Correction
from crag.platform import Handover, Incoming, Person, Place, Screen, SourceView, StatusView
from crag.types import Reply


class FrontDesk:
    """Satisfies crag.platform.Desk, which says what each method promises."""

    def __init__(
        self,
        places: Places,
        questions: Questions,
        replies: Replies,
        correcting: Correcting,
        administration: Administration,
    ) -> None:
        self._places = places
        self.questions = questions
        self._replies = replies
        self._correcting = correcting
        self._administration = administration

    def serves(self, place: Place) -> bool:
        return self._places.channel(place) is not None

    def follows_up(self, place: Place) -> bool:
        channel = self._places.channel(place)
        return channel is not None and channel.follow_ups

    def receiving(self, incoming: Incoming, *, within_s: float = RECORD_S) -> AbstractAsyncContextManager[bool]:
        return self.questions.receiving(incoming, within_s=within_s)

    async def ask(self, incoming: Incoming, screen: Screen) -> None:
        await self.questions.ask(incoming, screen)

    async def grade(self, incoming: Incoming) -> Reply | str:
        return await self.questions.grade(incoming)

    async def recall(self, reply: str, place: Place, person: Person) -> Reply | str:
        return await self._replies.recall(reply, place, person)

    async def vote(self, reply: str, place: Place, person: Person, *, helpful: bool, reason: str = "") -> str:
        return await self._replies.vote(reply, place, person, helpful=helpful, reason=reason)

    async def correct(self, reply: str, place: Place, person: Person, correction: Correction | None) -> str:
        return await self._correcting.correct(reply, place, person, correction)

    async def hand_over(self, reply: str, place: Place, person: Person) -> Handover | str:
        return await self._replies.hand_over(reply, place, person)

    def may_admin(self, person: Person, place: Place) -> bool:
        return self._places.may_admin(place, person)

    async def status(self, person: Person, place: Place) -> StatusView | str:
        return await self._administration.status(person, place)

    async def sources(self, person: Person, place: Place) -> tuple[SourceView, ...] | str:
        return await self._administration.sources(person, place)

    async def reindex(
        self, person: Person, place: Place, *, sources: tuple[str, ...], full: bool, dry_run: bool, show: Show
    ) -> str:
        return await self._administration.reindex(person, place, sources=sources, full=full, dry_run=dry_run, show=show)

    async def cancel(self, person: Person, place: Place, job: str = "") -> str:
        return await self._administration.cancel(person, place, job)
