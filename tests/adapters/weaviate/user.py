"""A Candor process that uses an embedded server, as a program: `python -m tests.adapters.weaviate.user DIRECTORY`.

It prints the ports, then waits for a line on stdin (or its end), and leaves.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from adapters.weaviate.server import embedded_server
from tests.servers.weaviate import CACHE, START_TIMEOUT_S


async def main(directory: Path) -> None:
    async with embedded_server(
        directory, binary=None, cache=CACHE, environment=os.environ, start_timeout_s=START_TIMEOUT_S
    ) as server:
        address = await server
        sys.stdout.write(f"{address.http_port} {address.grpc_port}\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
