"""A Trace as `/grade` shows it: how every passage was judged, and what the engine did about it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from adapters.console.safe import safe_line
from crag import wording
from crag.types import Grade, Trace, Verdict

STYLES = {Verdict.CORRECT: "green", Verdict.AMBIGUOUS: "yellow", Verdict.INCORRECT: "red"}
WIDE = 110
"""From this many columns on the table fits; below, each passage gets lines of its own."""
SCALE = 20
"""Cells of the gauge from 0 to 1."""
SHOWN = 5
"""So many passages are shown, and whatever else was kept, unless all are asked for."""
STRIPS = "(the sentences of a passage, graded one by one; + was kept, - was not)"


def print_trace(out: Console, trace: Trace, more: str = "") -> None:
    """The grades, best first as the engine left them, then queries, actions, timings and models. `more` is how to see
    the passages that are left out; all are shown where it is ""."""
    ranked = list(enumerate(trace.grades, 1))
    shown = [(rank, grade) for rank, grade in ranked if not more or rank <= SHOWN or grade.kept]
    if not ranked:
        out.print(Text("No passage was graded."))
    elif out.width >= WIDE:
        out.print(_table(trace, shown))
    else:
        for rank, grade in shown:
            _print_narrow(out, rank, grade, trace)
    ranks = {rank for rank, _ in shown}
    if left := [grade for rank, grade in ranked if rank not in ranks]:
        out.print(Text(f"{len(left)} more{_weaker(left, shown)}: {more}"))
    _print_strips(out, shown)
    _print_summary(out, trace)


def _weaker(left: Sequence[Grade], shown: Sequence[tuple[int, Grade]]) -> str:
    """What there is to know of those that aren't shown, where it is so: their order is the engine's."""
    least = min((grade.score for _, grade in shown if grade.graded), default=math.nan)
    if not all(grade.score <= least or not grade.graded for grade in left):
        return ""
    return ", all weaker" if all(grade.graded for grade in left) else ", weaker or not graded"


def print_grade(out: Console, grade: Grade, upper: float, lower: float) -> None:
    """One passage on its own (`candor grade --text`)."""
    out.print(Text.assemble("Verdict  ", (grade.verdict, STYLES[grade.verdict])))
    out.print(Text(f"Score    {against(grade.score, upper, lower)}"))
    if grade.raw is not None:
        out.print(Text(f"Raw      {number(grade.raw)} (the grader's own probability)"))
    if grade.reason:
        out.print(Text(f"Reason   {safe_line(grade.reason)}"))


def number(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.3f}"


def against(score: float, upper: float, lower: float) -> str:
    """A score and where it stands, in words: "0.512, between 0.350 and 0.720"."""
    if math.isnan(score):
        return "unreadable"
    if score >= upper:
        return f"{number(score)}, at or above the upper threshold {number(upper)}"
    if score < lower:
        return f"{number(score)}, below the lower threshold {number(lower)}"
    return f"{number(score)}, between {number(lower)} and {number(upper)}"


def gauge(score: float, upper: float, lower: float) -> str:
    """0 to 1 on a line: | for the thresholds, o for the score."""
    cells = ["-"] * SCALE
    for threshold in (lower, upper):
        cells[_cell(threshold)] = "|"
    if not math.isnan(score):
        cells[_cell(score)] = "o"
    return "".join(cells)


def _cell(value: float) -> int:
    return min(SCALE - 1, max(0, int(value * SCALE)))


def _table(trace: Trace, shown: Sequence[tuple[int, Grade]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column("#", justify="right", width=3)
    table.add_column("Source", ratio=3, overflow="fold")
    table.add_column(f"Score (| {trace.lower:.2f}, | {trace.upper:.2f})", width=SCALE + 6)
    table.add_column("Verdict", width=9)
    table.add_column("Kept", width=7)
    table.add_column("Reason", ratio=2)
    for rank, grade in shown:
        score = grade.score if grade.graded else math.nan
        scale = Text(f"{number(score):<5} {gauge(score, trace.upper, trace.lower)}")
        verdict = Text(grade.verdict, style=STYLES[grade.verdict])
        kept = "kept" if grade.kept else "dropped"
        table.add_row(str(rank), _Source(_source(grade)), scale, verdict, kept, Text(_reason(grade)))
    return table


def _source(grade: Grade) -> str:
    """The path, which is short; for what another retriever found, its link and the retriever's name."""
    chunk = grade.chunk
    if grade.retriever == "index":
        return safe_line(f"{chunk.path}#{chunk.anchor}" if chunk.anchor else chunk.path)
    return f"{safe_line(chunk.link)} ({safe_line(grade.retriever)})"


