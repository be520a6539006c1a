"""What an app may ask about: itself, conversations, people, groups; and reactions."""

from __future__ import annotations

from typing import Any, TypeVar

from tests.peers.slack.faults import Refusal
from tests.peers.slack.state import State
from tests.peers.slack.web_api import Context, Method, flag, need
from tests.peers.slack.workspace import Channel, Message

Json = dict[str, Any]
T = TypeVar("T")


def auth_test(context: Context, arguments: Json) -> Json:
    space = context.state.workspace
    return {
        "url": "https://candor-tests.slack.com/",
        "team": space.name,
        "team_id": space.team,
        "user": space.bot.name,
        "user_id": space.bot.id,
        "bot_id": space.bot.bot_id,
        "is_enterprise_install": False,
    }


def connections_open(context: Context, arguments: Json) -> Json:
    return {"url": context.sockets.ticket()}


def team_info(context: Context, arguments: Json) -> Json:
    space = context.state.workspace
    return {"team": {"id": space.team, "name": space.name, "domain": "candor-tests", "email_domain": ""}}


def users_info(context: Context, arguments: Json) -> Json:
    (name,) = need(arguments, "user")
    user = context.state.workspace.users.get(name)
    if user is None:
        raise Refusal("user_not_found")
    return {"user": user.as_json()}


def users_list(context: Context, arguments: Json) -> Json:
    return {"members": [user.as_json() for user in context.state.workspace.users.values()], "cache_ts": 1700000000}


def bots_info(context: Context, arguments: Json) -> Json:
    (name,) = need(arguments, "bot")
    user = context.state.workspace.user_by_bot(name)
    if user is None:
        raise Refusal("bot_not_found")
    return {"bot": {"id": name, "deleted": False, "name": user.name, "app_id": user.app_id, "user_id": user.id}}


def group_users(context: Context, arguments: Json) -> Json:
    (name,) = need(arguments, "usergroup")
    if name not in context.state.workspace.groups:
        raise Refusal("no_such_subteam")
    return {"users": sorted(context.state.workspace.groups[name])}


def conversations_info(context: Context, arguments: Json) -> Json:
    need(arguments, "channel")
    channel = context.state.channel(arguments["channel"])
    answer = channel.as_json(member=context.state.workspace.has_bot(channel))
    if flag(arguments.get("include_num_members")):
        answer["num_members"] = len(channel.members)
    return {"channel": answer}


def conversations_list(context: Context, arguments: Json) -> Json:
    space = context.state.workspace
    wanted = str(arguments.get("types") or "public_channel").split(",")
    names = {"channel": "public_channel", "group": "private_channel", "im": "im", "mpim": "mpim"}
    shown = [
        channel.as_json(member=space.has_bot(channel))
        for channel in space.channels.values()
        if names[channel.kind] in wanted and (channel.kind == "channel" or space.has_bot(channel))
    ]
    return {"channels": shown, "response_metadata": {"next_cursor": ""}}


def conversations_members(context: Context, arguments: Json) -> Json:
    need(arguments, "channel")
    channel = context.state.channel(arguments["channel"])
    members = sorted(channel.members | ({context.state.workspace.bot.id} if channel.kind == "im" else set()))
    page, cursor = _page(context.state, members, arguments, 100)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


def conversations_open(context: Context, arguments: Json) -> Json:
    state = context.state
    name = str(arguments.get("users") or "")
    if arguments.get("channel"):
        channel = state.channel(arguments["channel"])
    elif name not in state.workspace.users:
        raise Refusal("user_not_found")
    elif state.workspace.users[name].bot_id:
        raise Refusal("cannot_dm_bot")
    else:
        channel = state.workspace.dm(name)
    full = flag(arguments.get("return_im"))
    return {"channel": channel.as_json(member=True) if full else {"id": channel.id}}


def history(context: Context, arguments: Json) -> Json:
    """The newest first; replies don't stand here unless they were sent to the channel too."""
    need(arguments, "channel")
    channel = _readable(context.state, arguments)
    shown = [
        message
        for message in context.state.workspace.in_channel(channel.id)
        if not message.deleted and (not message.in_thread or message.broadcast) and _within(message, arguments)
    ]
    page, cursor = _page(context.state, shown[::-1], arguments, 100)
    return _messages(context.state, page, cursor)


