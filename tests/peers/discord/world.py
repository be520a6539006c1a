"""The Discord that the peer pretends to be: people, guilds, roles, channels, threads, messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from tests.peers.discord.messages import Message
from tests.peers.discord.permissions import ALL, EVERYONE, IN_DM, NONE, Overwrite, Permission, added_up

Json = dict[str, Any]
Where = Callable[[Message], bool]

GUILD: Final = "900000000000000000"
ELSEWHERE: Final = "900000000000000900"
APP: Final = "900000000000000199"
EPOCH_MS: Final = 1420070400000


class Kind:
    """Discord's channel types."""

    TEXT, DM, VOICE, ANNOUNCEMENT = 0, 1, 2, 5
    ANNOUNCEMENT_THREAD, PUBLIC_THREAD, PRIVATE_THREAD, FORUM, MEDIA = 10, 11, 12, 15, 16
    THREADS = (ANNOUNCEMENT_THREAD, PUBLIC_THREAD, PRIVATE_THREAD)
    POSTS_ONLY = (FORUM, MEDIA)


@dataclass(eq=False)
class User:
    """`dms_closed`: takes no direct messages."""

    id: str
    name: str
    bot: bool = False
    dms_closed: bool = False


@dataclass(eq=False)
class Role:
    """`bot_id`: the role that Discord made for a bot, by whose name people mention it now and then."""

    id: str
    name: str
    permissions: Permission = NONE
    mentionable: bool = False
    bot_id: str | None = None


@dataclass(eq=False)
class Guild:
    id: str
    name: str
    owner: str
    roles: dict[str, Role] = field(default_factory=dict)
    members: dict[str, set[str]] = field(default_factory=dict)  # user -> roles

    def allows(self, user: str) -> Permission:
        """Without regard to a channel."""
        if user == self.owner:
            return ALL
        granted = self.roles[self.id].permissions
        for role in self.members.get(user, ()):
            granted |= self.roles[role].permissions
        return ALL if Permission.ADMINISTRATOR in granted else granted


@dataclass(eq=False)
class Channel:
    """A channel, a direct message (`recipients`) or a thread (`parent`; `starter` is the message it hangs on)."""

    id: str
    name: str
    kind: int = Kind.TEXT
    guild: str | None = GUILD
    parent: str | None = None
    overwrites: dict[str, Overwrite] = field(default_factory=dict)
    recipients: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)  # of a forum: id -> name
    owner: str = ""
    starter: str | None = None
    applied_tags: list[str] = field(default_factory=list)
    members: set[str] = field(default_factory=set)
    archived: bool = False
    locked: bool = False
    created_at: float = 1700000000.0
    deleted: bool = False

    @property
    def is_thread(self) -> bool:
        return self.kind in Kind.THREADS


Named = TypeVar("Named", User, Role, Channel)


