"""One wire-true Slack on loopback, for a bot that runs as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.peers.slack import methods_chat, methods_read, methods_stream, methods_surfaces, response_urls
from tests.peers.slack.delivery import Delivery, Timing
from tests.peers.slack.driver import Actor
from tests.peers.slack.events import Events
from tests.peers.slack.faults import Fault, Rates
from tests.peers.slack.http_events import Hostile, HttpMode
from tests.peers.slack.manifest import install
from tests.peers.slack.sockets import Sockets
from tests.peers.slack.state import App, State
from tests.peers.slack.watching import Watching
from tests.peers.slack.web_api import Context, WebApi
from tests.peers.slack.workspace import Message, Workspace

Json = dict[str, Any]

_METHODS = {
    **methods_chat.METHODS,
    **methods_read.METHODS,
    **methods_stream.METHODS,
    **methods_surfaces.METHODS,
}


class SlackPeer(Watching):
    """Use it in `async with`. `api_url` is what the app takes as base URL; `app` has its tokens and secret. Socket Mode
    until `http_mode()` names the app's own address."""

    def __init__(
        self,
        workspace: Workspace | None = None,
        *,
        rates: Rates | None = None,
        timing: Timing | None = None,
        app: App | None = None,
    ) -> None:
        state = State(workspace or Workspace.small(), rates or Rates(), timing or Timing(), app or App())
        super().__init__(state, Sockets(state))
        self.app = state.app
        self.rates = state.rates
        self.events = Events(self.state)
        self.http: HttpMode | None = None
        self._context = Context(self.state, self.events, self.sockets)
        self._api = WebApi(self._context, _METHODS)
        server = web.Application(client_max_size=8 * 1024 * 1024, middlewares=[self._while_up])
        server.router.add_route("*", "/api/{method}", self._api.serve)
        server.router.add_get("/link/", self.sockets.serve)
        server.router.add_post("/actions/{team}/{key}", self._respond)
        self._runner = web.AppRunner(server, shutdown_timeout=0.1, handler_cancellation=True, access_log=None)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.state.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self.state.post.transport = self.sockets
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.state.post.close()
        for connection in self.sockets.open:
            connection.kill()
        if self.http is not None:
            await self.http.close()
        await self._runner.cleanup()

    # --- who acts

    @property
    def api_url(self) -> str:
        return f"{self.state.base_url}/api/"

    def user(self, name: str) -> Actor:
        """A person (or another bot) by id: `U0ADA`."""
        return Actor(self._context, self.workspace.users[name])

    async def unfurls(self, message: Message) -> bool:
        """Slack shows previews of a message's links - unless it was posted with unfurl_links=False: message_changed."""
        if message.arguments.get("unfurl_links") is False:
            return False
        before = message.as_json()
        message.attachments = [{"from_url": "https://example.com", "title": "Example", "fallback": "Example"}]
        message.changed(self.state.now(), "unfurl")
        self.events.edited(message, before, content=False)
        return True

    def bot_joins(self, channel: str) -> None:
        self.workspace.channels[channel].members.add(self.workspace.bot.id)

    def bot_leaves(self, channel: str) -> None:
        self.workspace.channels[channel].members.discard(self.workspace.bot.id)

    def redeliver(self, delivery: Delivery) -> None:
        """Sends again what was acknowledged long ago, with the same event_id."""
        self.state.post.again(delivery)

    def revokes(self) -> Delivery | None:
        """The bot's token is revoked: calls fail from now on, the app is told."""
        self.state.tokens[self.app.bot_token].dead = "token_revoked"
        return self.events.send({"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [self.workspace.bot.id]}})

    def uninstalls(self) -> Delivery | None:
        self.state.tokens[self.app.bot_token].dead = "account_inactive"
        return self.events.send({"type": "app_uninstalled"})

    def install(self, manifest: Json) -> None:
        """Gives the app what its manifest (parsed YAML) names: scopes, events, commands, shortcuts; see install()."""
        install(self.state, manifest)

    # --- what goes wrong

    def fail(self, method: str, times: int = 1, **trouble: Any) -> Fault:
        """Scripts trouble for the next calls of a method (`*`: any); see Fault for what there is."""
        fault = Fault(method, times, **trouble)
        self.state.faults.append(fault)
        return fault

    def scopes(self, *, without: str) -> None:
        """Takes one scope from the bot's token."""
        self.state.tokens[self.app.bot_token].scopes.discard(without)

    def skip(self, seconds: float) -> None:
        """Moves Slack's clock: streams, triggers, response URLs, tickets, statuses and rates age by it."""
        self.state.skip(seconds)

    def goes_down(self) -> None:
        """Slack can't be reached: connections break, each request is cut off."""
        self.state.down = True
        self.kill()

    def comes_back(self) -> None:
        self.state.down = False

    def kill(self) -> None:
        """Breaks the open sockets without a close frame."""
        for connection in self.sockets.open:
            connection.kill()

    def stall(self, *, pongs: bool = True) -> None:
        """The open sockets go quiet; while they answer pings they look alive."""
        for connection in self.sockets.open:
            connection.stalled, connection.pongs = True, pongs

    async def disconnect(self, reason: str = "refresh_requested", *, close_after_s: float = 0.5) -> None:
        """A disconnect frame on each open socket (warning, refresh_requested, link_disabled), then its close."""
        await asyncio.gather(
            *(self.sockets.disconnect(c, reason, close_after_s=close_after_s) for c in self.sockets.open)
        )

    async def http_mode(self, url: str) -> HttpMode:
        """From now on events, commands and interactions are signed and posted to `url`."""
        self.http = HttpMode(self.state, url)
        self.state.post.transport = self.http
        return self.http

    async def hostile(self, kind: Hostile) -> tuple[int, str]:
        """Status and body of the app's answer to a request that isn't Slack's or isn't sane (HTTP mode)."""
        if self.http is None:
            raise AssertionError("hostile() needs http_mode() first")
        event = {"type": "message", "channel": "C0GENERAL", "user": "U0ADA", "text": "hi", "ts": "1.1"}
        return await self.http.hostile(kind, {"type": "event_callback", "event_id": "EvX", "event": event})

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        return await response_urls.serve(self._context, request)

    @web.middleware
    async def _while_up(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if self.state.down:
            with contextlib.suppress(Exception):
                if request.transport is not None:
                    request.transport.abort()
            return web.Response(status=503)
        answer: web.StreamResponse = await handler(request)
        return answer
