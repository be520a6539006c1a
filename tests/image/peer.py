"""A Discord for the image to be ready in: prints its settings as one line of JSON, and stands until it is ended."""

from __future__ import annotations

import asyncio
import json
import sys

from tests.peers.discord import DiscordPeer, World


async def main() -> None:
    async with DiscordPeer(World.small()) as peer:
        there = {"TOKEN": peer.app.token, "API_URL": peer.api_url, "GATEWAY_URL": peer.gateway_url}
        sys.stdout.write(json.dumps({f"CANDOR_DISCORD__{name}": value for name, value in there.items()}) + "\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
