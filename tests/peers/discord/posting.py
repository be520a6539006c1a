"""Messages of the app, made and changed: the same checks for channels, threads, webhooks and callbacks."""

from __future__ import annotations

from typing import Any

from tests.peers.discord import limits
from tests.peers.discord.events import Events
from tests.peers.discord.faults import Refusal
from tests.peers.discord.mentions import evaluated, names
from tests.peers.discord.messages import NO_FLAGS, Flag, Message, Sort, Version
from tests.peers.discord.permissions import Permission
from tests.peers.discord.state import State
from tests.peers.discord.world import Channel, Kind

Json = dict[str, Any]

SETTABLE = Flag.SUPPRESS_EMBEDS | Flag.EPHEMERAL | Flag.SUPPRESS_NOTIFICATIONS | Flag.COMPONENTS_V2
NONCE_LIFE_S = 300.0


def check_may_write(state: State, channel: Channel, body: Json) -> None:
    """Raises what Discord answers a bot that may not write a plain message there."""
    if channel.deleted:
        raise Refusal(10003)
    if not state.may(channel, Permission.VIEW_CHANNEL):
        raise Refusal(50001)
    if channel.kind in Kind.POSTS_ONLY:
        raise Refusal(50008)
    if channel.kind == Kind.DM and any(state.world.users[user].dms_closed for user in channel.recipients):
        raise Refusal(50007)
    needed = Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES
    if not state.may(channel, needed):
        raise Refusal(50013)
    if body.get("embeds") and not state.may(channel, Permission.EMBED_LINKS):
        raise Refusal(50013)
    if body.get("message_reference") and not state.may(channel, Permission.READ_MESSAGE_HISTORY):
        raise Refusal(160002)
    if channel.is_thread and channel.locked and not state.may(channel, Permission.MANAGE_THREADS):
        raise Refusal(50083 if channel.archived else 160005)


def earlier(state: State, author: str, channel: str, body: Json) -> Message | None:
    """The message that this very nonce has made already."""
    nonce = body.get("nonce")
    if nonce is None or not body.get("enforce_nonce"):
        return None
    limits.refuse(
        [("nonce", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")] * (len(str(nonce)) > limits.NONCE)
    )
    since = state.now() - NONCE_LIFE_S
    mine = (m for m in state.world.messages if m.author == author and m.channel == channel and m.created_at > since)
    return next((m for m in mine if m.nonce == str(nonce)), None)


def made(state: State, events: Events, message: Message, body: Json, files: dict[str, bytes], by: str) -> Message:
    """Fills `message` from a request, checks it, keeps it and tells of it."""
    message.body, message.files = body, files
    message.created_at = state.now()
    message.nonce = str(body["nonce"]) if body.get("nonce") is not None else None
    message.flags |= Flag(int(body.get("flags") or 0)) & SETTABLE
    if message.only_for is None:
        message.flags &= ~Flag.EPHEMERAL
    reference = body.get("message_reference") or {}
    if reference.get("message_id"):
        message.reference, message.sort = str(reference["message_id"]), Sort.REPLY
        if state.world.find(message.reference) is None and reference.get("fail_if_not_exists", True):
            limits.refuse([("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")])
    _fill(state, message, body, files)
    state.world.messages.append(message)
    noted(state, message, by, body.get("allowed_mentions"))
    events.posted(message)
    return message


def changed(state: State, events: Events, message: Message, body: Json, files: dict[str, bytes], by: str) -> Message:
    """An edit: what the request doesn't name stays; mentions are parsed anew, by default all of them."""
    flags = body.get("flags")
    if flags is not None:
        message.flags = (message.flags & ~Flag.SUPPRESS_EMBEDS) | (Flag(int(flags)) & SETTABLE & ~Flag.EPHEMERAL)
    was_thinking = message.thinking
    message.flags &= ~Flag.LOADING
    try:
        _fill(state, message, body, files)
    except Refusal:
        message.flags |= Flag.LOADING if was_thinking else NO_FLAGS
        raise
    if was_thinking:
        message.created_at = state.now()
    else:
        message.edited_at = state.now()
    noted(state, message, by, body.get("allowed_mentions"))
    events.edited(message)
    return message


def erased(state: State, events: Events, message: Message) -> None:
    message.deleted = True
    events.deleted(message)
    state.changed()


def noted(state: State, message: Message, by: str, allowed: Json | None) -> None:
    """Notes what the message looks like now, and whom that notifies."""
    message.mentions = evaluated(state.world, message, allowed)
    look = (tuple(message.embeds), tuple(message.components), message.flags)
    message.versions.append(Version(state.now(), by, message.content, *look, names(state.world, message)))
    state.changed()


def _fill(state: State, message: Message, body: Json, files: dict[str, bytes]) -> None:
    content = body["content"] or "" if "content" in body else message.content
    embeds = body["embeds"] or [] if "embeds" in body else message.embeds
    components = body["components"] or [] if "components" in body else message.components
    limits.check_message(str(content), embeds, components, message.flags)
    kept = {a["id"]: a for a in message.attachments}
    attachments = list(message.attachments)
    if "attachments" in body:
        attachments = [kept[str(a["id"])] for a in body["attachments"] or [] if str(a["id"]) in kept]
    for name, data in files.items():
        place = {"id": state.minted(), "filename": name, "size": len(data)}
        attachments.append(place | {key: f"{state.base_url}/files/{name}" for key in ("url", "proxy_url")})
    if not (str(content).strip() or embeds or components or attachments):
        raise Refusal(50006)
    message.content, message.embeds, message.components = str(content).strip(), list(embeds), list(components)
    message.attachments, message.files = attachments, message.files | files
