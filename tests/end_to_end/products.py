"""Candor as an operator runs it: a process of its own, on the shipped models and a folder of documents."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from tests.end_to_end.chats import Chat
from tests.peers.llm import KEY, LanguageModelPeer

CHECKOUT = Path(__file__).resolve().parents[2]
DOCUMENTS = {
    "leave.md": """# Annual leave

## Carrying over

Up to eight unused vacation days move into the next year. They lapse on 30 June.

## How much

Everybody on a full-time contract has 27 days of paid vacation in a calendar year.
""",
    "canteen.md": """# Canteen

<!channel> @everyone The canteen opens at noon on weekdays, see [the menu](https://evil.example/menu).
""",
}


@dataclass
class Product:
    """A running bot. `folder` is its source, `log` what it said on standard error."""

    process: asyncio.subprocess.Process
    chat: Chat
    model: LanguageModelPeer
    folder: Path
    log: Path

    async def command(self, *arguments: str) -> str:
        """What another command prints, beside the running bot."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", *arguments),
            cwd=CHECKOUT,
            env=_foreign() | {"CANDOR_JOURNAL__URL": f"sqlite:///{self.folder.parent}/journal.db"},
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate()
        return out.decode()

    async def ended(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return await asyncio.wait_for(self.process.wait(), 30)


@asynccontextmanager
async def running(command: str, chat: Chat, place: Path, settings: dict[str, str]) -> AsyncIterator[Product]:
    """`candor slack` or `candor discord`, connected; it is killed if it runs at the end. Folder, journal and log
    lie in `place`, also for a second start."""
    folder, log = place / "handbook", place / "log"
    folder.mkdir(exist_ok=True)
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text)
    async with LanguageModelPeer() as model, _served(folder) as url:
        told = _told(place, url, model) | chat.settings | settings
        with log.open("wb") as stderr:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", command),
                cwd=CHECKOUT,
                env=_foreign() | {f"CANDOR_{name}": value for name, value in told.items()},
                stdin=asyncio.subprocess.DEVNULL,
                stderr=stderr,
            )
        try:
            await chat.connected()
            yield Product(process, chat, model, folder, log)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


def _told(place: Path, url: str, model: LanguageModelPeer) -> dict[str, str]:
    return {
        "SERVE__PORT": "0",
        "LOG_LEVEL": "INFO",
        "CHANNELS__DEFAULT__SERVED": "true",
        "LIMITS__PERSON_PER_MINUTE": "100",
        "JOURNAL__URL": f"sqlite:///{place}/journal.db",
        "SOURCES__HANDBOOK__PATH": str(place / "handbook"),
        "SOURCES__HANDBOOK__URL_BASE": url,
        "WRITER__KIND": "openai",
        "WRITER__MODEL": "m",
        "WRITER__BASE_URL": f"{model.address}/v1",
        "WRITER__API_KEY": KEY,
    }


def _foreign() -> dict[str, str]:
    """The environment without Candor's own."""
    return {name: value for name, value in os.environ.items() if not name.upper().startswith("CANDOR_")}


@asynccontextmanager
async def _served(folder: Path) -> AsyncIterator[str]:
    """The documents on the web, where the links of the citations lead."""
    app = web.Application()
    app.router.add_static("/", folder)
    runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()
