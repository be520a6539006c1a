"""`make bench`: speed, memory and quality, written to bench/RESULTS.md with the machine named.

Needs a quiet machine. The data folder (see bench/datasets.py) adds the larger corpus and the two public question sets;
the 1.5B judgement model (requirements/judgement-model.txt) adds the comparison with the LLM grader.
"""

from __future__ import annotations

import asyncio
import datetime
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bench import datasets
from bench.evaluate import outcomes_of
from bench.pools import ask_pools
from bench.results import RESULTS, machine, merged
from bench.speed import resident_mb, row, timings
from bench.weaviate import settings_table
from bench.world import HANDBOOK, QUESTIONS, WORK, settings, world
from bot.app import App
from config.sections import CHECKOUT
from crag.calibration import Calibration
from crag.evaluation.curve import curve
from crag.evaluation.metrics import Rate, figures
from crag.evaluation.outcomes import Outcome
from crag.evaluation.questions import load
from crag.grading import Judge
from crag.llm.timeouts import Timeouts

STAGES = "| what | questions | embed p50 / p95 ms | search | grade | all |\n|---|---|---|---|---|---|"
UNSEEN = CHECKOUT / "bench" / "unseen.jsonl"
LARGE = datasets.DATA / "tts_handbook" / "pages"
LARGE_QUESTIONS = (
    "How do I book a flight for work travel?|Can I get reimbursed for a taxi?|How much annual leave do I earn?|"
    "What is the process for requesting parental leave?|Who approves overtime?|How do I set an out of office message?|"
    "How do I request a laptop replacement?|What should I do if I lose my PIV card?|How do I submit a travel "
    "authorization?|Which tools can I use for video calls?|How do I report a security incident?|How are performance "
    "reviews done?|How do I join a working group?|What is the hiring process for a new teammate?|How do I get access "
    "to GitHub?|Can I telework from another state?|How do I record my hours in the timesheet system?|What are the core "
    "working hours?|How do I request training?|Who do I contact about payroll?|What happens on my first day?|How do I "
    "offboard when I leave?|What is the policy on accepting gifts?|How do I donate leave to a colleague?|Can I speak "
    "at a conference?|How do I write a blog post?|How do I use Slack for customer channels?|What is an agreements "
    "package?|How do I request a new software?|Where can I find the org chart?"
).split("|")


async def index_speed(name: str, folder: Path) -> str:
    """Index from nothing."""
    shutil.rmtree(WORK / name, ignore_errors=True)
    start = time.perf_counter()
    async with world(settings(name), [folder]) as (_, report):
        documents = len(report.added)
        return (
            f"| {name} | {documents} | {report.chunks} | {report.duration_s:.1f} | "
            f"{report.chunks / report.duration_s:.0f} | {time.perf_counter() - start:.1f} |"
        )


async def speed(name: str, folder: Path, questions: Sequence[str]) -> tuple[list[str], str]:
    """Retrieve and grade, one at a time and eight at once: lines of a table, and a sentence on memory."""
    chosen = settings(name)
    async with world(chosen, [folder]) as (app, _):
        judge = app.judge
        found, best = chosen.crag.candidates, chosen.crag.graded
        await timings(app, judge, questions[:3], chosen.tenant, at_once=1)
        lines = []
        for graded in (best, found):
            for at_once, words in ((1, "one at a time"), (8, "eight at once")):
                took = await timings(
                    app, judge, questions, chosen.tenant, at_once=at_once, candidates=found, graded=graded
                )
                lines.append(row(f"{name}, best {graded} of {found} graded, {words}", took))
        return lines, f"Resident memory of the bot after {name}: {resident_mb():.0f} MB."


@asynccontextmanager
async def llm_judge(log: Path, timeouts: Timeouts | None = None) -> AsyncIterator[Judge]:
    """The LLM grader on the judgement model, on a real Ollama."""
    from adapters.ollama import OllamaLanguageModel
    from crag.llm.grader import LLMGrader
    from tests.servers.language_models import JUDGEMENT
    from tests.servers.ollama import serving

    async with serving(JUDGEMENT, log=log) as server:
        async with OllamaLanguageModel(
            host=server.host, model=server.model, context_window=2048, timeouts=timeouts or Timeouts()
        ) as model:
            yield Judge(LLMGrader(model, concurrency=2), Calibration.uncalibrated())


async def against_llm(app: App, questions: Sequence[str], tenant: str) -> list[str]:
    """The same questions, graded by the cross-encoder and by the LLM, in one run."""
    with tempfile.TemporaryDirectory() as folder:
        async with llm_judge(Path(folder) / "ollama.log") as judge:
            await timings(app, judge, questions[:1], tenant, at_once=1, candidates=2)
            slow = await timings(app, judge, questions[:2], tenant, at_once=1)
            fast = await timings(app, app.judge, questions[:2], tenant, at_once=1)
    ratio = statistics.median(t.total for t in slow) / statistics.median(t.total for t in fast)
    return [
        STAGES,
        row("cross-encoder (default)", fast),
        row("LLM grader, Qwen2.5-Coder-1.5B", slow),
        f"\nThe default is {ratio:.0f} times faster.\n",
    ]


