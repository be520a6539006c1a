"""The workspace that the peer pretends to be: people, channels, messages and everything an app did to them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.peers.slack.rendering import pings, rendered

Json = dict[str, Any]

TEAM = "T0CANDOR"
OTHER_TEAM = "T0OTHER"


@dataclass
class User:
    """`restricted` is a multi-channel guest, `ultra_restricted` a guest of one channel; `team` differs for a person who
    comes in through Slack Connect; `bot_id` is set for the user behind an app."""

    id: str
    name: str
    team: str = TEAM
    restricted: bool = False
    ultra_restricted: bool = False
    admin: bool = False
    bot_id: str | None = None
    app_id: str | None = None
    deleted: bool = False

    def as_json(self) -> Json:
        return {
            "id": self.id,
            "team_id": self.team,
            "name": self.name,
            "real_name": self.name.title(),
            "deleted": self.deleted,
            "tz": "Europe/Berlin",
            "profile": {"display_name": self.name, "real_name": self.name.title(), "team": self.team},
            "is_admin": self.admin,
            "is_owner": False,
            "is_restricted": self.restricted or self.ultra_restricted,
            "is_ultra_restricted": self.ultra_restricted,
            "is_bot": self.bot_id is not None,
            "is_stranger": self.team != TEAM,
            "is_app_user": False,
            "updated": 1700000000,
        }


@dataclass
class Channel:
    id: str
    name: str
    members: set[str] = field(default_factory=set)
    kind: str = "channel"  # Slack's channel_type: channel, group, im, mpim
    archived: bool = False
    ext_shared: bool = False

    def as_json(self, *, member: bool) -> Json:
        common = {
            "id": self.id,
            "created": 1700000000,
            "is_archived": self.archived,
            "is_im": self.kind == "im",
            "is_org_shared": False,
            "context_team_id": TEAM,
        }
        if self.kind == "im":
            return common | {"user": next(iter(self.members), ""), "is_user_deleted": False, "priority": 0}
        return common | {
            "name": self.name,
            "name_normalized": self.name,
            "is_channel": self.kind == "channel",
            "is_group": self.kind == "group",
            "is_mpim": self.kind == "mpim",
            "is_private": self.kind != "channel",
            "is_general": False,
            "is_member": member,
            "is_shared": self.ext_shared,
            "is_ext_shared": self.ext_shared,
            "is_pending_ext_shared": False,
            "shared_team_ids": [TEAM, OTHER_TEAM] if self.ext_shared else [TEAM],
            "internal_team_ids": [TEAM],
            "connected_team_ids": [OTHER_TEAM] if self.ext_shared else [],
            "topic": {"value": "", "creator": "", "last_set": 0},
            "purpose": {"value": "", "creator": "", "last_set": 0},
        }


@dataclass(frozen=True)
class Version:
    """What a message looked like from `at` (peer time, seconds) on; `by` is the call that made it so."""

    at: float
    by: str
    text: str
    blocks: tuple[Json, ...] = ()

    @property
    def rendering(self) -> str:
        return rendered(self.text, self.blocks)


@dataclass(eq=False)
class Message:
    """A message, with every version of it. `streaming` is true between chat.startStream and its end or expiry."""

    channel: str
    ts: str
    user: str
    text: str
    blocks: list[Json] = field(default_factory=list)
    thread_ts: str | None = None
    bot_id: str | None = None
    app_id: str | None = None
    subtype: str | None = None
    team: str = TEAM
    edited: Json | None = None
    attachments: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    arguments: Json = field(default_factory=dict)
    broadcast: bool = False
    deleted: bool = False
    streaming: bool = False
    versions: list[Version] = field(default_factory=list)

    @property
    def rendering(self) -> str:
        return rendered(self.text, self.blocks)

    @property
    def root(self) -> str:
        """The ts of the thread that a reply to this message belongs to."""
        return self.thread_ts or self.ts

    @property
    def in_thread(self) -> bool:
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def pings(self) -> list[str]:
        """Whom this message notifies: `!channel`, `@U0ADA`, ..."""
        loose = self.arguments.get("parse") == "full" or bool(self.arguments.get("link_names"))
        return pings(self.text, self.blocks, loose=loose)

    @property
    def actions(self) -> list[Json]:
        """The buttons and menus of the message, in reading order."""
        return [element for element, _ in elements_of(self.blocks)]

    def changed(self, at: float, by: str) -> None:
        self.versions.append(Version(at, by, self.text, tuple(self.blocks)))

    def as_json(self) -> Json:
        body: Json = {"type": "message", "user": self.user, "text": self.text, "ts": self.ts, "team": self.team}
        optional = {
            "subtype": self.subtype,
            "thread_ts": self.thread_ts,
            "bot_id": self.bot_id,
            "app_id": self.app_id,
            "blocks": self.blocks or None,
            "attachments": self.attachments or None,
            "edited": self.edited,
            "metadata": self.metadata,
        }
        body |= {key: value for key, value in optional.items() if value is not None}
        if self.bot_id:
            body["bot_profile"] = {"id": self.bot_id, "app_id": self.app_id, "team_id": self.team, "deleted": False}
        if self.reactions:
            body["reactions"] = [
                {"name": name, "users": users, "count": len(users)} for name, users in self.reactions.items()
            ]
        return body


def elements_of(blocks: list[Json]) -> Iterator[tuple[Json, str]]:
    """The interactive elements of blocks, each with its block's id."""
    for block in blocks:
        candidates = list(block.get("elements") or []) + list(block.get("actions") or [])
        candidates += [block[key] for key in ("accessory", "element") if isinstance(block.get(key), dict)]
        for element in candidates:
            if isinstance(element, dict) and "action_id" in element:
                yield element, str(block.get("block_id", ""))
        for key in ("child_blocks", "elements"):
            nested = [b for b in block.get(key) or [] if isinstance(b, dict) and b.get("type") in ("card", "actions")]
            yield from elements_of(nested)


