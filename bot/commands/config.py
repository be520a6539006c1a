"""`candor config`: the settings in force, and where they came from; secrets are masked. Without --all only those that
somebody set."""

from __future__ import annotations

from argparse import Namespace

from rich.text import Text

from adapters.console.safe import safe_line
from bot.context import Context
from bot.exits import Exit
from config.names import environment_name
from config.settings import masked

DEFAULT = "default"


async def run(context: Context, arguments: Namespace) -> Exit:
    loaded, screen = context.loaded, context.screen
    rows = [
        (environment_name(path), safe_line(value), safe_line(loaded.origins.get(path, DEFAULT)))
        for path, value in masked(loaded.settings)
    ]
    if screen.json:
        settings = [{"name": name, "value": value, "origin": origin} for name, value, origin in rows]
        screen.emit("config", {"settings": settings, "files": [str(file) for file in loaded.files]})
        return Exit.OK
    chosen = [row for row in rows if arguments.all or row[2] != DEFAULT]
    for name, value, origin in chosen:
        line = Text(f"{name}={value}")
        if origin != DEFAULT:
            line.append(f"  # from {origin}", style="dim")
        screen.out.print(line, soft_wrap=True)
    if left := len(rows) - len(chosen):
        set_ones = f"The other {left} settings have" if chosen else f"Nothing is set: all {left} settings have"
        screen.say(f"{set_ones} their defaults. candor config --all shows them, docs/settings.md explains them.")
    return Exit.OK
