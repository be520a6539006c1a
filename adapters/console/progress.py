"""What is going on while a person waits: a bar on a terminal, a line each tenth on a pipe."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from adapters.console.safe import safe_line

STEPS = 10


class IndexProgress:
    """Called with (done, total, what), any number of times, from the event loop."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._told = -1
        self._what = ""
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=out,
            transient=True,
            disable=not out.is_terminal,
        )
        self._task = self._bar.add_task("Reading", total=None)

    def __enter__(self) -> IndexProgress:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()

    def __call__(self, done: int, total: int, what: str = "Indexing") -> None:
        if self._out.is_terminal:
            self._bar.update(self._task, completed=done, total=total, description=safe_line(what))
            return
        step = done * STEPS // total if total else STEPS
        if (what, step) != (self._what, self._told):
            self._what, self._told = what, step
            self._out.print(Text(f"{safe_line(what)}: {step * 100 // STEPS} % ({done} of {total})"))
