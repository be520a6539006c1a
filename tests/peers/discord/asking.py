"""Interactions as Discord sends them: with member, channel, permissions, and a token of their own."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from typing import Any

from tests.peers.discord.events import Events
from tests.peers.discord.interactions import Asked, Interaction
from tests.peers.discord.messages import Message
from tests.peers.discord.payloads import channel_json, member_json, message_json, user_json
from tests.peers.discord.state import State
from tests.peers.discord.world import Channel, Kind, User

Json = dict[str, Any]


async def asked(
    state: State,
    events: Events,
    kind: int,
    user: User,
    channel: Channel,
    data: Json,
    *,
    source: Message | None = None,
    user_installed: bool = False,
) -> Interaction:
    """Sends an interaction and waits for its first response, or for the 3 seconds to pass."""
    payload = _payload(state, kind, user, channel, data, user_installed=user_installed)
    interaction = Interaction(
        payload["id"], payload["token"], kind, user.id, channel.id, state.now(), payload, source, user_installed
    )
    if source is not None:
        payload["message"] = message_json(state, source)
    interaction.sent_at = time.monotonic()
    state.interactions.append(interaction)
    if events.interaction(payload):
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(interaction.done.wait(), state.timing.first_response_s)
    if not interaction.acked:
        late = kind in (Asked.COMMAND, Asked.AUTOCOMPLETE)
        interaction.error = "The application did not respond" if late else "This interaction failed"
        interaction.done.set()
        state.changed()
    return interaction


def _payload(state: State, kind: int, user: User, channel: Channel, data: Json, *, user_installed: bool) -> Json:
    world, guild = state.world, state.world.guild_of(channel)
    permissions = str(int(world.allowed(user.id, channel)))
    owners = {"1": user.id} if user_installed else {"0": guild.id if guild else "0"}
    payload: Json = {
        "id": state.minted(),
        "application_id": state.app.id,
        "type": kind,
        "data": data,
        "channel_id": channel.id,
        "channel": channel_json(state, channel) | {"permissions": permissions},
        "token": f"aW50ZXJhY3Rpb24.{secrets.token_urlsafe(24)}",
        "version": 1,
        "app_permissions": str(int(world.allowed(world.bot.id, channel))),
        "locale": "en-US",
        "entitlements": [],
        "authorizing_integration_owners": owners,
        "context": 1 if channel.kind == Kind.DM else 0,
        "attachment_size_limit": 10_485_760,
    }
    if guild is None:
        return payload | {"user": user_json(user)}
    member = member_json(guild, user) | {"permissions": permissions}
    payload |= {"guild_id": guild.id, "guild_locale": "en-US", "member": member}
    return payload | {"guild": {"id": guild.id, "locale": "en-US", "features": []}}
