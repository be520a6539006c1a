"""Sentences for the admins, in the channel that the settings name for each platform."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from bot.desk.ports import Journal
from config.settings import Settings
from crag.errors import CandorError
from crag.platform import PlatformBot

log = logging.getLogger(__name__)

TELL_S = 30.0
AGAIN_S = 60.0
"""How long after one that failed, or that another process is at, the next occasion tries again."""


class Notices:
    """`bots` are the platforms that are open, by name; it may fill up later."""

    def __init__(
        self, settings: Settings, journal: Journal, bots: Mapping[str, PlatformBot], *, again_s: float = AGAIN_S
    ) -> None:
        self._channels = {"slack": settings.slack.admin_channel, "discord": settings.discord.admin_channel}
        self._journal = journal
        self._bots = bots
        self._telling: set[asyncio.Task[None]] = set()
        self._again_s = again_s
        self._begun: set[tuple[str, str]] = set()
        self._elsewhere: set[str] = set()

    def once(self, topic: str, about: str, text: str) -> None:
        """Tell the admins, unless they were told of this topic about the same (a day, say), be it by another process.
        One that can't be told is told on a later occasion. Returns at once."""
        if (topic, about) in self._begun:
            return
        self._begun.add((topic, about))
        task = asyncio.create_task(self._once(topic, about, text), name=f"notice {topic}")
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def close(self) -> None:
        """Wait for what is being told, for a short time."""
        if self._telling:
            await asyncio.wait(self._telling, timeout=2.0)
        for task in tuple(self._telling):
            task.cancel()

    async def _once(self, topic: str, about: str, text: str) -> None:
        log.warning("for the admins: %s", text)
        for name, bot in self._bots.items():
            if not (channel := self._channels.get(name)):
                continue
            if not await self._settled(f"notice:{topic}:{name}", about, bot, channel, text):
                asyncio.get_running_loop().call_later(self._again_s, self._begun.discard, (topic, about))

    async def _settled(self, name: str, about: str, bot: PlatformBot, channel: str, text: str) -> bool:
        """Whether it was told, now or before. Each try is claimed, so that of two processes one makes it; a claimed one
        that neither succeeds nor fails until the next occasion was made by a process that died: then comes the next."""
        known = await self._journal.get(name) or ""
        if known == about:
            return True
        number = known.removeprefix(f"{about} failed ")
        claim = f"{name}:{about}:{number if number.isdigit() else 0}"
        if not await self._journal.claim([claim]):
            if claim in self._elsewhere:
                await self._journal.put(name, _failed(about, number))
            self._elsewhere.add(claim)
            return False
        told = await self._told(bot, channel, text)
        await self._journal.put(name, about if told else _failed(about, number))
        return told

    async def _told(self, bot: PlatformBot, channel: str, text: str) -> bool:
        try:
            async with asyncio.timeout(TELL_S):
                await bot.tell(channel, text)
            return True
        except (CandorError, TimeoutError) as error:
            log.warning("the admins on %s could not be told: %s", bot.platform, error or "it took too long")
        except Exception:
            log.exception("the admins on %s could not be told", bot.platform)
        return False


def _failed(about: str, number: str) -> str:
    """How the journal knows that so many tries failed."""
    return f"{about} failed {int(number) + 1 if number.isdigit() else 1}"
