"""Calls on messages: create, get, edit, delete, history, reactions, typing."""

from __future__ import annotations

from typing import Any

from tests.peers.discord.events import Events
from tests.peers.discord.faults import Refusal
from tests.peers.discord.messages import Message, Sort
from tests.peers.discord.payloads import message_json, user_json
from tests.peers.discord.permissions import Permission
from tests.peers.discord.posting import changed, check_may_write, earlier, erased, made
from tests.peers.discord.rest import Call, Route
from tests.peers.discord.state import State, Typing
from tests.peers.discord.world import Channel

Json = dict[str, Any]


def channel_of(call: Call, *needed: Permission) -> Channel:
    """The channel of a call, where the bot may look and has what is `needed`."""
    channel = call.state.world.channels.get(call.args["channel"])
    if channel is None or channel.deleted:
        raise Refusal(10003)
    if not call.state.may(channel, Permission.VIEW_CHANNEL):
        raise Refusal(50001)
    if not call.state.may(channel, *needed):
        raise Refusal(50013)
    return channel


def message_of(call: Call, *needed: Permission) -> Message:
    """The message of a call; an ephemeral one isn't there for these calls."""
    channel = channel_of(call, *needed)
    message = call.state.world.find(call.args["message"])
    if message is None or message.channel != channel.id or message.only_for is not None:
        raise Refusal(10008)
    return message


def seen(call: Call, message: Message) -> Json:
    """A message as the bot may read it: MESSAGE_CONTENT holds for the REST API too."""
    intended = "message_content" in call.state.app.privileged
    return message_json(call.state, message, readable=call.state.reads_content(message, intended=intended))


def alive(state: State, events: Events, channel: Channel) -> None:
    """A message in an archived thread takes it out of the archive."""
    if channel.archived:
        channel.archived = False
        events.thread("THREAD_UPDATE", channel)


def _create(call: Call) -> Json:
    channel = call.state.world.channels.get(call.args["channel"])
    if channel is None:
        raise Refusal(10003)
    check_may_write(call.state, channel, call.form)
    bot = call.state.world.bot.id
    message = earlier(call.state, bot, channel.id, call.form)
    if message is None:
        new = Message(call.state.minted(), channel.id, bot)
        message = made(call.state, call.events, new, call.form, call.files, call.route.name)
        alive(call.state, call.events, channel)
    return message_json(call.state, message)


def _get(call: Call) -> Json:
    return seen(call, message_of(call, Permission.READ_MESSAGE_HISTORY))


def _history(call: Call) -> list[Json]:
    """Newest first. Without READ_MESSAGE_HISTORY there is nothing to see, but no error either."""
    channel = channel_of(call)
    if not call.state.may(channel, Permission.READ_MESSAGE_HISTORY):
        return []
    there = [m for m in call.state.world.in_channel(channel.id) if not m.deleted and m.only_for is None]
    there.sort(key=lambda message: int(message.id))
    limit = int(call.query.get("limit", 50))
    if not 1 <= limit <= 100:
        raise Refusal(50035)
    if before := call.query.get("before"):
        there = [m for m in there if int(m.id) < int(before)][-limit:]
    elif after := call.query.get("after"):
        there = [m for m in there if int(m.id) > int(after)][:limit]
    elif around := call.query.get("around"):
        before_it = [m for m in there if int(m.id) < int(around)]
        first = max(0, len(before_it) - limit // 2)
        there = there[first : first + limit]
    return [seen(call, message) for message in reversed(there[-limit:])]


def _edit(call: Call) -> Json:
    message = message_of(call)
    if message.author != call.state.world.bot.id:
        raise Refusal(50005)
    if message.sort not in Sort.WRITTEN:
        raise Refusal(50021)
    if call.state.world.channels[message.channel].archived:
        raise Refusal(50083)
    return message_json(call.state, changed(call.state, call.events, message, call.form, call.files, call.route.name))


def _delete(call: Call) -> None:
    message = message_of(call)
    channel = call.state.world.channels[message.channel]
    if message.author != call.state.world.bot.id and not call.state.may(channel, Permission.MANAGE_MESSAGES):
        raise Refusal(50013 if channel.guild else 50003)
    if channel.archived:
        raise Refusal(50083)
    erased(call.state, call.events, message)


def _typing(call: Call) -> None:
    check_may_write(call.state, channel_of(call), {})
    call.state.typings.append(Typing(call.args["channel"], call.at))


def react(state: State, events: Events, user: str, message: Message, emoji: str, *, added: bool) -> None:
    users = message.reactions.setdefault(emoji, [])
    if added == (user in users):
        return
    if added:
        users.append(user)
    else:
        users.remove(user)
    events.reacted(message, user, emoji, added=added)


def _react(call: Call) -> None:
    message = message_of(call, Permission.READ_MESSAGE_HISTORY)
    channel, emoji = call.state.world.channels[message.channel], call.args["emoji"]
    if channel.archived:
        raise Refusal(50083)
    if emoji.isascii() and ":" not in emoji:
        raise Refusal(10014)
    if not message.reactions.get(emoji) and not call.state.may(channel, Permission.ADD_REACTIONS):
        raise Refusal(50013)
    react(call.state, call.events, call.state.world.bot.id, message, emoji, added=True)


def _unreact(call: Call) -> None:
    user = call.args.get("user", call.state.world.bot.id)
    needed = () if user == call.state.world.bot.id else (Permission.MANAGE_MESSAGES,)
    react(call.state, call.events, user, message_of(call, *needed), call.args["emoji"], added=False)


def _reactors(call: Call) -> list[Json]:
    users = message_of(call).reactions.get(call.args["emoji"], [])
    return [user_json(call.state.world.users[user]) for user in users]


_ONE = "/channels/{channel}/messages/{message}"
_EMOJI = _ONE + "/reactions/{emoji}"

ROUTES = [
    Route("POST", "/channels/{channel}/messages", "create_message", _create),
    Route("GET", "/channels/{channel}/messages", "get_messages", _history),
    Route("GET", _ONE, "get_message", _get),
    Route("PATCH", _ONE, "edit_message", _edit),
    Route("DELETE", _ONE, "delete_message", _delete),
    Route("POST", "/channels/{channel}/typing", "typing", _typing),
    Route("PUT", _EMOJI + "/@me", "add_reaction", _react),
    Route("DELETE", _EMOJI + "/@me", "remove_reaction", _unreact),
    Route("DELETE", _EMOJI + "/{user}", "remove_reaction_of", _unreact),
    Route("GET", _EMOJI, "get_reactions", _reactors),
]