def replies(context: Context, arguments: Json) -> Json:
    """The parent, then the replies, oldest first."""
    _, ts = need(arguments, "channel", "ts")
    channel = _readable(context.state, arguments)
    found = context.state.workspace.find(channel.id, ts)
    if found is None:
        raise Refusal("thread_not_found")
    thread = context.state.workspace.thread(channel.id, found.root)
    shown = [m for m in thread if not m.in_thread or _within(m, arguments)]
    page, cursor = _page(context.state, shown, arguments, 1000)
    return _messages(context.state, page, cursor)


def _readable(state: State, arguments: Json) -> Channel:
    channel = state.channel(arguments["channel"])
    if not state.workspace.has_bot(channel):
        raise Refusal("not_in_channel")
    return channel


def _within(message: Message, arguments: Json) -> bool:
    ts, inclusive = float(message.ts), flag(arguments.get("inclusive"))
    oldest, latest = float(arguments.get("oldest") or 0), float(arguments.get("latest") or "inf")
    return oldest <= ts <= latest if inclusive else oldest < ts < latest


def _page(state: State, items: list[T], arguments: Json, usual: int) -> tuple[list[T], str]:
    limit = int(arguments.get("limit") or usual)
    if state.rates.marketplace_reads:
        limit = min(limit, 15)
    begin = int(str(arguments.get("cursor") or "c0").removeprefix("c"))
    end = begin + limit
    return items[begin:end], f"c{end}" if end < len(items) else ""


def _messages(state: State, page: list[Message], cursor: str) -> Json:
    shown = []
    for message in page:
        body = message.as_json()
        followers = [m for m in state.workspace.thread(message.channel, message.ts) if m is not message]
        if followers and not message.in_thread:
            body |= {"thread_ts": message.ts, "reply_count": len(followers), "latest_reply": followers[-1].ts}
        shown.append(body)
    return {"messages": shown, "has_more": bool(cursor), "response_metadata": {"next_cursor": cursor}}


def reaction_add(context: Context, arguments: Json) -> Json:
    message, users = _reaction(context, arguments)
    bot = context.state.workspace.bot.id
    if bot in users:
        raise Refusal("already_reacted")
    react(context, bot, message, arguments["name"], added=True)
    return {}


def reaction_remove(context: Context, arguments: Json) -> Json:
    message, users = _reaction(context, arguments)
    bot = context.state.workspace.bot.id
    if bot not in users:
        raise Refusal("no_reaction")
    react(context, bot, message, arguments["name"], added=False)
    return {}


def _reaction(context: Context, arguments: Json) -> tuple[Message, list[str]]:
    name, channel_id, ts = need(arguments, "name", "channel", "timestamp")
    if not name.replace("_", "").replace("-", "").replace("+", "").isalnum():
        raise Refusal("invalid_name")
    channel = context.state.channel(channel_id, member=True)
    message = context.state.workspace.find(channel.id, ts)
    if message is None:
        raise Refusal("message_not_found")
    return message, message.reactions.get(name, [])


def react(context: Context, user: str, message: Message, name: str, *, added: bool) -> None:
    users = message.reactions.setdefault(name, [])
    if added:
        users.append(user)
    else:
        users.remove(user)
        if not users:
            del message.reactions[name]
    event = {
        "type": "reaction_added" if added else "reaction_removed",
        "user": user,
        "reaction": name,
        "item": {"type": "message", "channel": message.channel, "ts": message.ts},
        "item_user": message.user,
        "event_ts": context.state.workspace.ts(context.state.now()),
    }
    context.events.send(event, message.channel)
    context.state.changed()


METHODS = {
    "auth.test": Method(auth_test),
    "apps.connections.open": Method(connections_open, ("connections:write",), kind="app"),
    "team.info": Method(team_info, ("team:read",)),
    "users.info": Method(users_info, ("users:read",)),
    "users.list": Method(users_list, ("users:read",)),
    "bots.info": Method(bots_info, ("users:read",)),
    "usergroups.users.list": Method(group_users, ("usergroups:read",)),
    "conversations.info": Method(conversations_info, by_kind="read"),
    "conversations.list": Method(conversations_list, ("channels:read", "groups:read", "im:read", "mpim:read")),
    "conversations.members": Method(conversations_members, by_kind="read"),
    "conversations.open": Method(conversations_open, by_kind="write"),
    "conversations.history": Method(history, by_kind="history"),
    "conversations.replies": Method(replies, by_kind="history"),
    "reactions.add": Method(reaction_add, ("reactions:write",)),
    "reactions.remove": Method(reaction_remove, ("reactions:write",)),
}