def start_to_answer(runs: int = 5) -> list[float]:
    """Seconds from `candor ask` to its end, on the indexed handbook, server start included."""
    environment = {**os.environ, "CANDOR_WEAVIATE__DATA_DIRECTORY": str(WORK / "handbook")}
    took = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(
            [str(CHECKOUT / "candor"), "ask", "How many days of holiday do I get a year?"],
            check=True,
            env=environment,
            capture_output=True,
        )
        took.append(time.perf_counter() - start)
    return took


def quality(name: str, outcomes: Sequence[Outcome]) -> str:
    """A line of the table of answers and abstentions."""
    f, auroc = figures(outcomes), curve(outcomes).auroc
    rates = (f.hits[5], f.answered, f.false_answers, f.needless_abstentions, f.citation_precision)
    shares = " | ".join(map(_share, rates))
    return f"| {name} | {f.questions} | {f.answerable} | {shares} | {'-' if auroc is None else f'{auroc:.3f}'} |"


def _share(rate: Rate) -> str:
    return "-" if rate.share is None else f"{rate.share:.1%}"


async def qualities() -> list[str]:
    """The handbook's halves, the questions that nothing was tuned on, and the public sets where they are at hand."""
    chosen = settings("handbook")
    lines = []
    async with world(chosen, [HANDBOOK]) as (app, _):
        outcomes = await outcomes_of(app, load(QUESTIONS), chosen.tenant)
        for split in ("dev", "test"):
            lines.append(quality(f"handbook, {split}", [o for o in outcomes if o.asked.split == split]))
        lines.append(quality("handbook, unseen", await outcomes_of(app, load(UNSEEN), chosen.tenant)))
        judge, embedder = app.judge, app.library.embedder
        if datasets.DATA.exists():
            lines.append(quality("clapnq", await ask_pools(datasets.clapnq(), embedder, judge)))
            lines.append(quality("nomiracl", await ask_pools(datasets.nomiracl(), embedder, judge)))
    return lines


async def measure() -> list[str]:
    """All sections."""
    corpora = {"handbook": HANDBOOK} | ({"tts_handbook": LARGE} if LARGE.exists() else {})
    asked = {"handbook": [q.text for q in load(QUESTIONS) if not q.history][:60], "tts_handbook": LARGE_QUESTIONS}
    out = [f"# Results\n\n{datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d}, {machine()}. `make bench` writes this."]
    out.append("\n## Indexing\n\n| corpus | documents | chunks | s | chunks/s | with start of models and server, s |")
    out.append("|---|---|---|---|---|---|")
    for name, folder in corpora.items():
        out.append(await index_speed(name, folder))
    out.append("\n## Retrieve and grade, no LLM\n")
    out.append("Goal: p50 200 ms, p95 400 ms for one question. Eight at once are bound by the two cores.")
    out.append(f"\n{STAGES}")
    memory = [""]
    for name, folder in corpora.items():
        lines, weighed = await speed(name, folder, asked[name])
        out += lines
        memory.append(weighed)
    out += memory
    out += ["\n## Weaviate's settings (Candor uses 1 and 2)\n", *await settings_table()]
    took = start_to_answer()
    out.append(
        "\n## Start to first answer\n\n`candor ask` on the indexed handbook, embedded server started and stopped:"
    )
    out.append(f"median {statistics.median(took):.1f} s of {len(took)} runs ({min(took):.1f} to {max(took):.1f} s).")
    out.append("\n## Answers and abstentions\n")
    out.append("The whole engine, quoting writer. `dev` chose the thresholds and the chunk size;")
    out.append("`test` did not. What the writer quotes was chosen on all three sets of the handbook. `unseen` is")
    out.append("`bench/unseen.jsonl`: written later, from the pages alone, as colleagues type; no threshold saw it.")
    out.append("On clapnq and nomiracl each question brings its own passages, which the calibration also saw.\n")
    out.append(
        "| set | questions | answerable | hit@5 | answered | false answers | needless abstentions | precision | AUROC |"
    )
    out.append("|---|---|---|---|---|---|---|---|---|")
    out += await qualities()
    return out


async def compared() -> list[str]:
    """The LLM grader, last: it needs gigabytes and minutes."""
    chosen = settings("handbook")
    async with world(chosen, [HANDBOOK]) as (app, _):
        questions = [q.text for q in load(QUESTIONS) if q.kind == "answerable"]
        return ["\n## Against the LLM grader\n", *await against_llm(app, questions, chosen.tenant)]


def main() -> None:
    """Measure, then write; the sections that other programs have written stay."""
    lines = asyncio.run(measure())
    if "--no-llm" not in sys.argv:
        lines += asyncio.run(compared())
    RESULTS.write_text(merged(RESULTS.read_text(encoding="utf-8"), "\n".join(lines)), encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
