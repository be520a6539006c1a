"""The product on a corpus: the same wiring as the command line, on a data directory of its own."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bot.app import App, Wiring
from config.sections import CHECKOUT
from config.settings import Settings, load
from crag.indexing import IndexReport

HANDBOOK = CHECKOUT / "examples" / "handbook"
QUESTIONS = CHECKOUT / "examples" / "questions.jsonl"
WORK = CHECKOUT / ".candor" / "bench"


def settings(name: str) -> Settings:
    """The settings in force, with the data directory of this corpus."""
    chosen = load().settings
    weaviate = chosen.weaviate.model_copy(update={"data_directory": WORK / name})
    return chosen.model_copy(update={"weaviate": weaviate})


@asynccontextmanager
async def world(chosen: Settings, paths: Sequence[Path]) -> AsyncIterator[tuple[App, IndexReport]]:
    """The app with these folders indexed (what hasn't changed costs nothing)."""
    async with Wiring(chosen, lambda text: print(text, file=sys.stderr)).app() as app:
        async with app.library.indexer(paths) as indexer:
            report = await indexer.run(full=False, dry_run=False, on_progress=lambda _: None)
        yield app, report
