"""Brings a reply or a notice to its screen. A platform that can't be reached is asked again, later and later; a
question whose reply isn't there yet stays open in the journal, so that a restart doesn't lose it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator

from bot.desk.ongoing import Ongoing
from bot.desk.ports import Journal
from bot.metrics import Metrics
from crag import wording
from crag.errors import ScreenError, ScreenUnreachable
from crag.platform import Incoming, Screen
from crag.types import Reply

log = logging.getLogger(__name__)

SHOW_S = 120.0
"""The longest that showing a reply may take: a platform may ask for patience, more than once."""
FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 300.0
PATIENCE_S = 24 * 3600.0
"""How long a reply is worth showing: after a day nobody waits for it."""


class Delivering:
    def __init__(self, journal: Journal, metrics: Metrics, ongoing: Ongoing) -> None:
        self._journal = journal
        self._metrics = metrics
        self._ongoing = ongoing

    async def reply(self, incoming: Incoming, reply: Reply, screen: Screen) -> None:
        """Recorded first: the reply's buttons work from the moment it is seen."""
        self._ongoing.shows()
        self._journal.record(incoming, reply)
        for pause in _pauses():
            try:
                shown = await self._shown(reply, screen)
                break
            except ScreenUnreachable as error:
                log.warning("the reply can't be shown, again in %g s: %s", pause, error)
            except TimeoutError:
                log.warning("the reply could not be shown in %g s, again in %g s", SHOW_S, pause)
            if not await self._ongoing.pause(pause):
                self._metrics.question("postponed")
                return
        else:
            shown = False
        await self._journal.settle(incoming.keys)
        if not shown:
            self._metrics.unshown(incoming.place.platform)

    async def notice(self, screen: Screen, text: str, *, within_s: float = SHOW_S) -> None:
        """Tried once: what it says of now isn't true later."""
        try:
            async with asyncio.timeout(within_s):
                await screen.notice(text)
        except ScreenError as error:
            log.warning("a notice can't be shown: %s", error)
        except TimeoutError:
            log.warning("a notice could not be shown in %g s", within_s)
        except Exception:
            log.exception("a notice can't be shown")

    async def _shown(self, reply: Reply, screen: Screen) -> bool:
        """False where it can't be shown, for good. Raises ScreenUnreachable, TimeoutError."""
        try:
            async with asyncio.timeout(SHOW_S):
                await screen.reply(reply)
            return True
        except (ScreenUnreachable, TimeoutError):
            raise
        except ScreenError as error:
            log.warning("the reply can't be shown: %s", error)
        except Exception:
            log.exception("the reply can't be shown")
            await self.notice(screen, wording.INTERNAL)
        return False


def _pauses() -> Iterator[float]:
    began, pause = time.monotonic(), FIRST_PAUSE_S
    while time.monotonic() - began < PATIENCE_S:
        yield pause
        pause = min(3 * pause, LONGEST_PAUSE_S)
