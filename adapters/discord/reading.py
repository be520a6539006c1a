"""What is read out of Discord's messages: the question, who asks it and where, and the conversation before it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import discord

from adapters.discord.escaping import as_written
from adapters.discord.pages import ANSWERS, CUSTOM_ID, Act, Colour
from crag.platform import Person, Place
from crag.types import Turn
from crag.wording import UNKNOWN

PLATFORM = "discord"
HISTORY = 30
"""How many messages of a thread are looked at."""
HISTORY_CHARACTERS = 6000
"""How much of what they say goes along; the newest count."""
WRITTEN = (discord.MessageType.default, discord.MessageType.reply)
"""The types of messages that people write; all others are Discord's own."""

_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_CHANNEL = re.compile(r"<#(\d+)>")
_QUOTED = re.compile(r"^> ?", re.MULTILINE)


def written_by_a_person(message: discord.Message) -> bool:
    """No bot's, no integration's, none of Discord's own, nothing that Discord only shows again."""
    return not message.author.bot and message.webhook_id is None and message.type in WRITTEN


def mentions(message: discord.Message, me: int) -> bool:
    """Whether the text itself names the bot; a mere reply to it doesn't."""
    told = any(user.id == me for user in message.mentions)
    return told and any(int(user) == me for user in _USER.findall(message.content))


def mentions_role(message: discord.Message) -> bool:
    """Whether it names the role that Discord made for the bot, which people pick by mistake."""
    own = message.guild.self_role if message.guild else None
    return own is not None and (own in message.role_mentions or own.mention in message.content)


def question_of(message: discord.Message, me: int) -> str:
    """The text without the bot's own mention, other mentions as names."""
    names = {user.id: user.display_name for user in message.mentions}
    roles = {role.id: role.name for role in message.role_mentions if not (role.tags and role.tags.bot_id == me)}

    def name(match: re.Match[str]) -> str:
        user = int(match.group(1))
        return "" if user == me else f"@{names[user]}" if user in names else match.group()

    text = _ROLE.sub(lambda m: f"@{roles[int(m[1])]}" if int(m[1]) in roles else "", _USER.sub(name, message.content))
    if (guild := message.guild) is not None:
        text = _CHANNEL.sub(lambda m: f"#{c.name}" if (c := guild.get_channel(int(m[1]))) else m[0], text)
    return re.sub(r"[ \t]{2,}", " ", text).strip(" \t\n,:")


def place_of(channel: object, guild: int | None) -> Place:
    """`channel` is whatever discord.py has for it."""
    own = str(getattr(channel, "id", ""))
    if guild is None:
        return Place(PLATFORM, "", own, direct=True)
    if isinstance(channel, discord.Thread):
        return Place(PLATFORM, str(guild), str(channel.parent_id), own)
    return Place(PLATFORM, str(guild), own)


def takes_threads(channel: object) -> bool:
    """Whether a thread can hang on a message there."""
    return isinstance(channel, discord.TextChannel)


def person_of(user: discord.User | discord.Member, *, external: bool | None = False) -> Person:
    """`external` is of no guild that is served; None where nobody can say."""
    roles = user.roles if isinstance(user, discord.Member) else []
    return Person(str(user.id), frozenset(str(role.id) for role in roles if not role.is_default()), False, external)


def turns(messages: Iterable[discord.Message], me: int) -> tuple[Turn, ...]:
    """A conversation, oldest first, of what people and the bot said in it. The bot's placeholders, cards, badges and
    sources are left out, and so are other bots; of "I don't know" it is known that it was said."""
    said = [turn for message in messages for turn in _said(message, me) if turn.text]
    joined: list[Turn] = []
    for turn in said:
        if joined and turn.by_bot and joined[-1].by_bot:
            joined[-1] = replace(joined[-1], text=f"{joined[-1].text}\n{turn.text}")
        else:
            joined.append(turn)
    return tuple(_newest(joined))


def _newest(said: Sequence[Turn]) -> Sequence[Turn]:
    room = HISTORY_CHARACTERS
    for number, turn in enumerate(reversed(said)):
        room -= len(turn.text)
        if room < 0:
            return said[len(said) - number :]
    return said


def _said(message: discord.Message, me: int) -> list[Turn]:
    if message.type is discord.MessageType.thread_starter_message:
        starter = message.reference.resolved if message.reference else None
        return _said(starter, me) if isinstance(starter, discord.Message) else []
    if message.author.id == me:
        answer = "\n".join(e.description or "" for e in message.embeds if e.colour and e.colour.value in ANSWERS)
        asked = _QUOTED.sub("", message.content) if message.content.startswith("> ") else ""
        spoken = "" if asked or message.embeds else message.content
        who = _asked_by_command(message)
        said = Turn(as_written(answer or spoken), by_bot=True)
        if any(embed.title == UNKNOWN for embed in message.embeds):
            said = Turn(UNKNOWN, by_bot=True, unknown=True)
        return [Turn(as_written(asked), author=str(who or "")), said]
    if written_by_a_person(message):
        return [Turn(question_of(message, me), author=str(message.author.id))]
    return []


def is_draft(message: discord.Message, me: int) -> bool:
    """Whether it is a placeholder of the bot's, or an answer that is still being written."""
    embed = message.embeds[0] if message.author.id == me and message.embeds else None
    return embed is not None and embed.colour == discord.Colour(Colour.WORKING) and (embed.title or "").endswith("…")


def is_reply(message: discord.Message) -> bool:
    """Whether it is a reply in its last form, told by the button that each of them has."""
    rows = (row.children for row in message.components if isinstance(row, discord.ActionRow))
    ids = (getattr(item, "custom_id", None) or "" for row in rows for item in row)
    return any(found["act"] == Act.HOW for custom_id in ids if (found := CUSTOM_ID.fullmatch(custom_id)))


def asker_of(messages: Sequence[discord.Message], me: int) -> int | None:
    """Whose question the bot answered last in a thread; `messages` are the newest first."""
    answered = False
    for message in messages:
        if message.author.id == me and message.type is not discord.MessageType.thread_starter_message:
            if (asked := _asked_by_command(message)) is not None:
                return asked
            referred = message.reference.resolved if message.reference else None
            if isinstance(referred, discord.Message) and not referred.author.bot:
                return referred.author.id
            answered = True
        elif answered and message.type is discord.MessageType.thread_starter_message:
            starter = message.reference.resolved if message.reference else None
            asked = _asked_by_command(starter) if isinstance(starter, discord.Message) else None
            return asked if asked is not None else message.author.id
        elif answered and written_by_a_person(message):
            return message.author.id
    return None


def _asked_by_command(message: discord.Message) -> int | None:
    metadata = message.interaction_metadata
    return metadata.user.id if metadata is not None else None
