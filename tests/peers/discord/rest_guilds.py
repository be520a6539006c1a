"""Calls on the app, people, guilds, members, roles, and the gateway's address."""

from __future__ import annotations

from typing import Any

from tests.peers.discord.faults import Refusal
from tests.peers.discord.payloads import channel_json, guild_summary, member_json, role_json, thread_json, user_json
from tests.peers.discord.rest import Call, Route
from tests.peers.discord.world import Guild

Json = dict[str, Any]


def guild_of(call: Call) -> Guild:
    """The guild of a call, where the bot is a member."""
    guild = call.state.world.guilds.get(call.args["guild"])
    if guild is None:
        raise Refusal(10004)
    if call.state.world.bot.id not in guild.members:
        raise Refusal(50001)
    return guild


def _me(call: Call) -> Json:
    return user_json(call.state.world.bot) | {"verified": True, "mfa_enabled": False, "email": None, "flags": 0}


def _application(call: Call) -> Json:
    app = call.state.app
    return {
        "id": app.id,
        "name": app.name,
        "icon": None,
        "description": "",
        "summary": "",
        "bot_public": app.public,
        "bot_require_code_grant": False,
        "verify_key": "00" * 32,
        "flags": app.flags,
        "owner": user_json(call.state.world.users[app.owner]),
        "team": None,
        "interactions_endpoint_url": None,
    }


def _gateway(call: Call) -> Json:
    return {"url": call.state.gateway_url}


def _gateway_bot(call: Call) -> Json:
    total = call.state.app.identifies_a_day
    left = {"total": total, "remaining": max(0, total - call.state.identifies), "reset_after": 86_400_000}
    return {"url": call.state.gateway_url, "shards": 1, "session_start_limit": left | {"max_concurrency": 1}}


def _my_guilds(call: Call) -> list[Json]:
    bot, guilds = call.state.world.bot.id, call.state.world.guilds.values()
    return [
        {
            "id": g.id,
            "name": g.name,
            "icon": None,
            "owner": False,
            "features": [],
            "permissions": str(int(g.allows(bot))),
        }
        for g in guilds
        if bot in g.members and int(g.id) > int(call.query.get("after", 0))
    ]


def _user(call: Call) -> Json:
    user = call.state.world.users.get(call.args["user"])
    if user is None:
        raise Refusal(10013)
    return user_json(user)


def _open_dm(call: Call) -> Json:
    user = str(call.form.get("recipient_id"))
    if user not in call.state.world.users or user == call.state.world.bot.id:
        raise Refusal(50035)
    return channel_json(call.state, call.state.world.dm(user, call.state.now()))


def _guild(call: Call) -> Json:
    guild = guild_of(call)
    count = {"approximate_member_count": len(guild.members), "approximate_presence_count": 1}
    return guild_summary(guild) | (count if call.query.get("with_counts") else {})


def _channels(call: Call) -> list[Json]:
    guild = guild_of(call)
    there = [c for c in call.state.world.channels.values() if c.guild == guild.id and not c.deleted]
    return [channel_json(call.state, channel) for channel in there if not channel.is_thread]


def _threads(call: Call) -> Json:
    guild, bot = guild_of(call), call.state.world.bot.id
    there = [c for c in call.state.world.channels.values() if c.guild == guild.id and c.is_thread]
    found = [c for c in there if not c.archived and not c.deleted and call.state.world.sees(bot, c)]
    return {"threads": [thread_json(call.state, thread) for thread in found], "members": []}


def _member(call: Call) -> Json:
    guild = guild_of(call)
    if call.args["user"] not in guild.members:
        raise Refusal(10007 if call.args["user"] in call.state.world.users else 10013)
    return member_json(guild, call.state.world.users[call.args["user"]])


def _members(call: Call) -> list[Json]:
    """The list needs the members intent in the developer portal."""
    guild = guild_of(call)
    if "members" not in call.state.app.privileged:
        raise Refusal(50001)
    after, limit = int(call.query.get("after", 0)), int(call.query.get("limit", 1))
    people = sorted((user for user in guild.members if int(user) > after), key=int)[:limit]
    return [member_json(guild, call.state.world.users[user]) for user in people]


def _roles(call: Call) -> list[Json]:
    return [role_json(role, position) for position, role in enumerate(guild_of(call).roles.values())]


ROUTES = [
    Route("GET", "/users/@me", "me", _me),
    Route("GET", "/users/@me/guilds", "my_guilds", _my_guilds),
    Route("POST", "/users/@me/channels", "open_dm", _open_dm),
    Route("GET", "/users/{user}", "get_user", _user),
    Route("GET", "/oauth2/applications/@me", "application", _application),
    Route("GET", "/applications/@me", "application", _application),
    Route("GET", "/gateway", "gateway", _gateway, bot=False),
    Route("GET", "/gateway/bot", "gateway_bot", _gateway_bot),
    Route("GET", "/guilds/{guild}", "get_guild", _guild),
    Route("GET", "/guilds/{guild}/channels", "guild_channels", _channels),
    Route("GET", "/guilds/{guild}/threads/active", "active_threads", _threads),
    Route("GET", "/guilds/{guild}/members", "members", _members),
    Route("GET", "/guilds/{guild}/members/{user}", "get_member", _member),
    Route("GET", "/guilds/{guild}/roles", "roles", _roles),
]
