"""Lines of a file of questions that nobody has reviewed: proposed with `--all`, for a person to keep or drop later."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class Shown(Protocol):
    """What a person sees of a question, to keep it or drop it. `document` (its path), `place` and `quote` are of the
    passage that it was made from, "" where that isn't known; `note` says why nothing answers it."""

    @property
    def question(self) -> str: ...
    @property
    def answerable(self) -> bool: ...
    @property
    def note(self) -> str: ...
    @property
    def document(self) -> str: ...
    @property
    def place(self) -> str: ...
    @property
    def quote(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Unread:
    """`line` is as it stands in the file, without its end."""

    line: bytes
    row: Mapping[str, object]

    @property
    def question(self) -> str:
        return self._text("question")

    @property
    def answerable(self) -> bool:
        return bool(self.row.get("sources"))

    @property
    def note(self) -> str:
        return self._text("note")

    @property
    def document(self) -> str:
        return self._text("document")

    @property
    def place(self) -> str:
        return self._text("place") or ", ".join(_sources(self.row))

    @property
    def quote(self) -> str:
        return self._text("quote") or self._text("answer")

    def reviewed(self, text: str, *, answerable: bool) -> bytes:
        """The line once a person has decided on this wording: without what only helped to decide. Where it becomes
        answerable, `document` must be known."""
        left_out = {"reviewed", "document", "place", "quote"} | ({"answer"} if text != self.question else set())
        label: Mapping[str, object] = {}
        if answerable != self.answerable:
            left_out |= {"answer", "note"}
            label = relabelled(self.document, answerable=answerable)
        row = {name: value for name, value in self.row.items() if name not in left_out}
        return json.dumps({**row, "question": text, **label}, ensure_ascii=False).encode()

    def _text(self, name: str) -> str:
        value = self.row.get(name)
        return value if isinstance(value, str) else ""


def relabelled(document: str, *, answerable: bool) -> dict[str, object]:
    """Of a question that an edit made answerable, or unanswerable: the kind it was made as says nothing of it now."""
    return {"kind": "answerable", "sources": [document]} if answerable else {"kind": "unanswerable", "sources": []}


def _sources(row: Mapping[str, object]) -> list[str]:
    named = row.get("sources")
    return [named] if isinstance(named, str) else [str(name) for name in named] if isinstance(named, list) else []


def unread_lines(path: Path) -> list[Unread]:
    """Of a file that `crag.evaluation.questions.load` could read. Raises OSError."""
    found = []
    for line in path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        row = json.loads(line) if line.strip() else {}
        if row.get("reviewed") is False:
            found.append(Unread(line, row))
    return found


def rewrite(path: Path, old: bytes, new: bytes | None) -> None:
    """Put a line in another's place, or take it out: whole or not at all. Nothing happens where `old` isn't there any
    more, because somebody edits the file meanwhile. Raises OSError."""
    path = path.resolve()
    lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if old not in lines:
        return
    at = lines.index(old)
    lines[at : at + 1] = [] if new is None else [new]
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(b"\n".join(lines))
        shutil.copymode(path, name)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
