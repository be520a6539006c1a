"""One wire-true Discord on loopback, for a bot that runs as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.peers.discord import rest_commands, rest_guilds, rest_interactions, rest_messages, rest_threads
from tests.peers.discord.driver import Actor
from tests.peers.discord.events import Events
from tests.peers.discord.faults import Fault, Rates
from tests.peers.discord.gateway import INVALID, RECONNECT, Gateway
from tests.peers.discord.interactions import Timing
from tests.peers.discord.messages import Message
from tests.peers.discord.permissions import NONE, Permission
from tests.peers.discord.rest import BASE, RestApi
from tests.peers.discord.state import App, State
from tests.peers.discord.watching import Watching
from tests.peers.discord.world import Channel, World

_ROUTES = [
    *rest_guilds.ROUTES,
    *rest_messages.ROUTES,
    *rest_threads.ROUTES,
    *rest_commands.ROUTES,
    *rest_interactions.ROUTES,
]


class DiscordPeer(Watching):
    """Use it in `async with`. discord.py is pointed here by `Route.BASE = peer.api_url` and
    `DiscordWebSocket.DEFAULT_GATEWAY = URL(peer.gateway_url)`; `app` has the token and the privileged intents.
    `plain`: gateway frames as text, whatever the client asks for."""

    def __init__(
        self,
        world: World | None = None,
        *,
        rates: Rates | None = None,
        timing: Timing | None = None,
        app: App | None = None,
        plain: bool = False,
    ) -> None:
        state = State(world or World.small(), rates or Rates(), timing or Timing(), app or App())
        super().__init__(state, Gateway(state))
        self.app = state.app
        self.rates = state.rates
        self.gateway.plain = plain
        self.events = Events(state, self.gateway)
        server = web.Application(client_max_size=32 * 1024 * 1024, middlewares=[self._while_up])
        RestApi(state, self.events, _ROUTES).add_to(server)
        server.router.add_get("/", self.gateway.serve)
        server.router.add_get("/resume/", self.gateway.serve)
        self._runner = web.AppRunner(server, shutdown_timeout=0.1, handler_cancellation=True, access_log=None)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.state.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        await self._runner.cleanup()

    # --- who acts

    @property
    def api_url(self) -> str:
        return f"{self.state.base_url}{BASE}"

    @property
    def gateway_url(self) -> str:
        return f"{self.state.gateway_url}/"

    def user(self, name: str) -> Actor:
        """A person (or another bot) by name or id."""
        return Actor(self.state, self.events, self.world.user(name))

    async def unfurls(self, message: Message) -> bool:
        """Discord shows previews of a message's links - unless it suppresses embeds or they stand in `<>`."""
        if not message.links:
            return False
        message.previews = [{"type": "link", "url": url, "title": "Example"} for url in message.links]
        self.events.edited(message)
        return True

    def hides(self, channel: str | Channel) -> None:
        """The bot may no longer look into a channel: 50001."""
        self._overwrite(channel, Permission.VIEW_CHANNEL)

    def forbids(self, channel: str | Channel, *permissions: Permission) -> None:
        """Takes permissions from the bot in a channel: 50013."""
        for permission in permissions:
            self._overwrite(channel, permission)

    def removes_bot(self, guild: str) -> None:
        """The bot is kicked: GUILD_DELETE."""
        del self.world.guilds[guild].members[self.world.bot.id]
        self.events.guild("GUILD_DELETE", self.world.guilds[guild])

    def adds_bot(self, guild: str) -> None:
        self.world.guilds[guild].members[self.world.bot.id] = set()
        self.events.guild("GUILD_CREATE", self.world.guilds[guild])

    # --- what goes wrong

    def fail(self, route: str, times: int = 1, status: int = 200, retry_after: float = 0.1, **trouble: Any) -> Fault:
        """Scripts trouble for the next calls of a route (`create_message`, a pattern, `*`); see Fault."""
        fault = Fault(route, times, status, retry_after, **trouble)
        self.state.faults.append(fault)
        return fault

    async def resets_token(self) -> None:
        """The token is reset in the portal: 401 from now on, and the gateway closes with 4004."""
        self.app.dead = True
        await self.close(4004)

    def skip(self, seconds: float) -> None:
        """Moves Discord's clock: interaction tokens, sessions, nonces and rates age by it."""
        self.state.skip(seconds)

    def goes_down(self) -> None:
        """Discord can't be reached: connections break, each request is cut off."""
        self.state.down = True
        self.kill()

    def comes_back(self) -> None:
        self.state.down = False

    def kill(self) -> None:
        """Breaks the open sockets without a close frame. The session can be resumed."""
        for connection in self.gateway.open:
            connection.kill()

    def stall(self) -> None:
        """The open sockets go quiet: no event, no heartbeat's acknowledgement; they look connected."""
        for connection in self.gateway.open:
            connection.stalled = True

    async def close(self, code: int) -> None:
        """Closes the open sockets with a code (4000 unknown error, 4004 bad token, 4014 disallowed intents, ...)."""
        await asyncio.gather(*(connection.close(code) for connection in self.gateway.open))

    def reconnect(self) -> None:
        """Asks the app to reconnect and resume (op 7)."""
        for connection in self.gateway.open:
            connection.send(RECONNECT)

    def invalidate(self, *, resumable: bool = False) -> None:
        """Tells the app that its session is over (op 9); `resumable` lets it try a resume."""
        for connection in self.gateway.open:
            if connection.session is not None and not resumable:
                connection.session.over = True
            connection.send(INVALID, resumable)

    def _overwrite(self, channel: str | Channel, denied: Permission) -> None:
        where, bot = self.channel(channel), self.world.bot.id
        where = self.world.channels[where.parent or ""] if where.is_thread else where
        allow, deny = where.overwrites.get(bot, (NONE, NONE))
        where.overwrites[bot] = (allow & ~denied, deny | denied)
        self.events.channel("CHANNEL_UPDATE", where)

    @web.middleware
    async def _while_up(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if self.state.down:
            with contextlib.suppress(Exception):
                if request.transport is not None:
                    request.transport.abort()
            return web.Response(status=503)
        answer: web.StreamResponse = await handler(request)
        return answer
