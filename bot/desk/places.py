"""Who may ask and administer, where, and what is searched there: all of it from the settings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.desk import words
from config.chat import Channel
from config.settings import Settings
from crag.platform import Person, Place

_NOT_A_TENANT = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Scope:
    """What is searched for a place. `second`: whether the second retriever may look beyond it."""

    tenant: str
    corpora: frozenset[str]
    access: frozenset[str]
    second: bool


class Places:
    """The settings of platforms and channels, asked for one place or person at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def channel(self, place: Place) -> Channel | None:
        """The settings that count there, None where nobody is answered."""
        settings = self._settings
        if place.platform == "discord" and place.tenant and settings.discord.guilds:
            if place.tenant not in settings.discord.guilds:
                return None
        if place.direct:
            chosen = settings.channels.get("direct", Channel())
        else:
            named = settings.channels.get(f"{place.platform}:{place.tenant}:{place.channel}")
            chosen = named or settings.channels.get("default", Channel(served=False))
        return chosen if chosen.served else None

    def scope(self, place: Place, channel: Channel) -> Scope:
        """With a second corpus switched on, the first search stays out of it; a channel that may not see all of the
        second corpora doesn't search them."""
        crag = self._settings.crag
        tenant, corpora, second = self.tenant(place), channel.corpora, True
        if crag.second_retriever == "corpus":
            if not corpora:
                corpora = frozenset({self._settings.corpus})
            elif second := crag.second_corpora <= corpora and bool(corpora - crag.second_corpora):
                corpora -= crag.second_corpora
        return Scope(tenant, corpora, channel.access, second)

    def tenant(self, place: Place) -> str:
        """Whose documents are searched: a name that Weaviate takes."""
        if self._settings.tenants == "one" or not place.tenant:
            return self._settings.tenant
        return _NOT_A_TENANT.sub("-", f"{place.platform}-{place.tenant}")[:64]

    def refusal(self, place: Place, person: Person) -> str:
        """Why this person gets no answer, "" if there is no reason. What the platform can't say counts against them."""
        slack, discord = self._settings.slack, self._settings.discord
        external = slack.external if place.platform == "slack" else discord.external
        if person.external is not False and external == "refuse":
            if person.external is None:
                return words.UNKNOWN
            return words.READ_ALONG if person.shared else words.EXTERNAL
        if person.guest is not False and slack.guests == "refuse":
            return words.UNKNOWN if person.guest is None else words.GUEST
        return ""

    def may_admin(self, place: Place, person: Person) -> bool:
        """Whether this person is named, or in a group or role that is. Nobody named: nobody."""
        if place.platform == "slack":
            named, groups = self._settings.slack.admins, self._settings.slack.admin_groups
        elif place.platform == "discord":
            named, groups = self._settings.discord.admins, self._settings.discord.admin_roles
        else:
            return False
        return bool(person.id) and (person.id in named or bool(person.groups & groups))

    def humans(self, place: Place) -> tuple[str, str]:
        """The channel for "Ask a human", and whom to call there; "" for none."""
        chosen = self._settings.slack if place.platform == "slack" else self._settings.discord
        return chosen.ask_human, chosen.ask_human_mention
