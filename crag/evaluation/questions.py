"""Question files: JSON lines, one question each. docs/evaluation.md has the format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crag.errors import CandorError
from crag.text import has_words
from crag.turns import text_of, written_turn
from crag.types import Chunk, Turn

_ADVICE = "docs/evaluation.md has the format; examples/questions.jsonl is an example."
_NOTHING = frozenset({"none", "no", "nothing", "null", "n/a", "na", "-", "unanswerable"})
"""What people write for no source; taken as a path it would make every "I don't know" a needless one."""
_TURNS = {"user:": False, "bot:": True}


class QuestionsError(CandorError):
    """A question file that can't be used. The message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of a question file. `sources` are paths (or URLs) of the documents that answer it, all of them needed
    for a question over several; empty where nothing answers it and "I don't know" is right. `corpora` and `access`
    are what it is asked with, empty for those of the person at the terminal. A proposal that nobody has looked at is
    not `reviewed`."""

    id: str
    kind: str
    text: str
    sources: frozenset[str] = frozenset()
    history: tuple[Turn, ...] = ()
    split: str = ""
    answer: str = ""
    corpora: frozenset[str] = frozenset()
    access: frozenset[str] = frozenset()
    reviewed: bool = True

    @property
    def answerable(self) -> bool:
        return bool(self.sources)

    def source_of(self, chunk: Chunk) -> str:
        """The expected source that the chunk comes from, or ""."""
        return next((name for name in (chunk.path, chunk.url) if name in self.sources), "")


def load(path: Path) -> list[Asked]:
    """Read a question file. Raises QuestionsError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        message = f"The questions {path} can't be read: {error.strerror or error}."
        raise QuestionsError(message, advice=_ADVICE) from error
    found: dict[str, int] = {}
    questions: list[Asked] = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            asked = _asked(line)
            if asked.id in found:
                what = (
                    "the same question" if asked.id == identity(asked.text, asked.history) else f"the id {asked.id!r}"
                )
                raise ValueError(f"{what} stands in line {found[asked.id]} already")
        except ValueError as error:
            raise QuestionsError(f"{path}, line {number}: {error}.", advice=_ADVICE) from error
        found[asked.id] = number
        questions.append(asked)
    if not questions:
        raise QuestionsError(f"There is no question in {path}.", advice=_ADVICE)
    return questions


def fingerprint(questions: Sequence[Asked]) -> str:
    """A SHA-256 prefix of what was asked and expected; the order of the lines doesn't matter."""
    rows = sorted(json.dumps([q.text, [t.text for t in q.history], sorted(q.sources)]) for q in questions)
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]


def line_of(asked: Asked) -> str:
    """A line of a question file: `load` makes the same of it again."""
    turns = [f"{'bot' if turn.by_bot else 'user'}: {text_of(turn)}" for turn in asked.history]
    row = {"id": asked.id, "kind": asked.kind, "question": asked.text, "sources": sorted(asked.sources)}
    more = {"history": turns, "split": asked.split, "answer": asked.answer}
    scope = {"corpora": sorted(asked.corpora), "access": sorted(asked.access)}
    return json.dumps(row | {name: value for name, value in (more | scope).items() if value}, ensure_ascii=False)


def identity(text: str, history: Sequence[Turn]) -> str:
    """The same question has the same name in every file, so that two runs can be compared."""
    return hashlib.sha256("\n".join([*(turn.text for turn in history), text]).encode()).hexdigest()[:8]


def _asked(line: bytes) -> Asked:
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON ({error.msg} at column {error.colno})") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(row, dict):
        raise ValueError('it must be a JSON object, such as {"question": "…", "sources": ["…"]}')
    text = _text(row, "question")
    if not has_words(text):
        raise ValueError('"question" must be a text with words in it')
    history, sources = _history(row.get("history")), _sources(row)
    scope = {name: _names(row, name, "a list of names") for name in ("corpora", "access")}
    answer = _text(row, "answer")
    if answer and not sources:
        raise ValueError('it has an "answer" but no "sources", and so no document that could give it')
    kind = _text(row, "kind") or ("answerable" if sources else "unanswerable")
    id, split = _text(row, "id") or identity(text, history), _text(row, "split")
    return Asked(id, kind, text, sources, history, split, answer, **scope, reviewed=row.get("reviewed") is not False)


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f'"{name}" must be a text')
    return value


def _sources(row: dict[str, Any]) -> frozenset[str]:
    if "source" in row:
        raise ValueError('the field is called "sources" and holds a list')
    what = "a list of document paths, empty ([]) where nothing answers the question"
    names = _names(row, "sources", what)
    if wrong := sorted(name for name in names if name.strip().lower() in _NOTHING):
        raise ValueError(f'"sources" must be {what}; {wrong[0]!r} is no document')
    return names


def _names(row: dict[str, Any], name: str, what: str) -> frozenset[str]:
    value = row.get(name)
    listed = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) and one.strip() for one in listed):
        raise ValueError(f'"{name}" must be {what}')
    return frozenset(listed)


def _history(value: object) -> tuple[Turn, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(said, str) for said in value):
        raise ValueError('"history" must be a list of texts, such as ["user: …", "bot: …"]')
    return tuple(_turn(said, by_bot=at % 2 == 1) for at, said in enumerate(value))


def _turn(said: str, *, by_bot: bool) -> Turn:
    """Who spoke stands in front; where it doesn't, they take turns, the person first."""
    for mark, bot in _TURNS.items():
        if said.startswith(mark):
            return written_turn(said.removeprefix(mark).strip(), by_bot=bot)
    return written_turn(said, by_bot=by_bot)
