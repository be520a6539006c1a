"""What nobody foresaw: it is logged, and the person who waits reads a sentence instead of nothing."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adapters.slack.calls import Calls
from adapters.slack.replies import notice
from crag import wording
from crag.errors import ScreenError

log = logging.getLogger(__name__)


@asynccontextmanager
async def never_silent(
    calls: Calls, channel: str, user: str, *, thread: str = "", response_url: str = ""
) -> AsyncIterator[None]:
    """Around the work on what one person did. `thread` is "" where there is none yet: Slack shows nothing there."""
    try:
        yield
    except Exception:
        log.exception("a Slack event's work failed")
        try:
            await calls.whisper(channel, user, notice(wording.INTERNAL), thread=thread, response_url=response_url)
        except ScreenError as error:
            log.warning("nobody could be told: %s", error)
