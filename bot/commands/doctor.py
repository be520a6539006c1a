"""`candor doctor`: check everything Candor depends on, a line each. Exit code 1 if something fails."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from rich.text import Text

from adapters.console.safe import safe_line
from adapters.console.words import print_line
from bot.context import Context
from bot.doctor import Check, Outcome, checks
from bot.exits import Exit

STYLES = {Outcome.OK: "green", Outcome.WARN: "yellow", Outcome.FAIL: "bold red"}


async def run(context: Context, arguments: Namespace) -> Exit:
    screen = context.screen
    found: list[Check] = []
    async for check in checks(context.wiring(context.settings, screen.say), context.loaded):
        found.append(check)
        if not screen.json:
            text, advice = (screen.hint(safe_line(said)) for said in (check.text, check.advice))
            print_line(screen.out, _line(check, text))
            if advice:
                print_line(screen.out, Text(f"     {advice}"))
    if screen.json:
        screen.emit("doctor", {"checks": [asdict(check) for check in found]})
    return Exit.FAILED if any(check.outcome is Outcome.FAIL for check in found) else Exit.OK


def _line(check: Check, text: str) -> Text:
    return Text.assemble((f"{check.outcome:<4}", STYLES[check.outcome]), f" {check.name}: {text}")
