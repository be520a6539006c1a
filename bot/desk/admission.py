"""Whether a question is let in: who asks, and how often."""

from __future__ import annotations

from bot.desk import words
from bot.desk.places import Places
from bot.desk.rates import Rate
from bot.metrics import Metrics
from config.chat import Limits
from crag.platform import Entry, Incoming

_MESSAGES = frozenset({Entry.MENTION, Entry.DIRECT, Entry.FOLLOW_UP})


class Admission:
    """Counts per person and per channel."""

    def __init__(self, places: Places, limits: Limits, metrics: Metrics) -> None:
        self._places = places
        self._metrics = metrics
        self._people = Rate(limits.person_per_minute)
        self._channels = Rate(limits.channel_per_minute)
        self._told = Rate(limits.person_per_minute)

    def refusal(self, incoming: Incoming) -> str:
        """Why not, "" if there is no reason; then the question counts against the rates."""
        place, person = incoming.place, incoming.person
        if no := self._places.refusal(place, person):
            self._metrics.question("refused")
            return no
        who, where = (place.platform, person.id), (place.platform, place.tenant, place.channel)
        if wait := self._people.wait(who):
            self._metrics.question("limited")
            return words.too_often(wait)
        if not place.direct and (wait := self._channels.wait(where)):
            self._metrics.question("limited")
            return words.too_often_here(wait)
        self._people.count(who)
        self._channels.count(where)
        return ""

    def may_be_told(self, incoming: Incoming) -> bool:
        """Whoever floods a channel with messages isn't answered with a flood of refusals. A command waits for one."""
        if incoming.entry not in _MESSAGES:
            return True
        key = (incoming.place.platform, incoming.person.id)
        if self._told.wait(key):
            return False
        self._told.count(key)
        return True
