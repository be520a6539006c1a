"""An evaluation on a terminal or a pipe: one table of rates, one by kind of question, what changed, and
which questions went wrong."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from adapters.console.safe import safe_line
from crag.evaluation.changes import Changes
from crag.evaluation.metrics import Figures, Rate, reasons
from crag.evaluation.outcomes import Outcome, Result
from crag.evaluation.report import percent, worst_cases
from crag.evaluation.results import Evaluation
from crag.types import Abstention
from crag.wording import BANDS

NAMES = {
    "hit_at_1": "hit@1",
    "hit_at_3": "hit@3",
    "hit_at_5": "hit@5",
    "hit_at_10": "hit@10",
    "band_accuracy": "band right",
    "answered": "answered",
    "false_answers": "false answers",
    "false_among_answered": "  of the answers",
    "unanswerable_answered": "  unanswerable, answered",
    "needless_abstentions": "needless abstentions",
    "citation_precision": "citation precision",
    "citation_recall": "citation recall",
    "support": "fully supported answers",
}
TURNED = 20
"""How many questions that turned are named."""
NAMED = 10
"""How many false answers are named, and how many needless abstentions."""
BEGUN = 160
"""Characters of a question, and of what was said."""
MISSES = {Result.FALSE: "False answers", Result.NEEDLESS: "Needless “I don't know”"}
ALL_OF_THEM = "--json has them all, --html FILE the worst with how each passage was judged"


def print_evaluation(out: Console, run: Evaluation, changed: Changes | None = None) -> None:
    """The figures, and what changed; `print_misses` has the single questions."""
    out.print(_rates(run))
    if len(run.kinds) > 1:
        out.print(_kinds(run))
    if counted := reasons(run.outcomes):
        told = ", ".join(f"{name} {count}" for name, count in counted.most_common())
        out.print(Text(f"Abstentions: {told}"), soft_wrap=True)
    if changed:
        print_changes(out, changed)


def print_changes(out: Console, changed: Changes) -> None:
    """What is better, what is worse, and which questions turned."""
    told = f"{changed.common} questions in both, {changed.new} new, {changed.gone} gone."
    other = " The figures are of all questions of each run, so they differ for that too."
    out.print(Text(f"Compared with before: {told}{other if changed.new or changed.gone else ''}"), soft_wrap=True)
    for change in changed.figures:
        style, mark = ("green", "better") if change.better else ("red", "worse")
        name = NAMES.get(change.name, change.name.replace("_", " ")).strip()
        chance = "" if change.clear else " (may be chance)"
        figures = f"{change.before:.3f} -> {change.after:.3f}"
        out.print(Text.assemble((f"{mark:<6}", style), f" {name}: {figures}{chance}"), soft_wrap=True)
    for turned in changed.turned[:TURNED]:
        line = f"{turned.id} {turned.before} -> {turned.after}: {turned.question}"
        bad = turned.after in (Result.FALSE, Result.NEEDLESS)
        out.print(Text(f"  {safe_line(line)}", style="red" if bad else "green"), soft_wrap=True)
    if len(changed.turned) > TURNED:
        out.print(Text(f"  and {len(changed.turned) - TURNED} more; --json has them all"))


def print_misses(out: Console, run: Evaluation, most: int | None = NAMED) -> None:
    """Which questions got a false answer and which were refused needlessly, the surest first; at most `most` of each,
    all where it is None."""
    for result, title in MISSES.items():
        found = [outcome for outcome in worst_cases(run.outcomes) if outcome.result is result]
        if not found:
            continue
        out.print(Text(f"{title}: {len(found)}", style="bold"))
        for outcome in found[:most]:
            for line in _miss(outcome):
                out.print(Text(line), soft_wrap=True)
        if left := len(found[most:]) if most else 0:
            out.print(Text(f"  … and {left} more: {ALL_OF_THEM}", style="dim"), soft_wrap=True)


def _miss(outcome: Outcome) -> list[str]:
    """The question, and what came of it beside what was expected."""
    asked, body = outcome.asked, outcome.reply.body
    lines = [f"  {safe_line(asked.id)}: {_begun(asked.text)}"]
    why = f"why: {body.reason}; " if isinstance(body, Abstention) else ""
    if outcome.answer:
        lines.append(f"    said: {_begun(outcome.answer.text)}")
        why = f"from: {', '.join(dict.fromkeys(safe_line(chunk.path) for chunk in outcome.cited)) or 'nothing'}; "
    expected = ", ".join(map(safe_line, sorted(asked.sources))) or "nothing, “I don't know” is right"
    return [*lines, f"    {why}expected: {expected}"]


def _begun(text: str) -> str:
    """On one line, and not all of a long one."""
    line = safe_line(text)
    return line if len(line) <= BEGUN else f"{line[:BEGUN].rsplit(' ', 1)[0]} …"


def _rates(run: Evaluation) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(f"{len(run.outcomes)} questions")
    table.add_column("share", justify="right")
    table.add_column("95 % interval", justify="right")
    for name, rate in run.all.rates.items():
        table.add_row(NAMES.get(name, name), percent(rate), _interval(rate))
    for band, rate in run.all.badges.items():
        if rate.total:
            table.add_row(f"right where “{BANDS[band]}”", percent(rate), _interval(rate))
    for kept, point in run.curve.operating.items():
        name = f"unanswerable passing, {kept:.0%} kept"
        table.add_row(name, percent(point.unanswerable), _interval(point.unanswerable))
        table.add_row("  false answers then", percent(point.false_answers), _interval(point.false_answers))
    table.add_row("MRR", _number(run.all.mrr), "")
    table.add_row("AUROC", _number(run.curve.auroc), "")
    table.add_row("AURC", _number(run.curve.aurc), "")
    for name, took in (("reply", run.all.latency), ("retrieve and grade", run.all.retrieve_and_grade)):
        if took.p50 is not None and took.p95 is not None:
            table.add_row(f"{name}, p50 / p95", f"{took.p50:.0f} / {took.p95:.0f} ms", "")
    return table


def _kinds(run: Evaluation) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("kind")
    for name in ("n", "hit@5", "answered", "false", "needless", "precision", "p50"):
        table.add_column(name, justify="right")
    for kind, found in run.kinds.items():
        table.add_row(Text(safe_line(kind)), str(found.questions), *_kind(found))
    return table


def _kind(f: Figures) -> list[str]:
    rates = (f.hits[5], f.answered, f.false_answers, f.needless_abstentions, f.citation_precision)
    shares = ["-" if rate.share is None else f"{rate.share:.1%}" for rate in rates]
    return [*shares, "-" if f.latency.p50 is None else f"{f.latency.p50:.0f} ms"]


def _interval(rate: Rate) -> str:
    low, high = rate.interval
    return f"{low:.1%} to {high:.1%}" if rate.total else ""


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