@dataclass
class World:
    """Messages and channels are never dropped: what is deleted stays, marked."""

    users: dict[str, User] = field(default_factory=dict)
    guilds: dict[str, Guild] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    bot: User = field(default_factory=lambda: User(APP, "candor", bot=True))
    _last_id: int = 0

    @classmethod
    def small(cls) -> World:
        """Guild `Candor Tests` (ada, ben, carla the administrator, dora with the role candor-admins, otherbot) with the
        channels general, help, random (hidden from the bot), secret (carla, ada and the bot), readonly (the bot may
        not write), news (announcements), ideas (forum); guild `Elsewhere` with ada and its channel lobby."""
        world = cls()
        people = [User(f"9000000000000001{n:02d}", name) for n, name in enumerate(("ada", "ben", "carla", "dora"), 1)]
        for user in (*people, User("900000000000000190", "otherbot", bot=True), world.bot):
            world.users[user.id] = user
        ada, ben, carla, dora, other, bot = world.users
        roles = (
            Role(GUILD, "@everyone", EVERYONE),
            Role("900000000000000301", "admins", Permission.ADMINISTRATOR),
            Role("900000000000000302", "candor-admins"),
            Role("900000000000000303", "helpers", mentionable=True),
            Role("900000000000000304", "candor", EVERYONE | Permission.MENTION_EVERYONE, bot_id=bot),
        )
        members = {ada: set[str](), ben: {roles[3].id}, carla: {roles[1].id}, dora: {roles[2].id}, other: set[str]()}
        guild = Guild(GUILD, "Candor Tests", owner="900000000000000100", roles={role.id: role for role in roles})
        guild.members = members | {bot: {roles[4].id}}
        everyone = Role(ELSEWHERE, "@everyone", EVERYONE)
        elsewhere = Guild(ELSEWHERE, "Elsewhere", owner="900000000000000100", roles={ELSEWHERE: everyone})
        elsewhere.members = {ada: set(), bot: set()}
        world.guilds = {guild.id: guild, elsewhere.id: elsewhere}
        view, send = Permission.VIEW_CHANNEL, Permission.SEND_MESSAGES | Permission.SEND_MESSAGES_IN_THREADS
        private = {GUILD: (NONE, view), ada: (view, NONE), bot: (view, NONE)}
        for channel in (
            Channel("900000000000000201", "general"),
            Channel("900000000000000202", "help"),
            Channel("900000000000000203", "random", overwrites={bot: (NONE, view)}),
            Channel("900000000000000204", "secret", overwrites=private),
            Channel("900000000000000205", "readonly", overwrites={bot: (NONE, send)}),
            Channel("900000000000000206", "news", Kind.ANNOUNCEMENT),
            Channel("900000000000000207", "ideas", Kind.FORUM, tags={"900000000000000401": "question"}),
            Channel("900000000000000208", "lobby", guild=ELSEWHERE),
        ):
            world.channels[channel.id] = channel
        return world

    def minted(self, now: float) -> str:
        """A snowflake: unique, growing, its time in it."""
        self._last_id = max(self._last_id + 1, (int(now * 1000) - EPOCH_MS) << 22)
        return str(self._last_id)

    def user(self, name: str) -> User:
        """By id or name."""
        return self.users.get(name) or _named(self.users.values(), name)

    def channel(self, name: str | Channel) -> Channel:
        """By id or name, threads included."""
        if isinstance(name, Channel):
            return name
        return self.channels.get(name) or _named(self.channels.values(), name)

    def role(self, name: str) -> Role:
        roles = {role.id: role for guild in self.guilds.values() for role in guild.roles.values()}
        return roles.get(name) or _named(roles.values(), name)

    def dm(self, user: str, now: float) -> Channel:
        """The direct messages of the bot and `user`."""
        found = next((c for c in self.channels.values() if c.kind == Kind.DM and user in c.recipients), None)
        if found is None:
            name = f"dm-{self.users[user].name}"
            found = Channel(self.minted(now), name, Kind.DM, guild=None, recipients=[user])
            self.channels[found.id] = found
        return found

    def allowed(self, user: str, channel: Channel) -> Permission:
        """What `user` may do in a channel. A thread goes by its parent; a private one shows to its members only."""
        if channel.kind == Kind.DM:
            return IN_DM if user in (*channel.recipients, self.bot.id) else NONE
        guild = self.guilds[channel.guild or ""]
        if user not in guild.members and user != guild.owner:
            return NONE
        where = self.channels[channel.parent or ""] if channel.is_thread else channel
        roles = [where.overwrites[role] for role in guild.members.get(user, ()) if role in where.overwrites]
        granted = added_up(guild.allows(user), where.overwrites.get(guild.id), roles, where.overwrites.get(user))
        hidden = channel.kind == Kind.PRIVATE_THREAD and user not in channel.members
        return NONE if hidden and Permission.MANAGE_THREADS not in granted else granted

    def sees(self, user: str, channel: Channel) -> bool:
        return Permission.VIEW_CHANNEL in self.allowed(user, channel)

    def in_channel(self, channel: str) -> list[Message]:
        return [m for m in self.messages if m.channel == channel]

    def find(self, message: str | None) -> Message | None:
        return next((m for m in self.messages if m.id == message and not m.deleted), None)

    def thread_on(self, message: Message) -> Channel | None:
        return next((c for c in self.channels.values() if c.starter == message.id and not c.deleted), None)

    def guild_of(self, channel: Channel) -> Guild | None:
        return self.guilds.get(channel.guild or "")


def _named(found: Iterable[Named], name: str) -> Named:
    items = list(found)
    for item in items:
        if item.name == name and not getattr(item, "deleted", False):
            return item
    raise AssertionError(f"nothing called {name!r}; there are {[item.name for item in items]}")