class _Source:
    """A source as wide as its column is."""

    def __init__(self, source: str) -> None:
        self._source = source

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(fitted(self._source, options.max_width), overflow="fold")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(10, cell_len(self._source))


def fitted(source: str, width: int) -> str:
    """A path that is too long without its first folders; where that isn't enough, its anchor on a line of its own."""
    if cell_len(source) <= width:
        return source
    path, mark, anchor = source.partition("#")
    *folders, name = path.split("/")
    named = ["/".join(["…", *folders[at:], name]) for at in range(1, len(folders) + 1)] or [name]
    for short in named:
        if cell_len(whole := f"{short}{mark}{anchor}") <= width:
            return whole
    lines = (Text(line) for line in (named[-1], f"{mark}{anchor}") if line)
    return "\n".join(_cut(line, width) for line in lines)


def _cut(line: Text, width: int) -> str:
    line.truncate(width, overflow="ellipsis")
    return line.plain


def _reason(grade: Grade) -> str:
    """The engine explains what it did with a grade; where it stopped before, the verdict has to do."""
    told = "below the lower threshold" if grade.verdict is Verdict.INCORRECT else "not needed"
    return safe_line(grade.reason) or ("evidence" if grade.kept else told)


def _print_narrow(out: Console, rank: int, grade: Grade, trace: Trace) -> None:
    kept = "kept" if grade.kept else "dropped"
    out.print(Text.assemble(f"{rank:>2}. ", (grade.verdict, STYLES[grade.verdict]), f", {kept}"))
    source = _source(grade)
    if out.is_terminal and grade.retriever == "index":
        source = fitted(source, out.width - 4).replace("\n", "\n    ")
    out.print(Text(f"    {source}"), soft_wrap=True)
    score, reason = against(grade.score, trace.upper, trace.lower), _reason(grade)
    if grade.graded:
        out.print(Text(f"    {score}"))
    if not grade.graded or reason not in score:
        out.print(Text(f"    {reason}"))


def _print_strips(out: Console, shown: Sequence[tuple[int, Grade]]) -> None:
    graded = [(rank, grade) for rank, grade in shown if grade.strips]
    if not graded:
        return
    out.print(Text.assemble(("\nStrips", "bold"), f" {STRIPS}"))
    for rank, grade in graded:
        for text, score, kept in grade.strips:
            line = f"{'+' if kept else '-'} {number(score)} [#{rank}] {safe_line(text)}"
            out.print(Text(line, style="" if kept else "dim"))


def _print_summary(out: Console, trace: Trace) -> None:
    """Only what there is: an empty line says nothing."""
    first, *later = dict.fromkeys(map(safe_line, trace.queries)) or [""]
    rows = [
        ("Band", f"{trace.band or 'none'} ({trace.strategy} passed)" if trace.strategy else str(trace.band or "")),
        ("Graded", wording.graded_share(trace.grades)),
        ("Actions", ", ".join(trace.actions)),
        ("Question", safe_line(trace.standalone)),
        ("Searched", first),
        *[("Rewritten", query) for query in later],
        ("Failures", "; ".join(map(safe_line, trace.failures))),
        ("Timings", ", ".join(f"{wording.stage(name)} {value:.0f} ms" for name, value in trace.timings.items())),
        ("Models", ", ".join(f"{part} {safe_line(model)}" for part, model in trace.models.items())),
        ("Caution", safe_line(trace.caution)),
        ("Index", f"{trace.generation}, {wording.documents(trace.searched)}" if trace.generation else ""),
        ("Trace", trace.id),
    ]
    out.print()
    for name, value in rows:
        if value:
            out.print(Text.assemble((f"{name:<10}", "bold"), value))
