"""discord.py's errors -> Candor's, at the edge, and the retries that discord.py leaves to its callers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import aiohttp
import discord

from crag.errors import ScreenError, ScreenUnreachable

T = TypeVar("T")

UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK, UNKNOWN_INTERACTION = 10003, 10008, 10015, 10062
NO_ACCESS, NO_DMS, BAD_TOKEN, NOT_PERMITTED = 50001, 50007, 50027, 50013
BAD_FORM, ARCHIVED, LOCKED, HAS_THREAD = 50035, 50083, 160005, 160004
CLOSED = frozenset({ARCHIVED, LOCKED})
EXPIRED = frozenset({BAD_TOKEN, UNKNOWN_WEBHOOK, UNKNOWN_INTERACTION})
"""The interaction's token is of no use any more."""

TRIES = 4
FIRST_PAUSE_S = 0.5
CALL_S = 60.0
"""The longest that one call may take, with the waiting that discord.py does for a rate limit."""

TOO_MANY = "Discord takes no more messages from me for now."
_WORDS = {
    UNKNOWN_CHANNEL: "The channel or thread is gone.",
    UNKNOWN_MESSAGE: "The message is gone.",
    NO_ACCESS: "I may not look into that channel.",
    NO_DMS: "That person takes no direct messages.",
    NOT_PERMITTED: "I lack a permission there: Send Messages, Send Messages in Threads or Embed Links.",
    ARCHIVED: "The thread was closed.",
    LOCKED: "The thread was locked.",
}


class Refused(ScreenError):
    """Discord said no; `code` is its own."""

    def __init__(self, code: int, message: str, *, advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.code = code


async def calling(call: Callable[[], Awaitable[T]], *, again: bool = True) -> T:
    """What a call to Discord gives. `again`: it may be made once more where its answer was lost, since made twice it is
    done once (an edit, a message with a nonce). Raises Refused, or ScreenUnreachable where Discord can't be reached."""
    pause = FIRST_PAUSE_S
    for left in reversed(range(TRIES if again else 1)):
        try:
            async with asyncio.timeout(CALL_S):
                return await call()
        except discord.DiscordServerError as error:
            lost: Exception = error
        except discord.HTTPException as error:
            if error.status == 429:
                raise ScreenUnreachable(TOO_MANY) from error
            raise refusal(error) from error
        except (aiohttp.ClientError, OSError) as error:
            lost = error
        if left:
            await asyncio.sleep(pause)
            pause *= 3
    raise ScreenUnreachable("Discord can't be reached.") from lost


def refusal(error: discord.HTTPException) -> Refused:
    if error.status == 429:
        return Refused(error.code, TOO_MANY)
    return Refused(error.code, _WORDS.get(error.code, f"Discord refused a message: {error.text or error.status}."))
