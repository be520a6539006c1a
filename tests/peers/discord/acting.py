"""What people do without the app's commands: write, edit, react, start and archive threads, come and go."""

from __future__ import annotations

from collections.abc import Sequence

from tests.peers.discord.events import Events
from tests.peers.discord.messages import Message, Sort
from tests.peers.discord.permissions import Permission
from tests.peers.discord.posting import erased, noted
from tests.peers.discord.rest_messages import alive, react
from tests.peers.discord.rest_threads import post_started, started
from tests.peers.discord.state import State
from tests.peers.discord.world import Channel, Kind, User


class Acting:
    """The half of Actor that needs no answer."""

    def __init__(self, state: State, events: Events, user: User) -> None:
        self._state = state
        self._events = events
        self._world = state.world
        self.user = user

    @property
    def id(self) -> str:
        return self.user.id

    async def says(
        self,
        channel: str | Channel,
        text: str,
        *,
        reply_to: Message | None = None,
        pings_author: bool = True,
        webhook: bool = False,
    ) -> Message:
        """Posts. `webhook`: not the person but an integration of the channel, which counts as a bot."""
        where = self._world.channel(channel)
        self._may_write(where)
        message = Message(self._state.minted(), where.id, self.user.id, text, created_at=self._state.now())
        if reply_to is not None:
            message.reference, message.sort = reply_to.id, Sort.REPLY
        if webhook:
            message.webhook_id = self._state.minted()
        parse = {"parse": ["users", "roles", "everyone"], "replied_user": pings_author}
        return self._posted(message, where, parse)

    async def mentions(self, channel: str | Channel, text: str, *, reply_to: Message | None = None) -> Message:
        """Says `@candor text`."""
        return await self.says(channel, f"<@{self._world.bot.id}> {text}", reply_to=reply_to)

    async def dm(self, text: str) -> Message:
        """Writes to the bot in private."""
        return await self.says(self._world.dm(self.user.id, self._state.now()), text)

    async def edits(self, message: Message, text: str) -> None:
        if message.author != self.user.id:
            raise AssertionError("that isn't this person's message")
        message.content, message.edited_at = text, self._state.now()
        noted(self._state, message, "person", None)
        self._events.edited(message)

    async def deletes(self, message: Message) -> None:
        erased(self._state, self._events, message)

    async def reacts(self, message: Message, emoji: str) -> None:
        react(self._state, self._events, self.user.id, message, emoji, added=True)

    async def unreacts(self, message: Message, emoji: str) -> None:
        react(self._state, self._events, self.user.id, message, emoji, added=False)

    async def posts_in_forum(self, channel: str | Channel, title: str, text: str, tags: Sequence[str] = ()) -> Message:
        """A forum post: a thread whose first message, of the same id, is what this gives."""
        forum = self._world.channel(channel)
        if forum.kind not in Kind.POSTS_ONLY:
            raise AssertionError(f"#{forum.name} isn't a forum")
        ids = {name: of for of, name in forum.tags.items()}
        thread = post_started(self._state, self._events, forum, self.user.id, title, [ids[tag] for tag in tags])
        first = Message(thread.id, thread.id, self.user.id, text, created_at=self._state.now())
        return self._posted(first, thread, None)

    async def starts_thread(
        self, where: Message | str | Channel, name: str, *, private: bool = False, members: Sequence[str] = ()
    ) -> Channel:
        """On a message, or in a channel without one. A private one shows to `members` only (names)."""
        on = where if isinstance(where, Message) else None
        parent = self._world.channels[where.channel] if isinstance(where, Message) else self._world.channel(where)
        added = {self._world.user(member).id for member in members}
        return started(self._state, self._events, parent, self.user.id, name, on=on, private=private, members=added)

    async def archives(self, thread: Channel, *, locked: bool = False) -> None:
        """Closes a thread; `locked` as a moderator does."""
        thread.archived, thread.locked = True, locked
        self._events.thread("THREAD_UPDATE", thread)

    async def locks(self, thread: Channel) -> None:
        """Locks a thread without closing it."""
        thread.locked = True
        self._events.thread("THREAD_UPDATE", thread)

    async def reopens(self, thread: Channel) -> None:
        thread.archived = thread.locked = False
        self._events.thread("THREAD_UPDATE", thread)

    async def deletes_channel(self, channel: str | Channel) -> None:
        where = self._world.channel(channel)
        name = "THREAD_DELETE" if where.is_thread else "CHANNEL_DELETE"
        if where.is_thread:
            self._events.thread(name, where)
        else:
            self._events.channel(name, where)
        where.deleted = True
        for message in self._world.in_channel(where.id):
            message.deleted = True

    async def joins(self, guild: str) -> None:
        where = self._world.guilds[guild]
        where.members[self.user.id] = set()
        self._events.member("GUILD_MEMBER_ADD", where, self.user)

    async def leaves(self, guild: str) -> None:
        where = self._world.guilds[guild]
        del where.members[self.user.id]
        self._events.member("GUILD_MEMBER_REMOVE", where, self.user)

    async def gets_role(self, role: str) -> None:
        self._roles(role, given=True)

    async def loses_role(self, role: str) -> None:
        self._roles(role, given=False)

    def _roles(self, name: str, *, given: bool) -> None:
        role = self._world.role(name)
        guild = next(guild for guild in self._world.guilds.values() if role.id in guild.roles)
        roles = guild.members[self.user.id]
        roles.add(role.id) if given else roles.discard(role.id)
        self._events.member("GUILD_MEMBER_UPDATE", guild, self.user)

    def _posted(self, message: Message, where: Channel, parse: dict[str, object] | None) -> Message:
        self._world.messages.append(message)
        noted(self._state, message, "person", parse)
        if where.is_thread:
            where.members.add(self.user.id)
        self._events.posted(message)
        alive(self._state, self._events, where)
        return message

    def _may_look(self, where: Channel) -> None:
        if not self._world.sees(self.user.id, where):
            raise AssertionError(f"{self.user.name} doesn't see #{where.name}")

    def _may_write(self, where: Channel) -> None:
        self._may_look(where)
        manages = Permission.MANAGE_THREADS in self._world.allowed(self.user.id, where)
        if where.deleted or where.kind in Kind.POSTS_ONLY or (where.locked and not manages):
            raise AssertionError(f"{self.user.name} can't write in #{where.name}")
