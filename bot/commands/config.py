"""`candor config`: every setting in force, and where it came from; secrets are masked."""

from __future__ import annotations

from argparse import Namespace

from rich.text import Text

from adapters.console.safe import safe_line
from bot.context import Context
from bot.exits import Exit
from config.names import environment_name
from config.settings import masked


async def run(context: Context, arguments: Namespace) -> Exit:
    loaded, screen = context.loaded, context.screen
    rows = [
        (environment_name(path), safe_line(value), safe_line(loaded.origins.get(path, "default")))
        for path, value in masked(loaded.settings)
    ]
    if screen.json:
        settings = [{"name": name, "value": value, "origin": origin} for name, value, origin in rows]
        screen.emit("config", {"settings": settings, "files": [str(file) for file in loaded.files]})
        return Exit.OK
    for name, value, origin in rows:
        line = Text(f"{name}={value}")
        if origin != "default":
            line.append(f"  # from {origin}", style="dim")
        screen.out.print(line, soft_wrap=True)
    return Exit.OK
