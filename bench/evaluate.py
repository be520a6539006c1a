"""`make eval`: how often Candor is right, wrong, and needlessly silent on examples/questions.jsonl.

`python -m bench.evaluate [--split dev|test] [--questions FILE] [--folder FOLDER] [--misses]`
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.evaluation import Asked, Outcome, ask_all, auroc, figures, load, reasons
from bench.world import HANDBOOK, QUESTIONS, settings, world
from crag.types import Abstention, Answer


async def outcomes_of(questions: Sequence[Asked], folder: Path) -> list[Outcome]:
    """Ask them all of the product with this folder indexed."""
    chosen = settings(folder.name)
    async with world(chosen, [folder]) as (app, _):
        return await ask_all(app.engine, questions, chosen.tenant)


def table(outcomes: Sequence[Outcome]) -> Table:
    """Rates by split and by kind of question."""
    out = Table(title="Answers and abstentions")
    for column in ("questions", "n", "hit@5", "answered", "false", "needless", "precision", "p50"):
        out.add_column(column, justify="left" if column == "questions" else "right", no_wrap=True)
    groups = {"all": list(outcomes)}
    for outcome in outcomes:
        groups.setdefault(f"split: {outcome.asked.split}", []).append(outcome)
    for outcome in outcomes:
        groups.setdefault(outcome.asked.kind, []).append(outcome)
    for name, group in groups.items():
        f = figures(group)
        answerable = bool(f.answerable)
        out.add_row(
            name,
            str(f.questions),
            _percent(f.hit_at_5) if answerable else "-",
            _percent(f.answered),
            _percent(f.false_answers),
            _percent(f.needless_abstentions) if answerable else "-",
            _percent(f.citation_precision) if answerable else "-",
            f"{f.p50_ms:.0f} ms",
        )
    return out


def _percent(share: float) -> str:
    return f"{share:.1%}"


def misses(outcomes: Sequence[Outcome]) -> list[str]:
    """Each false answer and each needless abstention, with what was cited or nearest."""
    lines = []
    for o in outcomes:
        body = o.reply.body
        best = max((g.score for g in o.reply.trace.grades), default=0.0)
        if o.false_answer and isinstance(body, Answer):
            cited = ", ".join(sorted(o.cited))
            lines.append(f"FALSE    {o.asked.id} {best:.2f} {o.asked.text!r} -> {body.text[:160]!r} ({cited})")
        elif o.needless and isinstance(body, Abstention):
            lines.append(f"NEEDLESS {o.asked.id} {best:.2f} {o.asked.text!r}: {body.reason} hit={o.hit_at_5}")
    return lines


def main() -> None:
    """Ask, then print."""
    arguments = argparse.ArgumentParser(prog="make eval")
    arguments.add_argument("--questions", type=Path, default=QUESTIONS)
    arguments.add_argument("--folder", type=Path, default=HANDBOOK)
    arguments.add_argument("--split", default="")
    arguments.add_argument("--misses", action="store_true", help="list each false answer and needless abstention")
    chosen = arguments.parse_args()
    questions = [q for q in load(chosen.questions) if not chosen.split or q.split == chosen.split]
    outcomes = asyncio.run(outcomes_of(questions, chosen.folder))
    console = Console()
    console.print(table(outcomes))
    console.print("Abstentions:", ", ".join(f"{name} {count}" for name, count in reasons(outcomes).most_common()))
    console.print(f"Best chunk's score, answerable against unanswerable: AUROC {auroc(outcomes):.3f}")
    if chosen.misses:
        for line in misses(outcomes):
            console.print(line, markup=False, highlight=False)


if __name__ == "__main__":
    main()
