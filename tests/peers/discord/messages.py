"""A message with everything an app or a person did to it, and whom it notified."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.peers.discord.rendering import rendered

Json = dict[str, Any]

_LINK = re.compile(r"(?<!<)https?://[^\s<>)\]]+")


class Flag(enum.IntFlag):
    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    COMPONENTS_V2 = 1 << 15


NO_FLAGS = Flag(0)


class Sort:
    """Discord's message types."""

    DEFAULT, THREAD_CREATED, REPLY, COMMAND, THREAD_STARTER, CONTEXT_MENU, MEMBER_JOIN = 0, 18, 19, 20, 21, 23, 7
    WRITTEN = (DEFAULT, REPLY, COMMAND, CONTEXT_MENU)


@dataclass(frozen=True)
class Mentions:
    """Whom a message notifies, by id."""

    users: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    everyone: bool = False


@dataclass(frozen=True)
class Version:
    """What a message looked like from `at` (peer time, seconds) on; `by` is the call that made it so. `pings` are those
    whom this very version notified."""

    at: float
    by: str
    content: str
    embeds: tuple[Json, ...] = ()
    components: tuple[Json, ...] = ()
    flags: Flag = NO_FLAGS
    pings: tuple[str, ...] = ()

    @property
    def rendering(self) -> str:
        embeds = () if Flag.SUPPRESS_EMBEDS in self.flags else self.embeds
        return rendered(self.content, embeds, self.components, thinking=Flag.LOADING in self.flags)


@dataclass(eq=False)
class Message:
    """`only_for`: an ephemeral message, and who sees it. `interaction`: the id of the one it answers. `body` is the
    request that made it. `previews` are link previews that Discord added."""

    id: str
    channel: str
    author: str
    content: str = ""
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    flags: Flag = NO_FLAGS
    sort: int = Sort.DEFAULT
    reference: str | None = None
    only_for: str | None = None
    interaction: str | None = None
    interaction_metadata: Json | None = None
    webhook_id: str | None = None
    nonce: str | None = None
    attachments: list[Json] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    reactions: dict[str, list[str]] = field(default_factory=dict)
    mentions: Mentions = field(default_factory=Mentions)
    previews: list[Json] = field(default_factory=list)
    body: Json = field(default_factory=dict)
    created_at: float = 0.0
    edited_at: float | None = None
    deleted: bool = False
    versions: list[Version] = field(default_factory=list)

    @property
    def rendering(self) -> str:
        return rendered(self.content, self.shown_embeds, self.components, thinking=self.thinking)

    @property
    def shown_embeds(self) -> list[Json]:
        """Its own embeds and link previews; with SUPPRESS_EMBEDS Discord shows neither."""
        return [] if Flag.SUPPRESS_EMBEDS in self.flags else [*self.embeds, *self.previews]

    @property
    def ephemeral(self) -> bool:
        return Flag.EPHEMERAL in self.flags

    @property
    def thinking(self) -> bool:
        """Deferred: Discord shows "candor is thinking..."."""
        return Flag.LOADING in self.flags

    @property
    def pings(self) -> list[str]:
        """Whom this message notified, edits included: `@everyone`, `@here`, `@ada`, `@&helpers`."""
        return list(dict.fromkeys(name for version in self.versions for name in version.pings))

    @property
    def links(self) -> list[str]:
        """The links of the text that Discord would show a preview of."""
        return [] if Flag.SUPPRESS_EMBEDS in self.flags else _LINK.findall(self.content)

    @property
    def actions(self) -> list[Json]:
        """The buttons and menus, in reading order."""
        return list(elements_of(self.components))


def elements_of(components: Sequence[Json]) -> Iterator[Json]:
    """The interactive elements of components, in reading order."""
    for component in components:
        if component.get("type") in (2, 3, 4, 5, 6, 7, 8, 19, 21, 22, 23):
            yield component
        yield from elements_of(component.get("components") or [])
        for key in ("accessory", "component"):
            if isinstance(component.get(key), dict):
                yield from elements_of([component[key]])
