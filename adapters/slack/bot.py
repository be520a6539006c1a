"""`slack_bot`: the adapter, open. Tokens and scopes are checked first; then events come in until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Literal

import aiohttp

from adapters.slack.admin import Admin
from adapters.slack.asking import Asking, Self
from adapters.slack.calls import CALL_S, Calls
from adapters.slack.http_mode import HttpMode
from adapters.slack.ids import PLATFORM
from adapters.slack.intake import Intake
from adapters.slack.people import People
from adapters.slack.pressing import Pressing
from adapters.slack.refusals import FAILURES, missing_scopes, start_error
from adapters.slack.replies import notice
from adapters.slack.scopes import REACTIONS, SCOPES
from adapters.slack.sockets import SocketMode, Watch
from adapters.slack.tasks import Tasks
from crag.errors import CandorError, SettingsError
from crag.platform import Desk, Incoming, Screen

log = logging.getLogger(__name__)

BOT_TOKEN = "CANDOR_SLACK__BOT_TOKEN"  # noqa: S105 - the setting's name
DRAIN_S = 5.0
"""How long what is under way may still take when the bot is closed; the desk has drained before."""

PACE_S = 1.0
"""Slack takes about one message a second in a channel, and 50 edits a minute."""

Transport = SocketMode | HttpMode


class SlackBot:
    """A `crag.platform.PlatformBot`."""

    platform = PLATFORM

    def __init__(self, transport: Transport, calls: Calls, asking: Asking, ended: asyncio.Future[str]) -> None:
        self._transport = transport
        self._calls = calls
        self._asking = asking
        self._ended = ended

    @property
    def connected(self) -> bool:
        return self._transport.connected and not self._ended.done()

    @property
    def address(self) -> str:
        """Mode "http": where Slack's requests are expected; "" else."""
        return self._transport.address if isinstance(self._transport, HttpMode) else ""

    async def run(self) -> None:
        receiving = asyncio.create_task(self._transport.run())
        try:
            await asyncio.wait((receiving, self._ended), return_when=asyncio.FIRST_COMPLETED)
            if self._ended.done():
                raise CandorError(self._ended.result())
            await receiving
        finally:
            receiving.cancel()
            await asyncio.gather(receiving, return_exceptions=True)

    async def stop_intake(self) -> None:
        await self._transport.stop()

    async def completed(self, incoming: Incoming) -> Incoming | None:
        return await self._asking.completed(incoming)

    def screen_for(self, incoming: Incoming) -> Screen:
        return self._asking.screen_for(incoming, resumed=True)

    async def tell(self, channel: str, text: str) -> None:
        await self._calls.post(channel, notice(text))


@asynccontextmanager
async def slack_bot(
    desk: Desk,
    *,
    bot_token: str,
    app_token: str = "",
    signing_secret: str = "",
    mode: Literal["socket", "http"] = "socket",
    host: str = "127.0.0.1",
    port: int = 3000,
    api_url: str = "",
    reactions: bool = False,
    groups: Iterable[str] = (),
    humans: bool = True,
    watch: Watch | None = None,
    pace_s: float = PACE_S,
) -> AsyncIterator[SlackBot]:
    """Open the adapter; see `crag.platform.PlatformBot`. `watch`, and `pace_s` between two changes of what is shown,
    are for tests. Raises SettingsError where Slack refuses a token or a scope, CandorError where it can't be reached or
    the port is taken."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=CALL_S)) as session:
        calls = Calls(session, bot_token, api_url)
        me = await introduced(calls, reactions=reactions)
        tasks = Tasks()
        ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        people = People(calls, me.team, groups)
        asking = Asking(desk, calls, people, me, pace_s=pace_s, humans=humans)
        intake = Intake(
            desk,
            calls,
            me,
            tasks,
            asking=asking,
            pressing=Pressing(desk, calls, people, asking, me),
            admin=Admin(desk, calls, people, me),
            reactions=reactions,
            ended=lambda why: None if ended.done() else ended.set_result(why),
        )
        app = intake.app(signing_secret=signing_secret)
        transport: Transport
        if mode == "http":
            if not signing_secret.strip():
                raise SettingsError("CANDOR_SLACK__SIGNING_SECRET is not set, but Slack's mode http needs it.")
            transport = HttpMode(app, signing_secret, host, port)
        else:
            transport = SocketMode(app, calls, app_token, tasks, watch or Watch())
        try:
            await transport.open()
            yield SlackBot(transport, calls, asking, ended)
        finally:
            await transport.stop()
            await tasks.drain(DRAIN_S)
            if isinstance(transport, HttpMode):
                await transport.close()


async def introduced(calls: Calls, *, reactions: bool) -> Self:
    """Who the bot is, and whether it may do what it has to. Slack names a token's scopes with each answer."""
    try:
        answer = await calls.sure.auth_test()
    except FAILURES as error:
        raise start_error(error, BOT_TOKEN) from error
    granted = {scope.strip() for scope in str(answer.headers.get("X-OAuth-Scopes", "")).split(",")}
    lacking = sorted((SCOPES | (REACTIONS if reactions else frozenset())) - granted)
    if granted != {""} and lacking:
        raise missing_scopes(lacking)
    name = f"@{answer['user']} in {answer['team']}"
    return Self(str(answer["team_id"]), str(answer["user_id"]), str(answer["bot_id"]), str(answer["url"]), name)
