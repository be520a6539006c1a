"""Who a person is: in a guild Discord says it with each event; in direct messages it has to be asked."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict

import aiohttp
import discord

from adapters.discord.failures import calling
from adapters.discord.reading import person_of
from crag.errors import ScreenError
from crag.platform import Person

log = logging.getLogger(__name__)

FRESH_S = 300.0
KEPT = 2000
GUILDS = 20
"""How many guilds are asked at most."""
ASK_S = 2.0
"""How long they may take, all together; Discord answers in a tenth of a second."""


class Members:
    """`guilds` are the ids of those that are served; empty is all that the bot is in."""

    def __init__(self, client: discord.Client, guilds: frozenset[str]) -> None:
        self._client = client
        self._guilds = guilds
        self._known: OrderedDict[int, tuple[float, Person]] = OrderedDict()

    def served(self, guild: int | None) -> bool:
        """Direct messages belong to no guild: who may use them is the desk's to say."""
        return guild is None or not self._guilds or str(guild) in self._guilds

    async def person(self, user: discord.User | discord.Member) -> Person:
        if isinstance(user, discord.Member):
            return person_of(user)
        known = self._known.get(user.id)
        if known is not None and time.monotonic() - known[0] < FRESH_S:
            return known[1]
        person = await self._asked(user)
        if person.external is not None:
            self._known[user.id] = (time.monotonic(), person)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return person

    async def by_id(self, user: int, guild: int) -> Person:
        """Somebody of whom no event tells any more; `guild` is 0 in direct messages."""
        try:
            found = await calling(lambda: self._client.fetch_user(user))
        except ScreenError as error:
            log.warning("Discord doesn't say who user %s is: %s", user, error)
            return Person(str(user), external=None)
        where = self._client.get_guild(guild)
        return await self.person(found) if where is None else await _in_guild(where, found)

    async def _asked(self, user: discord.User) -> Person:
        """The roles in all served guilds together. External in all is external; where a guild can't say, nobody can."""
        guilds = [guild for guild in self._client.guilds if self.served(guild.id)][:GUILDS]
        told = await asyncio.gather(*(_in_guild(guild, user) for guild in guilds))
        external = [person.external for person in told]
        groups = frozenset(group for person in told for group in person.groups)
        return Person(str(user.id), groups, False, False if False in external else None if None in external else True)


def nobody_knows(user: discord.User | discord.Member) -> Person:
    """Before it is looked up who it is."""
    return Person(str(user.id), external=None)


async def _in_guild(guild: discord.Guild, user: discord.User) -> Person:
    """The person as one guild knows them."""
    try:
        async with asyncio.timeout(ASK_S):
            return person_of(await guild.fetch_member(user.id))
    except discord.NotFound:
        return person_of(user, external=True)
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        log.warning("guild %s doesn't say whether it has user %s: %s", guild.id, user.id, error or "no answer in time")
        return person_of(user, external=None)
