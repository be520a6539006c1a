"""What can be done with a reply afterwards: see how it came about, vote, hand the question to humans."""

from __future__ import annotations

from bot.desk import words
from bot.desk.places import Places
from bot.desk.ports import Journal
from bot.desk.rates import Rate
from bot.journal import Recorded
from bot.metrics import Metrics
from crag import wording
from crag.platform import Handover, Person, Place
from crag.types import Reply


class Replies:
    """Past replies are given only where they could have been given."""

    def __init__(self, places: Places, journal: Journal, metrics: Metrics, *, per_minute: int) -> None:
        self._places = places
        self._journal = journal
        self._metrics = metrics
        self._handed = Rate(per_minute)

    async def recall(self, reply: str, place: Place) -> Reply | None:
        """See crag.platform.Desk."""
        found = await self._found(reply, place)
        return found.reply if found else None

    async def vote(self, reply: str, person: Person, *, helpful: bool, reason: str) -> str:
        """See crag.platform.Desk."""
        self._journal.vote(reply, person.id, helpful=helpful, reason=reason)
        self._metrics.voted(helpful=helpful)
        return words.VOTED_WITH_REASON if reason else words.VOTED

    async def hand_over(self, reply: str, place: Place, person: Person) -> Handover | str:
        """See crag.platform.Desk."""
        channel, mention = self._places.humans(place)
        if not channel:
            return words.NO_HUMAN
        if no := self._places.refusal(place, person):
            return no
        if wait := self._handed.wait((place.platform, person.id)):
            return words.too_often(wait)
        found = await self._found(reply, place)
        if found is None:
            return wording.GONE
        self._handed.count((place.platform, person.id))
        return Handover(channel, mention, found.incoming.text, found.incoming.link)

    async def _found(self, reply: str, place: Place) -> Recorded | None:
        found = await self._journal.reply(reply)
        return found if found and self._may_see(place, found.incoming.place) else None

    def _may_see(self, place: Place, given: Place) -> bool:
        """A reply stays in its workspace; that of a private talk in that talk; elsewhere it is seen from where as much
        may be seen."""
        if (place.platform, place.tenant) != (given.platform, given.tenant):
            return False
        if place.channel == given.channel:
            return True
        here, there = self._places.channel(place), self._places.channel(given)
        if place.direct or given.direct or not here or not there:
            return False
        return (here.corpora, here.access) == (there.corpora, there.access)
