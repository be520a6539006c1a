"""What can be done with a reply afterwards: see how it came about, vote, hand the question to humans."""

from __future__ import annotations

from bot.desk import words
from bot.desk.places import Places
from bot.desk.ports import Journal
from bot.desk.rates import Rate
from bot.journal import Recorded
from bot.metrics import Metrics
from config.chat import Channel
from crag import wording
from crag.platform import Handover, Person, Place
from crag.types import Reply, Shelf


class Replies:
    """Past replies are given only where they could have been given."""

    def __init__(self, places: Places, journal: Journal, metrics: Metrics, *, per_minute: int) -> None:
        self._places = places
        self._journal = journal
        self._metrics = metrics
        self._handed = Rate(per_minute)

    async def recall(self, reply: str, place: Place, person: Person) -> Reply | str:
        """See crag.platform.Desk."""
        if no := self._places.refusal(place, person):
            return no
        found = await self.found(reply, place)
        return found.reply if found else wording.GONE

    async def vote(self, reply: str, place: Place, person: Person, *, helpful: bool, reason: str) -> str:
        """See crag.platform.Desk."""
        if self._places.channel(place) is None:
            return wording.NOT_HERE
        if no := self._places.refusal(place, person):
            return no
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
        found = await self.found(reply, place)
        if found is None:
            return wording.GONE
        self._handed.count((place.platform, person.id))
        return Handover(channel, mention, found.incoming.text, found.incoming.link)

    async def found(self, reply: str, place: Place) -> Recorded | None:
        """A past reply that this place may see."""
        found = await self._journal.reply(reply)
        return found if found and self._may_see(place, found) else None

    def _may_see(self, place: Place, found: Recorded) -> bool:
        """A reply stays in its workspace; that of a private talk in that talk; elsewhere it is seen from where as much
        may be seen. Nowhere is it seen where its question could not be asked any more as it was."""
        given, here = found.incoming.place, self._places.channel(place)
        if here is None or not _still_visible(found.reply, here):
            return False
        if (place.platform, place.tenant) != (given.platform, given.tenant):
            return False
        if place.channel == given.channel:
            return True
        there = self._places.channel(given)
        if place.direct or given.direct or not there:
            return False
        return (here.corpora, here.access) == (there.corpora, there.access)


def _still_visible(reply: Reply, here: Channel) -> bool:
    """Whether all that the question could search, and all that it found, may be seen in this channel now."""
    asked = reply.question
    if not asked.access <= here.access or (here.corpora and not (asked.corpora and asked.corpora <= here.corpora)):
        return False
    shelves = {Shelf(grade.chunk.corpus, grade.chunk.access) for grade in reply.trace.grades}
    return all(shelf.seen(here.corpora, here.access) for shelf in shelves)
