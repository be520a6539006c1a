"""People (and other bots) at work in the guild: each method does what a person does in Discord's client, and sends the
app what Discord would send. Channels, people and roles go by name or id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.peers.discord.acting import Acting
from tests.peers.discord.asking import asked
from tests.peers.discord.forms import Value, chosen, element_called, options_of, submitted
from tests.peers.discord.interactions import Asked, Interaction, Modal
from tests.peers.discord.messages import Message
from tests.peers.discord.payloads import member_json, message_json, user_json
from tests.peers.discord.world import Channel, Kind

Json = dict[str, Any]


class Actor(Acting):
    """One person or bot. Messages, edits and reactions return at once; commands, buttons, menus and forms return when
    the app has given its first response, or hasn't within 3 seconds: see Interaction."""

    async def slash(
        self,
        command: str,
        *,
        channel: str | Channel = "",
        permitted: bool = False,
        user_installed: bool = False,
        **options: Any,
    ) -> Interaction:
        """Types `/command` ("candor reindex" for a subcommand); without a channel in the bot's direct messages.
        AssertionError if the app has no such command, if the options don't fit, or if Discord would hide it from this
        person - unless `permitted` in the guild's settings. `user_installed`: the person brought the app along."""
        data, where = self._typed(command, channel, options, permitted)
        return await self._ask(Asked.COMMAND, where, data, user_installed=user_installed)

    async def types(self, command: str, focused: str, *, channel: str | Channel = "", **options: Any) -> Interaction:
        """Is still typing the option `focused`: the app's suggestions are `.choices`."""
        data, where = self._typed(command, channel, options, permitted=True)
        inner = data["options"]
        while inner and "options" in inner[0]:
            inner = inner[0]["options"]
        for option in inner:
            if option["name"] == focused:
                option["focused"] = True
        return await self._ask(Asked.AUTOCOMPLETE, where, data)

    async def message_command(
        self, command: str, message: Message, *, permitted: bool = False, user_installed: bool = False
    ) -> Interaction:
        """Right-clicks a message, Apps, `command`. The app gets the message with its content, whatever its intents."""
        where = self._world.channels[message.channel]
        registered = self._command(command, 3, where, permitted)
        resolved = {"messages": {message.id: message_json(self._state, message)}}
        data = {"target_id": message.id, "options": [], "resolved": resolved}
        return await self._ask(Asked.COMMAND, where, self._naming(registered) | data, user_installed=user_installed)

    async def presses(self, message: Message, button: str) -> Interaction:
        """Presses a button by custom_id or label; on an ephemeral message only the one who sees it can."""
        element = element_called(message, button, menu=False)
        if element.get("url"):
            raise AssertionError(f"{button!r} is a link: Discord tells the app nothing")
        return await self._component(message, {"custom_id": element["custom_id"], "component_type": 2})

    async def selects(self, message: Message, menu: str, *values: str) -> Interaction:
        """Chooses in a menu (by custom_id or placeholder): options by value or label."""
        element = element_called(message, menu, menu=True)
        picked = chosen(element, values, self._world)
        data: Json = {"custom_id": element["custom_id"], "component_type": element["type"], "values": picked}
        if element["type"] == 5:
            data["resolved"] = self._people(picked, self._world.channels[message.channel])
        return await self._component(message, data)

    async def submits(self, modal: Modal, values: Mapping[str, Value] | None = None) -> Interaction:
        """Fills a form in (custom_id -> value) and submits it."""
        if modal.user != self.user.id or not modal.open:
            raise AssertionError("that form isn't open before this person")
        components = submitted(modal, values or {}, self._world)
        modal.open = False
        behind = modal.interaction
        data = {"custom_id": modal.body["custom_id"], "components": components}
        where = self._world.channels[behind.channel]
        return await self._ask(Asked.MODAL, where, data, source=behind.source, user_installed=behind.user_installed)

    async def _component(self, message: Message, data: Json) -> Interaction:
        if message.only_for not in (None, self.user.id):
            raise AssertionError(f"{self.user.name} doesn't see that message")
        where = self._world.channels[message.channel]
        self._may_look(where)
        return await self._ask(Asked.COMPONENT, where, data | {"id": 1}, source=message)

    async def _ask(self, kind: int, where: Channel, data: Json, **how: Any) -> Interaction:
        return await asked(self._state, self._events, kind, self.user, where, data, **how)

    def _typed(
        self, command: str, channel: str | Channel, options: Mapping[str, Any], permitted: bool
    ) -> tuple[Json, Channel]:
        where = self._world.channel(channel) if channel else self._world.dm(self.user.id, self._state.now())
        name, *path = command.split()
        registered = self._command(name, 1, where, permitted)
        found, resolved = options_of(registered, path, options, self._world)
        people = self._people(list(resolved.get("users", ())), where)
        data = self._naming(registered) | {"options": found}
        return data | ({"resolved": people} if resolved else {}), where

    def _command(self, name: str, kind: int, where: Channel, permitted: bool) -> Json:
        self._may_look(where)
        known = [*self._state.commands.get("", []), *self._state.commands.get(where.guild or "-", [])]
        found: Json | None = next((c for c in reversed(known) if (c["name"], c["type"]) == (name, kind)), None)
        if found is None:
            raise AssertionError(f"the app has no command {name!r} here: {[(c['name'], c['type']) for c in known]}")
        contexts = found.get("contexts") or ([0, 1, 2] if found.get("dm_permission", True) else [0])
        if (1 if where.kind == Kind.DM else 0) not in contexts:
            raise AssertionError(f"Discord doesn't show {name!r} there: {contexts=}")
        needed, guild = found.get("default_member_permissions"), self._world.guild_of(where)
        if needed is not None and guild is not None and not permitted:
            granted = int(self._world.allowed(self.user.id, where))
            if int(needed) & ~granted or (int(needed) == 0 and granted != int(guild.allows(guild.owner))):
                raise AssertionError(f"Discord hides {name!r} from {self.user.name}")
        return found

    def _naming(self, command: Json) -> Json:
        named: Json = {"id": command["id"], "name": command["name"], "type": command["type"]}
        return named | ({"guild_id": command["guild_id"]} if "guild_id" in command else {})

    def _people(self, ids: Sequence[str], where: Channel) -> Json:
        people = {user: self._world.users[user] for user in ids}
        found: Json = {"users": {of: user_json(user) for of, user in people.items()}}
        if (guild := self._world.guild_of(where)) is not None:
            found["members"] = {of: member_json(guild, user, with_user=False) for of, user in people.items()}
            for member in found["members"].values():
                member["permissions"] = "0"
        return found
