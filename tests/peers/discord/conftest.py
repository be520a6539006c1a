"""A peer, and a small discord.py client on it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import discord
import pytest
import yarl
from discord import app_commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.peers.discord import DiscordPeer, Timing

Intents = discord.Intents
Pressed = discord.Interaction[Any]


class Bot(discord.Client):
    """Notes what it hears, by event name."""

    def __init__(self, intents: Intents, **options: Any) -> None:
        super().__init__(intents=intents, guild_ready_timeout=0.02, **options)
        self.tree = app_commands.CommandTree(self)
        self.heard: list[tuple[str, Any]] = []

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        self.heard.append((event, args))
        super().dispatch(event, *args, **kwargs)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Without discord.py's pause of 5 s."""

    def named(self, event: str) -> list[Any]:
        return [args[0] if args else None for name, args in self.heard if name == event]


@pytest.fixture
async def peer(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DiscordPeer]:
    async with DiscordPeer(timing=Timing(first_response_s=0.4)) as made:
        point(monkeypatch, made)
        yield made


def point(monkeypatch: pytest.MonkeyPatch, peer: DiscordPeer) -> None:
    monkeypatch.setattr(Route, "BASE", peer.api_url)
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(peer.gateway_url))


@asynccontextmanager
async def running(peer: DiscordPeer, *, intents: Intents | None = None, **options: Any) -> AsyncIterator[Bot]:
    """A bot that is connected. What its connect() raised comes out at the end, if nobody took it."""
    bot = Bot(intents or Intents.default(), **options)
    await bot.login(peer.app.token)
    task = asyncio.create_task(bot.connect())
    try:
        await peer.connected()
        await bot.wait_until_ready()
        yield bot
    finally:
        await bot.close()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait_for(task, 5)


@pytest.fixture
async def bot(peer: DiscordPeer) -> AsyncIterator[Bot]:
    async with running(peer) as made:
        yield made


async def heard(peer: DiscordPeer, bot: Bot, event: str, count: int = 1) -> list[Any]:
    await peer.until(lambda: True if len(bot.named(event)) >= count else None, 3, f"{count} {event} not heard")
    return bot.named(event)


def place(peer: DiscordPeer, bot: Bot, name: str = "general") -> Any:
    found = bot.get_channel(int(peer.channel(name).id))
    assert found is not None
    return found


async def refused(call: Awaitable[Any]) -> discord.HTTPException:
    with pytest.raises(discord.HTTPException) as raised:
        await call
    return raised.value


def command(bot: Bot, name: str, callback: Any, **how: Any) -> None:
    made: discord.app_commands.Command[Any, ..., Any] = discord.app_commands.Command(
        name=name, description=f"The {name} command", callback=callback
    )
    for key, value in how.items():
        setattr(made, key, value)
    bot.tree.add_command(made)


async def synced(bot: Bot, name: str, callback: Any, **how: Any) -> None:
    command(bot, name, callback, **how)
    await bot.tree.sync()
