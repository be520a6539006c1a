"""Calls on channels and threads: get, start (from a message, without one, as a forum post), archive, lock, delete."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from tests.peers.discord import limits
from tests.peers.discord.events import Events
from tests.peers.discord.faults import Refusal
from tests.peers.discord.messages import Flag, Message, Sort
from tests.peers.discord.payloads import channel_json, message_json, thread_json
from tests.peers.discord.permissions import Permission
from tests.peers.discord.posting import made, noted
from tests.peers.discord.rest import Call, Route
from tests.peers.discord.rest_messages import channel_of, message_of
from tests.peers.discord.state import State
from tests.peers.discord.world import Channel, Kind

Json = dict[str, Any]


def started(
    state: State,
    events: Events,
    parent: Channel,
    owner: str,
    name: str,
    *,
    on: Message | None = None,
    private: bool = False,
    members: Collection[str] = (),
    tags: Sequence[str] = (),
) -> Channel:
    """A new thread. One on a message has its id, marks it, and begins with a system message that points to it; one
    without a message is announced in its parent."""
    kind = Kind.PRIVATE_THREAD if private else Kind.PUBLIC_THREAD
    if parent.kind == Kind.ANNOUNCEMENT:
        kind = Kind.ANNOUNCEMENT_THREAD
    thread = Channel(on.id if on else state.minted(), name, kind, guild=parent.guild, parent=parent.id, owner=owner)
    thread.members, thread.created_at, thread.applied_tags = {owner, *members}, state.now(), list(tags)
    state.world.channels[thread.id] = thread
    if on is not None:
        thread.starter = on.id
        on.flags |= Flag.HAS_THREAD
    events.thread("THREAD_CREATE", thread)
    if on is not None:
        events.edited(on)
        _system(state, events, thread, on.author, Sort.THREAD_STARTER, on.id)
    elif not private and parent.kind not in Kind.POSTS_ONLY:
        _system(state, events, parent, owner, Sort.THREAD_CREATED, None, name)
    return thread


def _system(
    state: State, events: Events, where: Channel, author: str, sort: int, on: str | None, text: str = ""
) -> None:
    message = Message(state.minted(), where.id, author, text, sort=sort, reference=on, created_at=state.now())
    state.world.messages.append(message)
    noted(state, message, "thread", {"parse": []})
    events.posted(message)


def post_started(state: State, events: Events, forum: Channel, owner: str, title: str, tags: list[str]) -> Channel:
    """A forum post's thread; its first message, of the same id, is the caller's to make."""
    return started(state, events, forum, owner, title, tags=tags)


def _get_channel(call: Call) -> Json:
    return channel_json(call.state, channel_of(call))


def _edit_channel(call: Call) -> Json:
    """Of a thread: archived, locked, name, tags. Its owner may archive and rename it; locking takes MANAGE_THREADS."""
    thread = channel_of(call)
    if not thread.is_thread:
        raise Refusal(50013)
    form, bot = call.form, call.state.world.bot.id
    manages = call.state.may(thread, Permission.MANAGE_THREADS)
    if not manages and (thread.owner != bot or "locked" in form or thread.locked):
        raise Refusal(50013)
    if thread.archived and form.get("archived") is not False:
        raise Refusal(50083)
    thread.name = str(form.get("name", thread.name))
    thread.archived, thread.locked = (
        bool(form.get("archived", thread.archived)),
        bool(form.get("locked", thread.locked)),
    )
    thread.applied_tags = [str(tag) for tag in form.get("applied_tags", thread.applied_tags)]
    call.events.thread("THREAD_UPDATE", thread)
    return thread_json(call.state, thread)


def _delete_channel(call: Call) -> Json:
    channel = channel_of(call, Permission.MANAGE_THREADS)
    channel.deleted = True
    call.events.thread("THREAD_DELETE", channel)
    return channel_json(call.state, channel)


def _start_on_message(call: Call) -> Json:
    message = message_of(call, Permission.CREATE_PUBLIC_THREADS)
    parent = call.state.world.channels[message.channel]
    if parent.kind not in (Kind.TEXT, Kind.ANNOUNCEMENT):
        raise Refusal(50024)
    if call.state.world.thread_on(message) is not None:
        raise Refusal(160004)
    bot = call.state.world.bot.id
    return thread_json(call.state, started(call.state, call.events, parent, bot, _name(call.form), on=message))


def _start(call: Call) -> Json:
    parent = channel_of(call)
    if parent.kind in Kind.POSTS_ONLY:
        return _post(call, parent)
    if parent.kind not in (Kind.TEXT, Kind.ANNOUNCEMENT):
        raise Refusal(50024)
    private = call.form.get("type", Kind.PRIVATE_THREAD) == Kind.PRIVATE_THREAD
    kind = Permission.CREATE_PRIVATE_THREADS if private else Permission.CREATE_PUBLIC_THREADS
    channel_of(call, kind)
    bot = call.state.world.bot.id
    return thread_json(call.state, started(call.state, call.events, parent, bot, _name(call.form), private=private))


def _post(call: Call, forum: Channel) -> Json:
    """A forum post. Takes no nonce: sent twice, it is there twice."""
    channel_of(call, Permission.SEND_MESSAGES)
    first = call.form.get("message")
    if not isinstance(first, dict):
        limits.refuse([("message", "BASE_TYPE_REQUIRED", "This field is required")])
    body: Json = dict(first or {})
    limits.check_message(body.get("content") or "", body.get("embeds") or [], body.get("components") or [], Flag(0))
    bot = call.state.world.bot.id
    tags = [str(tag) for tag in call.form.get("applied_tags") or []]
    thread = post_started(call.state, call.events, forum, bot, _name(call.form), tags)
    message = made(call.state, call.events, Message(thread.id, thread.id, bot), body, call.files, call.route.name)
    return thread_json(call.state, thread) | {"message": message_json(call.state, message)}


def _name(form: Json) -> str:
    name = str(form.get("name") or "").strip()
    if not 1 <= len(name) <= 100:
        limits.refuse([("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")])
    return name


def _join(call: Call) -> None:
    channel_of(call).members.add(call.state.world.bot.id)


def _leave(call: Call) -> None:
    channel_of(call).members.discard(call.state.world.bot.id)


def _archived(call: Call) -> Json:
    parent = channel_of(call, Permission.READ_MESSAGE_HISTORY)
    found = [c for c in call.state.world.channels.values() if c.parent == parent.id and c.archived and not c.deleted]
    return {"threads": [thread_json(call.state, thread) for thread in found], "members": [], "has_more": False}


ROUTES = [
    Route("GET", "/channels/{channel}", "get_channel", _get_channel),
    Route("PATCH", "/channels/{channel}", "edit_channel", _edit_channel),
    Route("DELETE", "/channels/{channel}", "delete_channel", _delete_channel),
    Route("POST", "/channels/{channel}/messages/{message}/threads", "start_thread_on_message", _start_on_message),
    Route("POST", "/channels/{channel}/threads", "start_thread", _start),
    Route("PUT", "/channels/{channel}/thread-members/@me", "join_thread", _join),
    Route("DELETE", "/channels/{channel}/thread-members/@me", "leave_thread", _leave),
    Route("GET", "/channels/{channel}/threads/archived/public", "archived_threads", _archived),
]
