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


class Notices:
    """`bots` are the platforms that are open, by name; it may fill up later."""

    def __init__(self, settings: Settings, journal: Journal, bots: Mapping[str, PlatformBot]) -> None:
        self._channels = {"slack": settings.slack.admin_channel, "discord": settings.discord.admin_channel}
        self._journal = journal
        self._bots = bots
        self._telling: set[asyncio.Task[None]] = set()
        self._begun: set[str] = set()

    def once(self, key: str, text: str) -> None:
        """Tell the admins, unless somebody did under this key, be it another process. Returns at once."""
        if key in self._begun:
            return
        self._begun.add(key)
        task = asyncio.create_task(self._once(key, text), name=f"notice {key}")
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def close(self) -> None:
        """Wait for what is being told, for a short time."""
        if self._telling:
            await asyncio.wait(self._telling, timeout=2.0)
        for task in tuple(self._telling):
            task.cancel()

    async def _once(self, key: str, text: str) -> None:
        if not await self._journal.claim((f"notice:{key}",)):
            return
        log.warning("for the admins: %s", text)
        for name, bot in self._bots.items():
            if channel := self._channels.get(name):
                await self._tell(bot, channel, text)

    async def _tell(self, bot: PlatformBot, channel: str, text: str) -> None:
        try:
            async with asyncio.timeout(TELL_S):
                await bot.tell(channel, text)
        except (CandorError, TimeoutError) as error:
            log.warning("the admins on %s could not be told: %s", bot.platform, error or "it took too long")
        except Exception:
            log.exception("the admins on %s could not be told", bot.platform)
