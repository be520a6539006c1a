"""What happens in the guilds, as the app hears of it: each event to the sessions whose intents and permissions allow
it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.peers.discord.gateway import Gateway, Session
from tests.peers.discord.messages import Message
from tests.peers.discord.payloads import channel_json, guild_json, member_json, message_json, thread_json, user_json
from tests.peers.discord.state import State
from tests.peers.discord.world import Channel, Guild, User

Json = dict[str, Any]


class Events:
    def __init__(self, state: State, gateway: Gateway) -> None:
        self._state = state
        self._gateway = gateway

    def posted(self, message: Message) -> None:
        self._about(message, "MESSAGE_CREATE", "messages", lambda session: self._message(session, message))

    def edited(self, message: Message) -> None:
        self._about(message, "MESSAGE_UPDATE", "messages", lambda session: self._message(session, message))

    def deleted(self, message: Message) -> None:
        self._about(message, "MESSAGE_DELETE", "messages", lambda session: {"id": message.id} | self._place(message))

    def reacted(self, message: Message, user: str, emoji: str, *, added: bool) -> None:
        body: Json = {
            "user_id": user,
            "message_id": message.id,
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
            **self._place(message),
        }
        guild = self._state.world.guild_of(self._state.world.channels[message.channel])
        if added:
            body["message_author_id"] = message.author
            if guild is not None:
                body["member"] = member_json(guild, self._state.world.users[user])
        name = "MESSAGE_REACTION_ADD" if added else "MESSAGE_REACTION_REMOVE"
        self._about(message, name, "reactions", lambda session: body)

    def thread(self, name: str, thread: Channel) -> None:
        """THREAD_CREATE, THREAD_UPDATE or THREAD_DELETE."""
        body = thread_json(self._state, thread)
        if name == "THREAD_CREATE":
            body["newly_created"] = True
        if name == "THREAD_DELETE":
            body = {key: body[key] for key in ("id", "guild_id", "parent_id", "type")}
        self._send(name, thread, "guilds", lambda session: body)

    def channel(self, name: str, channel: Channel) -> None:
        """CHANNEL_CREATE, CHANNEL_UPDATE or CHANNEL_DELETE; bots hear of hidden channels too."""
        self._guild_wide(name, "guilds", channel_json(self._state, channel))

    def member(self, name: str, guild: Guild, user: User) -> None:
        """GUILD_MEMBER_ADD, GUILD_MEMBER_UPDATE or GUILD_MEMBER_REMOVE."""
        body: Json = {"guild_id": guild.id, "user": user_json(user)}
        if name != "GUILD_MEMBER_REMOVE":
            body |= member_json(guild, user)
        self._guild_wide(name, "members", body)

    def guild(self, name: str, guild: Guild) -> None:
        """GUILD_CREATE (the bot joined) or GUILD_DELETE (it was removed)."""
        for session in self._gateway.live:
            joined = name == "GUILD_CREATE"
            body = guild_json(self._state, guild, members=session.has("members")) if joined else {"id": guild.id}
            if session.has("guilds"):
                session.dispatch(name, body)
        self._state.changed()

    def interaction(self, payload: Json) -> bool:
        """Whether there is a session to hear of it, now or when it is resumed. Interactions need no intent."""
        for session in self._gateway.live:
            session.dispatch("INTERACTION_CREATE", payload)
        self._state.changed()
        return bool(self._gateway.live)

    def _about(self, message: Message, name: str, intent: str, body: Callable[[Session], Json]) -> None:
        if message.only_for is not None:
            return
        channel = self._state.world.channels[message.channel]
        self._send(name, channel, intent if channel.guild else f"dm_{intent}", body)

    def _send(self, name: str, channel: Channel, intent: str, body: Callable[[Session], Json]) -> None:
        if self._state.world.sees(self._state.world.bot.id, channel):
            for session in self._gateway.live:
                if session.has(intent):
                    session.dispatch(name, body(session))
        self._state.changed()

    def _guild_wide(self, name: str, intent: str, body: Json) -> None:
        for session in self._gateway.live:
            if session.has(intent):
                session.dispatch(name, body)
        self._state.changed()

    def _place(self, message: Message) -> Json:
        guild = self._state.world.channels[message.channel].guild
        return {"channel_id": message.channel} | ({"guild_id": guild} if guild else {})

    def _message(self, session: Session, message: Message) -> Json:
        """With `guild_id`, and in a guild the author's and the mentioned people's memberships."""
        readable = self._state.reads_content(message, intended=session.has("message_content"))
        body = message_json(self._state, message, readable=readable) | self._place(message)
        guild = self._state.world.guild_of(self._state.world.channels[message.channel])
        if guild is None:
            return body
        users = self._state.world.users
        if message.webhook_id is None:
            body["member"] = member_json(guild, users[message.author], with_user=False)
        for mention in body["mentions"]:
            mention["member"] = member_json(guild, users[mention["id"]], with_user=False)
        return body
