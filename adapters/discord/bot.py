"""Opens the bot, keeps its connection alive, and closes it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import discord

from adapters.discord.addresses import pointed
from adapters.discord.client import INVITE, CandorClient
from adapters.discord.commands import sync
from adapters.discord.pages import notice
from adapters.discord.surfaces import ChannelSurface, Spot
from crag.errors import CandorError, ScreenError, SettingsError
from crag.platform import Desk, Incoming, Remembered, Screen

log = logging.getLogger(__name__)

LOG_IN_S = 30.0
"""How long the start tries to reach Discord."""
CLOSE_S = 5.0
WHERE_TO_FIND_IT = "The developer portal shows it under Bot, Reset Token; set it as CANDOR_DISCORD__TOKEN."
INTENT = "Switch it on in the developer portal under Bot, or switch follow_ups off in all channels."
REFUSED = {
    4004: ("Discord refuses the bot's token: it was reset.", WHERE_TO_FIND_IT),
    4014: ("The bot lacks the Message Content intent, which follow-ups need.", INTENT),
}
"""What a final close code means, and what to do."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds. `silent`: the gateway says something at least each 41 s, if only to acknowledge a heartbeat; what is
    silent for longer is dead. `lost`: from then on nobody waits for discord.py, whose pauses double;
    a new session each 90 s is less than the 1,000 a day that Discord allows."""

    silent: float = 60.0
    lost: float = 90.0
    look: float = 5.0


class DiscordBot:
    """Satisfies crag.platform.PlatformBot."""

    platform = "discord"

    def __init__(self, client: CandorClient, patience: Patience) -> None:
        self._client = client
        self._patience = patience

    @property
    def connected(self) -> bool:
        return self._client.live and self._silence < self._patience.silent

    async def run(self) -> None:
        """Raises CandorError where the token, an intent or a permission is missing."""
        while True:
            connection = asyncio.create_task(self._client.connect(), name="discord: connection")
            watch = asyncio.create_task(self._watch(), name="discord: watch")
            try:
                await asyncio.wait({connection, watch}, return_when=asyncio.FIRST_COMPLETED)
                _raise_if_final(connection, watch)
            finally:
                for task in (connection, watch):
                    task.cancel()
                await asyncio.wait({connection, watch})
            log.warning("no connection to Discord for %g s: making a new one", self._patience.lost)
            self._client.live = False
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._client.ws.close(4000), CLOSE_S)

    async def stop_intake(self) -> None:
        """Discord delivers nothing twice, so what comes now still goes to the desk: it keeps the question for the next
        start and says so."""

    async def completed(self, incoming: Incoming) -> Incoming | None:
        return await self._client.asking.completed(incoming)

    def screen_for(self, incoming: Incoming) -> Screen:
        return self._client.placing.screen_for(incoming, again=True)

    async def tell(self, channel: str, text: str) -> None:
        if not channel.isdigit():
            raise ScreenError(f"{channel} is no channel of Discord's: its id is a number.")
        where = self._client.get_partial_messageable(int(channel))

        async def opened() -> Spot:
            return Spot(where)

        await ChannelSurface(opened).show(notice(text))

    @property
    def _silence(self) -> float:
        return time.monotonic() - self._client.heard_at

    async def _watch(self) -> None:
        """Ends where the connection is lost for good. A silent one is closed, so that discord.py resumes it."""
        alive_at = time.monotonic()
        while time.monotonic() - alive_at < self._patience.lost:
            await asyncio.sleep(self._patience.look)
            verdict = self._client.verdict
            if verdict.done() and (lacking := verdict.result()) is not None:
                raise lacking
            if self.connected:
                alive_at = time.monotonic()
            elif self._client.live:
                log.warning("Discord has been silent for %.0f s: connecting again", self._silence)
                self._client.live = False
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(self._client.ws.close(4000), CLOSE_S)


def _raise_if_final(connection: asyncio.Task[None], watch: asyncio.Task[None]) -> None:
    """What ended the connection, as a sentence; nothing where only the watch gave up on it."""
    if not connection.done():
        watch.result()
        return
    try:
        connection.result()
    except discord.PrivilegedIntentsRequired as error:
        raise _refused(4014) from error
    except discord.ConnectionClosed as error:
        raise _refused(error.code or 0) from error
    except discord.LoginFailure as error:
        raise _refused(4004) from error
    raise CandorError("The connection to Discord was closed.")


def _refused(code: int) -> CandorError:
    if code not in REFUSED:
        return CandorError(f"Discord closed the connection for good, with code {code}.")
    message, advice = REFUSED[code]
    return SettingsError(message, advice=advice)


@asynccontextmanager
async def discord_bot(
    desk: Desk,
    *,
    token: str,
    guilds: frozenset[str] = frozenset(),
    api_url: str = "",
    gateway_url: str = "",
    remembered: Remembered,
    reactions: bool = True,
    follow_ups: bool = False,
    humans: bool = True,
    patience: Patience | None = None,
) -> AsyncIterator[DiscordBot]:
    """See crag.platform.PlatformBot. Raises SettingsError where the token is wrong, an intent isn't switched on, or the
    bot isn't in a guild that it should serve; CandorError where Discord can't be reached."""
    with pointed(api_url, gateway_url):
        client = CandorClient(desk, guilds=guilds, reactions=reactions, follow_ups=follow_ups, humans=humans)
        try:
            await _log_in(client, token)
            _check_intent(client, follow_ups=follow_ups)
            await _check_guilds(client, guilds)
            await sync(client.tree, remembered, client.application_id or 0)
            yield DiscordBot(client, patience or Patience())
        finally:
            await client.close()


async def _log_in(client: CandorClient, token: str) -> None:
    until, pause = time.monotonic() + LOG_IN_S, 1.0
    while True:
        try:
            async with asyncio.timeout(LOG_IN_S):
                await client.login(token)
            return
        except discord.LoginFailure as error:
            raise SettingsError("Discord refuses the bot's token.", advice=WHERE_TO_FIND_IT) from error
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            if time.monotonic() + pause > until:
                raise CandorError(f"Discord can't be reached: {error}.", advice="Is this machine online?") from error
            log.warning("Discord can't be reached, trying again: %s", error)
        await asyncio.sleep(pause)
        pause *= 2


def _check_intent(client: CandorClient, *, follow_ups: bool) -> None:
    """The portal's switch, before the gateway closes with 4014."""
    flags = client.application.flags if client.application else None
    if (
        follow_ups
        and flags is not None
        and not (flags.gateway_message_content or flags.gateway_message_content_limited)
    ):
        raise _refused(4014)


async def _check_guilds(client: CandorClient, guilds: frozenset[str]) -> None:
    if not guilds:
        return
    try:
        found = {str(guild.id) async for guild in client.fetch_guilds(limit=None)}
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        raise CandorError(f"Discord doesn't say which guilds the bot is in: {error}.") from error
    if unknown := sorted(guilds - found):
        raise SettingsError(f"The bot is not in the guild {', '.join(unknown)}.", advice=INVITE)
