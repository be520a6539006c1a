"""A bot in a process of its own, pointed at the peer."""

from __future__ import annotations

import asyncio
import sys

from tests.peers.discord import DiscordPeer

BOT = """
import sys, warnings
warnings.simplefilter("ignore")
import discord, yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = sys.argv[1], yarl.URL(sys.argv[2])
client = discord.Client(intents=discord.Intents.default(), allowed_mentions=discord.AllowedMentions.none())

@client.event
async def on_message(message):
    if client.user in message.mentions and not message.author.bot:
        thread = await message.create_thread(name="Answer")
        await thread.send("@everyone 30 days")

client.run(sys.argv[3], log_handler=None)
"""


async def test_a_bot_of_its_own_process_answers_in_a_thread() -> None:
    async with DiscordPeer() as peer:
        arguments = ("-c", BOT, peer.api_url, peer.gateway_url, peer.app.token)
        process = await asyncio.create_subprocess_exec(sys.executable, *arguments)
        try:
            await peer.connected(within_s=20)
            question = await peer.user("ada").mentions("general", "how many days off?")
            thread = await peer.thread(question)
            answer = await peer.message(thread)
            assert (answer.content, answer.pings) == ("@everyone 30 days", [])
        finally:
            process.kill()
            await process.wait()
