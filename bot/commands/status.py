"""`candor status`: what is indexed, with which models, under which thresholds."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from adapters.console.safe import safe_line
from bot.context import Context
from bot.exits import Exit
from bot.hints import index_it
from config.sections import CHECKOUT
from crag.calibration import load_calibration
from crag.types import Generation
from crag.wording import indexed

JSON_ONLY = ("calibrated_on",)
"""What is too long for a line."""
NOT_OWN = "The thresholds are not calibrated on your questions. Run: candor calibrate QUESTIONS.jsonl"


async def run(context: Context, arguments: Namespace) -> Exit:
    settings, screen = context.settings, context.screen
    calibration = load_calibration(settings.crag.calibration)
    async with context.library() as library:
        live = await library.index.live(settings.tenant)
        embedder = library.embedder.model
        server = library.server
    fits = live is None or live.embedder == embedder
    data: dict[str, object] = {
        "server": server,
        "mode": settings.weaviate.mode,
        "tenant": settings.tenant,
        "generation": live.name if live else None,
        "created": live.created if live else None,
        "documents": live.documents if live else 0,
        "chunks": live.chunks if live else 0,
        "index_embedder": live.embedder if live else None,
        "embedder": embedder,
        "fits": fits,
        "upper": calibration.upper,
        "lower": calibration.lower,
        "calibrated_on": calibration.measured_on,
        "calibrated_at": calibration.date,
        "own_questions": calibration.own,
        "writer": settings.writer.model or settings.writer.kind,
        "grader": settings.grader.llm.model if settings.grader.kind == "llm" else settings.grader.model,
    }
    if screen.json:
        screen.emit("status", data)
    elif arguments.verbose:
        _print(screen.out, {n.replace("_", " "): _shown(value) for n, value in data.items() if n not in JSON_ONLY})
    else:
        _print(screen.out, _short(data, live, own=calibration.own, quotes=not settings.writer.model))
    if live is None:
        screen.say(f"Nothing is indexed yet. {index_it(settings.weaviate.data_directory)}")
    elif not fits:
        screen.say("The index was built with another embedder. Run: candor index PATH --full")
    if not calibration.own:
        screen.say(NOT_OWN)
    elif live and (changed := calibration.drift(live.chunker, live.documents)):
        screen.say(f"{changed} Run: candor calibrate QUESTIONS.jsonl")
    return Exit.OK if live and fits else Exit.FAILED


def _short(data: Mapping[str, object], live: Generation | None, *, own: bool, quotes: bool) -> dict[str, str]:
    """What an admin looks for; all else with --verbose."""
    return {
        "index": f"{indexed(live)}; {live.name}" if live else "nothing yet",
        "built": live.created[:16].replace("T", " ") + " UTC" if live else "",
        "Weaviate": f"{data['mode']}, {safe_line(str(data['server']))}",
        "writer": "none: the documents are quoted" if quotes else safe_line(str(data["writer"])),
        "grader": safe_line(str(data["grader"]).removeprefix(f"{CHECKOUT}/")),
        "thresholds": f"{data['lower']:.2f} and {data['upper']:.2f}, {'from' if own else 'not from'} your questions",
    }


def _print(out: Console, lines: Mapping[str, str]) -> None:
    for name, value in lines.items():
        if value:
            out.print(Text(f"{name:<15}{value}"), soft_wrap=True)


def _shown(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case _:
            return safe_line(str(value))
