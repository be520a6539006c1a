"""`make eval`: how often Candor is right, wrong, and needlessly silent on examples/questions.jsonl.

`python -m bench.evaluate [--split dev|test] [--questions FILE] [--folder FOLDER] [--misses]`: like `candor evaluate`,
but indexes the folder first, on a data directory of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from adapters.console.evaluation import print_evaluation, print_misses
from bench.world import HANDBOOK, QUESTIONS, settings, world
from bot.app import App
from crag.evaluation.outcomes import Outcome, ask_all
from crag.evaluation.questions import Asked, load
from crag.evaluation.results import evaluated
from crag.types import Question


async def outcomes_of(app: App, questions: Sequence[Asked], tenant: str) -> list[Outcome]:
    """Ask them all of the product, as somebody who may see what everyone may."""
    return await ask_all(
        questions, lambda asked: app.engine.answer(Question(asked.text, history=asked.history, tenant=tenant))
    )


async def _asked(questions: Sequence[Asked], folder: Path) -> list[Outcome]:
    chosen = settings(folder.name)
    async with world(chosen, [folder]) as (app, _):
        return await outcomes_of(app, questions, chosen.tenant)


def main() -> None:
    """Ask, then print."""
    arguments = argparse.ArgumentParser(prog="make eval")
    arguments.add_argument("--questions", type=Path, default=QUESTIONS)
    arguments.add_argument("--folder", type=Path, default=HANDBOOK)
    arguments.add_argument("--split", default="")
    arguments.add_argument("--misses", action="store_true", help="list each false answer and needless abstention")
    chosen = arguments.parse_args()
    questions = [q for q in load(chosen.questions) if not chosen.split or q.split == chosen.split]
    outcomes = asyncio.run(_asked(questions, chosen.folder))
    date = datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%d %H:%M")
    found = evaluated(outcomes, chosen.questions.name, chosen.split, date)
    console = Console(highlight=False)
    print_evaluation(console, found)
    if chosen.misses:
        print_misses(console, found, None)


if __name__ == "__main__":
    main()
