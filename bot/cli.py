"""The command line: arguments and settings in, an exit code out. Every failure is one sentence, or one JSON object."""

from __future__ import annotations

import asyncio
import importlib
import io
import logging
import os
import sys
import tomllib
from argparse import Namespace
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from bot import logs
from bot.context import Context, Screen, WiringFactory
from bot.exits import Exit
from bot.interrupts import Interrupts
from bot.parser import UsageError, parser, wants_json
from config.errors import InvalidSettings
from config.program import program
from config.sections import CHECKOUT
from config.settings import Settings, load, secrets
from crag.errors import CandorError, SettingsError

if TYPE_CHECKING:
    from bot.app import Wiring

log = logging.getLogger(__name__)
SERVING = ("serve", "slack", "discord")
"""Commands that run until they are stopped: a program reads their log, unless they run in a terminal."""
Command = Callable[[Context, Namespace], Awaitable[Exit]]


def main(arguments: Sequence[str] | None = None, wiring: WiringFactory | None = None) -> int:
    """Run one command. Returns its exit code; `--help`, `--version` and nothing at all raise SystemExit, as argparse
    does."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no ü shows a question mark
    screen = Screen(json=wants_json(given), program=program())
    try:
        code = _run(screen, given, wiring)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = screen.fail(Exit.INTERRUPTED, "interrupted", "Stopped.")
    except BrokenPipeError:
        # The reader went away (`candor ask … | head -1`): nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = Exit.FAILED
    return int(code)


def version() -> str:
    """As pyproject.toml has it."""
    with (CHECKOUT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def _run(screen: Screen, given: list[str], wiring: WiringFactory | None) -> Exit:
    try:
        arguments = parser(version(), screen.program).parse_args(given)
        loaded = load()
    except UsageError as error:
        return screen.fail(Exit.USAGE, "usage", str(error), advice=error.usage.strip())
    except InvalidSettings as error:
        return screen.fail(Exit.USAGE, "settings", str(error), advice="docs/settings.md lists all settings.")
    command: Command = importlib.import_module(f"bot.commands.{arguments.command.replace('-', '_')}").run
    interrupts = Interrupts()
    context = Context(screen, loaded, interrupts, wiring or _real_wiring)
    structured = arguments.command in SERVING and not sys.stderr.isatty()
    with logs.logging_to_stderr(loaded.settings.log_level, structured=structured, secrets=secrets(loaded.settings)):
        screen.log = logs.say if structured else None
        code = asyncio.run(interrupts.run(_guarded(command, context, arguments)))
    screen.log = None
    if code in (Exit.INTERRUPTED, Exit.TERMINATED):
        screen.fail(code, "interrupted", "Stopped.")
    return code


def _real_wiring(settings: Settings, notice: Callable[[str], None]) -> Wiring:
    from bot.app import Wiring

    return Wiring(settings, notice)


async def _guarded(command: Command, context: Context, arguments: Namespace) -> Exit:
    """The command, or the sentence that says why not."""
    try:
        return await command(context, arguments)
    except SettingsError as error:
        context.screen.log = None  # for the person who wrote the settings, as where they can't be read
        return context.screen.fail(Exit.USAGE, "settings", error.message, advice=error.advice)
    except UsageError as error:
        return context.screen.fail(Exit.USAGE, "usage", str(error), advice=error.usage)
    except CandorError as error:
        return context.screen.fail(Exit.FAILED, "service", error.message, advice=error.advice)
    except BrokenPipeError:
        raise
    except Exception as error:
        log.debug("the command failed", exc_info=True)
        advice = "That is a mistake in Candor. CANDOR_LOG_LEVEL=DEBUG shows more."
        return context.screen.fail(Exit.FAILED, "internal", f"{type(error).__name__}: {error}", advice=advice)
