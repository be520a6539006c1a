"""Who someone is: guest, of another workspace, in which of the groups that count. Slack is asked and the answer kept
for a while; where Slack can't say, nobody does."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from typing import Generic, TypeVar

from adapters.slack.blocks import Json
from adapters.slack.calls import Calls
from adapters.slack.refusals import FAILURES
from crag.platform import Person

log = logging.getLogger(__name__)
T = TypeVar("T")

ASK_S = 3.0
"""How long Slack may take to say who someone is."""
PERSON_S = 300.0
GROUP_S = 60.0
"""How long an answer is believed."""
MOST = 5_000

Standing = tuple[bool, bool]
"""Guest, and of another workspace."""


class People:
    """`team` is the workspace the bot is installed in; `groups` are the ids of the user groups that count."""

    def __init__(
        self, calls: Calls, team: str, groups: Iterable[str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._calls = calls
        self._team = team
        self._groups = tuple(groups)
        self._standings: Remembered[Standing] = Remembered(PERSON_S, clock)
        self._members: Remembered[frozenset[str]] = Remembered(GROUP_S, clock)
        self._shared: Remembered[bool] = Remembered(PERSON_S, clock)

    async def person(self, user: str, *, home: str = "", shared: bool | None = False, groups: bool = False) -> Person:
        """`home` is the workspace that an event names as the person's; `shared` says that people of other workspaces
        read along: then the answer is for outsiders, whoever asks. With `groups`, those of the person too."""
        standing = await self._standings.get(user, lambda: self._standing(user))
        guest, external = standing or (None, None)
        read_along = bool(shared) and external is False and home in ("", self._team)
        if (home and home != self._team) or shared:
            external = True
        elif shared is None and external is False:
            external = None
        return Person(user, await self._groups_of(user) if groups else frozenset(), guest, external, read_along)

    async def shared(self, channel: str) -> bool | None:
        """Whether people of other workspaces are in a channel; None where Slack can't say."""
        if channel.startswith("D"):
            return False
        return await self._shared.get(channel, lambda: self._is_shared(channel))

    async def _standing(self, user: str) -> Standing:
        found: Json = (await self._calls.sure.users_info(user=user))["user"]
        guest = bool(found.get("is_restricted") or found.get("is_ultra_restricted"))
        teams = {found.get("team_id"), *(found.get("enterprise_user") or {}).get("teams", ())}
        return guest, self._team not in teams or bool(found.get("is_stranger"))

    async def _is_shared(self, channel: str) -> bool:
        found: Json = (await self._calls.sure.conversations_info(channel=channel))["channel"]
        return bool(found.get("is_ext_shared") or found.get("is_pending_ext_shared"))

    async def _groups_of(self, user: str) -> frozenset[str]:
        found = await asyncio.gather(*map(self._members_of, self._groups))
        return frozenset(name for name, members in zip(self._groups, found, strict=True) if user in members)

    async def _members_of(self, group: str) -> frozenset[str]:
        async def ask() -> frozenset[str]:
            return frozenset((await self._calls.sure.usergroups_users_list(usergroup=group))["users"])

        return await self._members.get(group, ask) or frozenset()


class Remembered(Generic[T]):
    """Answers by name, each for a while."""

    def __init__(self, life_s: float, clock: Callable[[], float]) -> None:
        self._life_s = life_s
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, T]] = OrderedDict()

    async def get(self, name: str, ask: Callable[[], Awaitable[T]]) -> T | None:
        """None where Slack refuses or takes too long: that isn't remembered."""
        at, value = self._kept.get(name, (float("-inf"), None))
        if value is not None and self._clock() - at < self._life_s:
            return value
        try:
            async with asyncio.timeout(ASK_S):
                fresh = await ask()
        except FAILURES as error:
            log.warning("Slack doesn't say who or what %s is: %s", name, error)
            return None
        self._kept[name] = (self._clock(), fresh)
        self._kept.move_to_end(name)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return fresh
