"""The file of questions that grows with each key, and beside it what was dropped, so that nothing is proposed twice."""

from __future__ import annotations

import json
import os
from pathlib import Path

from crag.errors import CandorError
from crag.evaluation.questions import load
from crag.suggesting.proposals import Proposal, key_of
from crag.suggesting.unread import Unread, relabelled, rewrite, unread_lines

ENOUGH = 100
"""Questions that make a calibration: docs/evaluation.md, "How many questions"."""


class SheetError(CandorError):
    """The file can't be written."""


class Sheet:
    """Each question is on the disk before the next one is shown. `known` are the keys of all that stands in the file or
    was dropped; `unread` are the lines that wait for a person, in their order; all others count as kept."""

    def __init__(self, path: Path) -> None:
        """Reads what is there. Raises QuestionsError, and SheetError where nothing can be written."""
        self.path = path
        self.dropped_path = path.with_name(f"{path.name}.dropped")
        self.known: set[str] = set()
        self._dropped: set[str] = set()
        self.unread: list[Unread] = []
        self.answerable = self.unanswerable = self.dropped = 0
        if not path.absolute().parent.is_dir() or path.is_dir():
            raise SheetError(f"The questions can't be written to {path}: it is a folder, or lies in none.")
        if path.exists() and path.stat().st_size:
            for asked in load(path):
                self._count(asked.text, asked.answerable)
            self.unread = unread_lines(path)
        if self.dropped_path.exists():
            dropped = _lines(self.dropped_path)
            self._dropped = {key_of(line) for line in dropped}
            self.known |= self._dropped
            self.dropped = len(dropped)

    @property
    def kept(self) -> int:
        return self.answerable + self.unanswerable - len(self.unread)

    def keep(
        self, found: Proposal | Unread, text: str, *, answerable: bool | None = None, reviewed: bool = True
    ) -> bool:
        """Add the question, or mark its line as reviewed, worded as the person wants it; False where it is there
        already. `answerable` is whether the passage answers that wording, None where it is as it was proposed. Raises
        SheetError."""
        answerable = found.answerable if answerable is None else answerable
        key, waited = key_of(text), isinstance(found, Unread)
        is_new = key not in self.known or (waited and key == key_of(found.question))
        if key != key_of(found.question):
            self._forget(found.question)
        if isinstance(found, Unread):
            self._settle(found, found.reviewed(text, answerable=answerable) if is_new else None)
        elif is_new:
            row = row_of(found, text, answerable=answerable, reviewed=reviewed)
            line = json.dumps(row, ensure_ascii=False)
            self._append(self.path, line)
            self.unread += [] if reviewed else [Unread(line.encode(), row)]
        if is_new:
            self._count(text, answerable)
        return is_new

    def was_dropped(self, text: str) -> bool:
        """Rather than kept, or waiting in the file."""
        return key_of(text) in self._dropped

    def drop(self, found: Proposal | Unread) -> None:
        """Never propose it again. Raises SheetError."""
        self._forget(found.question)
        if isinstance(found, Unread):
            self._settle(found, None)

    def _forget(self, question: str) -> None:
        self._append(self.dropped_path, " ".join(question.split()))
        self.known.add(key_of(question))
        self._dropped.add(key_of(question))
        self.dropped += 1

    def _settle(self, found: Unread, line: bytes | None) -> None:
        try:
            rewrite(self.path, found.line, line)
        except OSError as error:
            raise self._unwritable(self.path, error) from error
        self.unread.remove(found)
        self.answerable -= found.answerable
        self.unanswerable -= not found.answerable

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
            raise self._unwritable(path, error) from error

    @staticmethod
    def _unwritable(path: Path, error: OSError) -> SheetError:
        return SheetError(f"The questions can't be written to {path}: {error.strerror or error}.")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise SheetError(f"The dropped questions {path} can't be read: {error.strerror or error}.") from error


def row_of(proposal: Proposal, text: str, *, answerable: bool, reviewed: bool) -> dict[str, object]:
    """A line of a question file. Where nobody has read the question, `reviewed` stands in it, and what helps to
    decide."""
    if answerable != proposal.answerable:
        return {"question": text} | relabelled(proposal.document, answerable=answerable)
    row: dict[str, object] = {"question": text, "kind": str(proposal.kind)}
    row["sources"] = [proposal.document] if answerable else []
    if answerable and proposal.answer and text == proposal.question:
        row["answer"] = proposal.answer
    if not answerable:
        row["note"] = proposal.note
    helps = {"document": proposal.document, "place": proposal.place, "quote": proposal.quote}
    return row if reviewed else row | {"reviewed": False} | helps
