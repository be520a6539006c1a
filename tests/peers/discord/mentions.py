"""Whom a text notifies, once allowed_mentions and permissions have had their say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.peers.discord.messages import Mentions, Message
from tests.peers.discord.permissions import Permission
from tests.peers.discord.world import Channel, World

Json = dict[str, Any]

_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_ALL = re.compile(r"@(everyone|here)\b")


def evaluated(world: World, message: Message, allowed: Json | None) -> Mentions:
    """The mentions of a message. Nothing said means that everything is parsed, also in an edit. Only text notifies,
    never an embed; text in code counts too (stricter than Discord's clients show it). An ephemeral message notifies
    nobody."""
    if message.ephemeral:
        return Mentions()
    channel, text = world.channels[message.channel], _text(message)
    default: Json = {"parse": ["users", "roles", "everyone"], "replied_user": True}
    rules = default if allowed is None else allowed
    parse = rules.get("parse") or []
    mass = channel.guild is None or Permission.MENTION_EVERYONE in world.allowed(message.author, channel)
    everyone = mass and "everyone" in parse and channel.guild is not None and bool(_ALL.search(text))
    users = [u for u in _USER.findall(text) if u in world.users and ("users" in parse or u in _ids(rules, "users"))]
    replied = world.find(message.reference)
    if replied is not None and rules.get("replied_user"):
        users.append(replied.author)
    roles = [r for r in _roles(world, channel, text, mass) if "roles" in parse or r in _ids(rules, "roles")]
    return Mentions(tuple(dict.fromkeys(users)), tuple(dict.fromkeys(roles)), everyone)


def names(world: World, message: Message) -> tuple[str, ...]:
    """A message's mentions as a test reads them: `@everyone`, `@here`, `@ada`, `@&helpers`; without its author."""
    found = [f"@{word}" for word in _ALL.findall(_text(message))] if message.mentions.everyone else []
    found += [f"@{world.users[user].name}" for user in message.mentions.users if user != message.author]
    found += [f"@&{world.role(role).name}" for role in message.mentions.roles]
    return tuple(dict.fromkeys(found))


def _roles(world: World, channel: Channel, text: str, mass: bool) -> Iterator[str]:
    guild = world.guild_of(channel)
    for role in _ROLE.findall(text) if guild else ():
        if guild is not None and role in guild.roles and (mass or guild.roles[role].mentionable):
            yield role


def _ids(rules: Json, kind: str) -> list[str]:
    return [str(item) for item in rules.get(kind) or []]


def _text(message: Message) -> str:
    return "\n".join([message.content, *_displayed(message.components)])


def _displayed(components: list[Json]) -> Iterator[str]:
    for component in components:
        if component.get("type") == 10:
            yield str(component.get("content", ""))
        yield from _displayed(component.get("components") or [])
