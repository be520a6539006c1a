"""The file of questions that grows with each key, and beside it what was dropped, so that nothing is proposed twice."""

from __future__ import annotations

import json
import os
from pathlib import Path

from crag.errors import CandorError
from crag.evaluation.questions import load
from crag.suggesting.proposals import Proposal, key_of

ENOUGH = 100
"""Questions that make a calibration: docs/evaluation.md, "How many questions"."""


class SheetError(CandorError):
    """The file can't be written."""


class Sheet:
    """Each question is on the disk before the next one is shown. `known` are the keys of all that was decided."""

    def __init__(self, path: Path) -> None:
        """Reads what is there. Raises QuestionsError, and SheetError where nothing can be written."""
        self.path = path
        self.dropped_path = path.with_name(f"{path.name}.dropped")
        self.known: set[str] = set()
        self.answerable = self.unanswerable = self.dropped = 0
        if not path.absolute().parent.is_dir() or path.is_dir():
            raise SheetError(f"The questions can't be written to {path}: it is a folder, or lies in none.")
        if path.exists() and path.stat().st_size:
            for asked in load(path):
                self._count(asked.text, asked.answerable)
        if self.dropped_path.exists():
            dropped = _lines(self.dropped_path)
            self.known |= {key_of(line) for line in dropped}
            self.dropped = len(dropped)

    @property
    def kept(self) -> int:
        return self.answerable + self.unanswerable

    def keep(self, proposal: Proposal, text: str, *, reviewed: bool = True) -> bool:
        """Add the question, worded as the person wants it; False where it is there already. Raises SheetError."""
        if text != proposal.question:
            self.drop(proposal)
        if key_of(text) in self.known:
            return False
        self._append(self.path, json.dumps(row_of(proposal, text, reviewed=reviewed), ensure_ascii=False))
        self._count(text, proposal.kind.answerable)
        return True

    def drop(self, proposal: Proposal) -> None:
        """Never propose it again. Raises SheetError."""
        self._append(self.dropped_path, " ".join(proposal.question.split()))
        self.known.add(proposal.key)
        self.dropped += 1

    def _count(self, text: str, answerable: bool) -> None:
        self.known.add(key_of(text))
        self.answerable += answerable
        self.unanswerable += not answerable

    def _append(self, path: Path, line: str) -> None:
        try:
            with path.open("ab+") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    line = line if file.read(1) == b"\n" else f"\n{line}"
                file.write(f"{line}\n".encode())
        except OSError as error:
            raise SheetError(f"The questions can't be written to {path}: {error.strerror or error}.") from error


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise SheetError(f"The dropped questions {path} can't be read: {error.strerror or error}.") from error


def row_of(proposal: Proposal, text: str, *, reviewed: bool) -> dict[str, object]:
    """A line of a question file. `reviewed` stands in it only where nobody has read the question."""
    row: dict[str, object] = {"question": text, "kind": str(proposal.kind)}
    row["sources"] = [proposal.chunk.path] if proposal.kind.answerable else []
    if proposal.kind.answerable and proposal.answer and text == proposal.question:
        row["answer"] = proposal.answer
    if not proposal.kind.answerable:
        row["note"] = proposal.note
    return row if reviewed else row | {"reviewed": False}
