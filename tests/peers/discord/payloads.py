"""The model in Discord's JSON, as the API and the gateway send it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.peers.discord.interactions import Interaction
from tests.peers.discord.messages import Message, Sort
from tests.peers.discord.state import State
from tests.peers.discord.world import Channel, Guild, Kind, Role, User

Json = dict[str, Any]

JOINED = "2024-01-01T00:00:00.000000+00:00"


def time_of(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")


def user_json(user: User) -> Json:
    return {
        "id": user.id,
        "username": user.name,
        "global_name": None if user.bot else user.name.title(),
        "discriminator": "0",
        "avatar": None,
        "bot": user.bot,
        "public_flags": 0,
    }


def member_json(guild: Guild, user: User, *, with_user: bool = True) -> Json:
    member: Json = {
        "roles": sorted(guild.members.get(user.id, ())),
        "nick": None,
        "avatar": None,
        "joined_at": JOINED,
        "premium_since": None,
        "communication_disabled_until": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
    }
    return member | ({"user": user_json(user)} if with_user else {})


def role_json(role: Role, position: int) -> Json:
    body: Json = {
        "id": role.id,
        "name": role.name,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": position,
        "permissions": str(int(role.permissions)),
        "managed": role.bot_id is not None,
        "mentionable": role.mentionable,
        "flags": 0,
    }
    return body | ({"tags": {"bot_id": role.bot_id}} if role.bot_id else {})


def channel_json(state: State, channel: Channel) -> Json:
    if channel.is_thread:
        return thread_json(state, channel)
    last = next((m.id for m in reversed(state.world.in_channel(channel.id))), None)
    body: Json = {"id": channel.id, "type": channel.kind, "last_message_id": last, "flags": 0}
    if channel.kind == Kind.DM:
        return body | {"recipients": [user_json(state.world.users[user]) for user in channel.recipients]}
    body |= {
        "guild_id": channel.guild,
        "name": channel.name,
        "position": 0,
        "topic": None,
        "nsfw": False,
        "parent_id": channel.parent,
        "rate_limit_per_user": 0,
        "permission_overwrites": [
            {"id": of, "type": 0 if of in (state.world.guilds[channel.guild or ""].roles) else 1}
            | {"allow": str(int(allow)), "deny": str(int(deny))}
            for of, (allow, deny) in channel.overwrites.items()
        ],
    }
    if channel.kind in Kind.POSTS_ONLY:
        tags = [{"id": of, "name": name, "moderated": False} for of, name in channel.tags.items()]
        body |= {"available_tags": [tag | {"emoji_id": None, "emoji_name": None} for tag in tags]}
        body |= {"default_reaction_emoji": None, "default_sort_order": None, "default_forum_layout": 0}
    return body


def thread_json(state: State, thread: Channel) -> Json:
    messages = [m for m in state.world.in_channel(thread.id) if not m.deleted and m.only_for is None]
    created = time_of(thread.created_at)
    metadata: Json = {
        "archived": thread.archived,
        "auto_archive_duration": 1440,
        "archive_timestamp": created,
        "locked": thread.locked,
        "create_timestamp": created,
    }
    body: Json = {
        "id": thread.id,
        "type": thread.kind,
        "guild_id": thread.guild,
        "parent_id": thread.parent,
        "owner_id": thread.owner,
        "name": thread.name,
        "last_message_id": messages[-1].id if messages else None,
        "rate_limit_per_user": 0,
        "message_count": len(messages),
        "total_message_sent": len(messages),
        "member_count": len(thread.members),
        "flags": 0,
        "applied_tags": list(thread.applied_tags),
        "thread_metadata": metadata,
    }
    bot = state.world.bot.id
    if bot in thread.members:
        body["member"] = {"id": thread.id, "user_id": bot, "join_timestamp": created, "flags": 0}
    return body


def guild_json(state: State, guild: Guild, *, members: bool) -> Json:
    """GUILD_CREATE. Without the members intent only the bot itself is in `members`."""
    bot = state.world.bot.id
    channels = [c for c in state.world.channels.values() if c.guild == guild.id and not c.deleted]
    people = guild.members if members else [bot]
    return guild_summary(guild) | {
        "joined_at": JOINED,
        "large": False,
        "unavailable": False,
        "member_count": len(guild.members),
        "voice_states": [],
        "members": [member_json(guild, state.world.users[user]) for user in people],
        "channels": [channel_json(state, c) for c in channels if not c.is_thread],
        "threads": [
            thread_json(state, c) for c in channels if c.is_thread and not c.archived and state.world.sees(bot, c)
        ],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def guild_summary(guild: Guild) -> Json:
    return {
        "id": guild.id,
        "name": guild.name,
        "icon": None,
        "owner_id": guild.owner,
        "roles": [role_json(role, position) for position, role in enumerate(guild.roles.values())],
        "emojis": [],
        "stickers": [],
        "features": [],
        "verification_level": 0,
        "default_message_notifications": 1,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "premium_tier": 0,
        "preferred_locale": "en-US",
        "nsfw_level": 0,
        "system_channel_flags": 0,
        "afk_timeout": 300,
    }


def message_json(state: State, message: Message, *, readable: bool = True, nested: bool = True) -> Json:
    """A message; without the right to its content (`readable`) its text, embeds, files and components are empty."""
    world = state.world
    content = {
        "content": message.content,
        "embeds": message.shown_embeds,
        "attachments": message.attachments,
        "components": message.components,
    }
    if not readable:
        content = {"content": "", "embeds": [], "attachments": [], "components": []}
    body: Json = {
        "id": message.id,
        "channel_id": message.channel,
        "type": message.sort,
        "author": author_json(state, message),
        **content,
        "timestamp": time_of(message.created_at),
        "edited_timestamp": time_of(message.edited_at) if message.edited_at else None,
        "tts": False,
        "mention_everyone": message.mentions.everyone,
        "mentions": [user_json(world.users[user]) for user in message.mentions.users],
        "mention_roles": list(message.mentions.roles),
        "pinned": False,
        "flags": int(message.flags),
    }
    optional = {
        "nonce": message.nonce,
        "webhook_id": message.webhook_id,
        "application_id": state.app.id if message.interaction else None,
        "interaction_metadata": message.interaction_metadata,
        "reactions": _reactions(state, message) or None,
    }
    body |= {key: value for key, value in optional.items() if value is not None}
    if message.interaction_metadata and message.interaction_metadata["type"] == 2:
        old = {"id": message.interaction, "type": 2, "name": message.interaction_metadata["name"]}
        body["interaction"] = old | {"user": message.interaction_metadata["user"]}
    if message.reference and nested:
        body |= _reference(state, message)
    if nested and (thread := world.thread_on(message)):
        body["thread"] = thread_json(state, thread)
    return body


def author_json(state: State, message: Message) -> Json:
    if message.webhook_id and message.webhook_id != state.app.id:
        return user_json(User(message.webhook_id, "a webhook", bot=True))
    return user_json(state.world.users[message.author])


def _reference(state: State, message: Message) -> Json:
    original = next((m for m in state.world.messages if m.id == message.reference), None)
    where = state.world.channels[original.channel if original else message.channel]
    reference = {"type": 0, "message_id": message.reference, "channel_id": where.id}
    body: Json = {"message_reference": reference | ({"guild_id": where.guild} if where.guild else {})}
    if original is None or original.deleted:
        return body | {"referenced_message": None}
    seen = state.reads_content(original, intended="message_content" in state.app.privileged)
    return body | {"referenced_message": message_json(state, original, readable=seen, nested=False)}


def _reactions(state: State, message: Message) -> list[Json]:
    bot = state.world.bot.id
    return [
        {"emoji": {"id": None, "name": name}, "count": len(users), "me": bot in users, "me_burst": False}
        | {"count_details": {"burst": 0, "normal": len(users)}, "burst_colors": []}
        for name, users in message.reactions.items()
        if users
    ]


def metadata_json(state: State, interaction: Interaction) -> Json:
    """What a message says of the interaction that it answers."""
    kind = 2 if interaction.kind == 4 else interaction.kind
    body: Json = {
        "id": interaction.id,
        "type": kind,
        "user": user_json(state.world.users[interaction.user]),
        "authorizing_integration_owners": interaction.payload["authorizing_integration_owners"],
        "name": interaction.name,
    }
    if interaction.source is not None and kind == 3:
        body["interacted_message_id"] = interaction.source.id
    return body


def sort_of_answer(interaction: Interaction) -> int:
    if interaction.kind == 2:
        return Sort.CONTEXT_MENU if interaction.payload["data"].get("type") in (2, 3) else Sort.COMMAND
    return Sort.REPLY if interaction.source is not None else Sort.DEFAULT
