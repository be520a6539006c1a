"""What is going on while a person waits: a bar or a status on a terminal, a line each tenth on a pipe."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from adapters.console.safe import safe_line
from crag.indexing import Progress as IndexingStep

STEPS = 10


class AskingProgress:
    """Of questions that are asked one after the other; called with how many are done. `what` is done with them."""

    def __init__(self, out: Console, total: int, what: str = "Asking") -> None:
        self._total = total
        self._what = what
        self._status = out.status(f"{what}: {total} questions")
        self._lines = _Tenths(out, what)

    def __enter__(self) -> AskingProgress:
        self._status.start()
        self._lines(0, self._total)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._status.stop()

    def __call__(self, done: int) -> None:
        self._status.update(f"{self._what}: {done} of {self._total} questions done")
        self._lines(done, self._total)


class _Tenths:
    """A line each tenth, where there is no terminal."""

    def __init__(self, out: Console, what: str) -> None:
        self._out = out
        self._what = what
        self._told = -1

    def __call__(self, done: int, total: int) -> None:
        step = done * STEPS // total if total else STEPS
        if not self._out.is_terminal and step != self._told:
            self._told = step
            self._out.print(Text(f"{self._what}: {step * 100 // STEPS} % ({done} of {total})"), soft_wrap=True)


class IndexProgress:
    """Called with each step, from the event loop."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._lines = _Tenths(out, "Indexing")
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
        self._lines(now.done, now.total)
