"""`candor status`: what is indexed, with which models, under which thresholds."""

from __future__ import annotations

from argparse import Namespace

from rich.text import Text

from adapters.console.safe import safe_line
from bot.context import Context
from bot.exits import Exit
from crag.calibration import load_calibration

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
    else:
        for name, value in data.items():
            screen.out.print(Text(f"{name.replace('_', ' '):<15}{_shown(value)}"), soft_wrap=True)
    if live is None:
        screen.say("Nothing is indexed yet. Run: candor index PATH")
    elif not fits:
        screen.say("The index was built with another embedder. Run: candor index PATH --full")
    if not calibration.own:
        screen.say(NOT_OWN)
    elif live and (changed := calibration.drift(live.chunker, live.documents)):
        screen.say(f"{changed} Run: candor calibrate QUESTIONS.jsonl")
    return Exit.OK if live and fits else Exit.FAILED


def _shown(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case _:
            return safe_line(str(value))
