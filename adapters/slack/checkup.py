"""What `candor doctor` asks Slack: both tokens, the scopes, and the channels that the settings name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from typing import Literal

import aiohttp

from adapters.slack.bot import introduced
from adapters.slack.calls import CALL_S, Calls
from adapters.slack.refusals import FAILURES, screen_error, start_error
from adapters.slack.sockets import APP_TOKEN, CONNECTIONS
from crag.errors import CandorError
from crag.platform import Finding

NAME = "slack"
INVITE = "Look at the id in the settings; a private channel shows once the bot is invited."


async def look_over(
    *,
    bot_token: str,
    app_token: str = "",
    mode: Literal["socket", "http"] = "socket",
    channels: Collection[tuple[str, str]] = (),
    posts: Collection[str] = (),
    reactions: bool = False,
    api_url: str = "",
) -> list[Finding]:
    """`channels` are (workspace, channel) ids that the settings name, `posts` ids of channels where the bot posts by
    itself. Nothing is changed or posted, and no connection is made."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=CALL_S)) as session:
        calls = Calls(session, bot_token, api_url)
        try:
            me = await introduced(calls, reactions=reactions)
        except CandorError as error:
            return [Finding(NAME, False, error.message, error.advice)]
        found = [Finding(NAME, True, f"{me.name}, with all scopes")]
        if mode == "socket":
            found.append(await _socket(calls, app_token))
        for team in sorted({team for team, _ in channels} - {me.team}):
            advice = f"The app is installed in {me.team}: look at channels.slack:{team}:… in the settings."
            found.append(Finding(NAME, False, f"The bot is not in the workspace {team}.", advice))
        wanted = {channel for team, channel in channels if team == me.team} | set(posts)
        return [*found, *[finding async for finding in _channels(calls, sorted(wanted))]]


async def _socket(calls: Calls, app_token: str) -> Finding:
    try:
        await calls.loose.apps_connections_open(app_token=app_token)
    except FAILURES as error:
        refused = start_error(error, APP_TOKEN, scope=CONNECTIONS)
        return Finding(NAME, False, refused.message, refused.advice)
    return Finding(NAME, True, "Slack takes the app's token (Socket Mode)")


async def _channels(calls: Calls, wanted: Collection[str]) -> AsyncIterator[Finding]:
    for channel in wanted:
        try:
            found = (await calls.sure.conversations_info(channel=channel))["channel"]
        except FAILURES as error:
            yield Finding(
                NAME,
                False,
                f"Channel {channel}: {screen_error(error).message}",
                INVITE,
            )
            continue
        name = f"#{found.get('name', channel)}"
        if found.get("is_archived"):
            yield Finding(NAME, False, f"{name} is archived.", f"Take {channel} out of the settings.")
        elif not found.get("is_member"):
            yield Finding(NAME, False, f"The bot is not in {name}.", f"Type /invite in {name} and choose the bot.")
        else:
            yield Finding(NAME, True, f"{name}: the bot is there")
