"""What is going on while a person waits: a bar on a terminal, a line each tenth on a pipe."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from adapters.console.safe import safe_line
from crag.indexing import Progress as IndexingStep

STEPS = 10


class IndexProgress:
    """Called with each step, from the event loop."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._told = -1
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=out,
            transient=True,
            disable=not out.is_terminal,
        )
        self._task = self._bar.add_task("Indexing", total=None)

    def __enter__(self) -> IndexProgress:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()

    def __call__(self, now: IndexingStep) -> None:
        if self._out.is_terminal:
            place = f"Indexing {safe_line(now.path)}"[: self._out.width // 2]
            self._bar.update(self._task, completed=now.done, total=now.total, description=place)
            return
        step = now.done * STEPS // now.total if now.total else STEPS
        if step != self._told:
            self._told = step
            self._out.print(Text(f"Indexing: {step * 100 // STEPS} % ({now.done} of {now.total})"))