@dataclass
class Workspace:
    """Messages are never dropped: a deleted one stays, marked. `minted` makes ids and timestamps unique."""

    team: str = TEAM
    name: str = "Candor Tests"
    users: dict[str, User] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    groups: dict[str, set[str]] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    bot: User = field(default_factory=lambda: User("U0CANDOR", "candor", bot_id="B0CANDOR", app_id="A0CANDOR"))
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _last_ts: float = 0.0

    @classmethod
    def small(cls) -> Workspace:
        """A team of three, two guests, an outsider, another bot; the bot under test is in every channel but
        #random."""
        space = cls()
        for user in (
            User("U0ADA", "ada"),
            User("U0BEN", "ben"),
            User("U0CARLA", "carla", admin=True),
            User("U0GUEST", "gustav", restricted=True),
            User("U0VISIT", "vera", ultra_restricted=True),
            User("U0ALIEN", "alan", team=OTHER_TEAM),
            User("U0OTHERBOT", "otherbot", bot_id="B0OTHER", app_id="A0OTHER"),
            space.bot,
        ):
            space.users[user.id] = user
        everyone = set(space.users) - {"U0ALIEN"}
        for channel in (
            Channel("C0GENERAL", "general", set(everyone)),
            Channel("C0HELP", "help", set(everyone)),
            Channel("C0RANDOM", "random", everyone - {space.bot.id}),
            Channel("C0SECRET", "secret", {"U0ADA", "U0CARLA", space.bot.id}, kind="group"),
            Channel("C0SHARED", "shared", {*everyone, "U0ALIEN"}, ext_shared=True),
            Channel("C0OLD", "old", set(everyone), archived=True),
        ):
            space.channels[channel.id] = channel
        space.groups["S0ADMINS"] = {"U0CARLA"}
        return space

    def minted(self, prefix: str) -> str:
        return f"{prefix}{next(self._ids):010d}"

    def ts(self, now: float) -> str:
        """A timestamp as Slack makes them: unique in the workspace, growing."""
        self._last_ts = max(now, self._last_ts + 0.000001)
        return f"{self._last_ts:.6f}"

    def find(self, channel: str, ts: str) -> Message | None:
        return next((m for m in self.in_channel(channel) if m.ts == ts and not m.deleted), None)

    def in_channel(self, channel: str) -> list[Message]:
        return [m for m in self.messages if m.channel == channel]

    def thread(self, channel: str, ts: str) -> list[Message]:
        """The living messages of a thread, its parent first."""
        return [m for m in self.in_channel(channel) if not m.deleted and ts in (m.ts, m.thread_ts)]

    def dm(self, user: str) -> Channel:
        """The direct-message channel of the bot and `user`."""
        found = next((c for c in self.channels.values() if c.kind == "im" and user in c.members), None)
        if found is None:
            found = Channel(f"D{user[1:]}", "directmessage", {user}, kind="im")
            self.channels[found.id] = found
        return found

    def user_by_bot(self, bot_id: str) -> User | None:
        return next((u for u in self.users.values() if u.bot_id == bot_id), None)

    def has_bot(self, channel: Channel) -> bool:
        return channel.kind == "im" or self.bot.id in channel.members


Where = Callable[[Message], bool]
