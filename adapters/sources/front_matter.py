"""The YAML block at the head of a file: title, url, access, updated. Other keys are for other programs."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

import yaml

from crag.errors import SourceError
from crag.text import clean

_BLOCK = re.compile(r"\s{0,100}---[ \t]*\n")
_ACCESS = re.compile(r"[ \t\"']*access[ \t\"']*[:=]", re.IGNORECASE)
_HEAD_LINES = 40
_MAX_CHARACTERS = 20_000
_MAX_DEPTH = 30
_MAX_TITLE = 150
_URL = re.compile(r"https?://[^\s<>\"]{1,2000}")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a file says of itself; `access` is None where it says nothing."""

    title: str = ""
    url: str = ""
    access: frozenset[str] | None = None
    updated: str = ""


def split(text: str, path: str) -> tuple[FrontMatter, str]:
    """The front matter and the rest of the text. Raises SourceError where the block can't be read: guessing could show
    a document to people who may not see it."""
    opening = _BLOCK.match(text)
    closing = _closing(text, opening.end()) if opening else None
    if not opening or closing is None:
        _refuse_lost_access(text, path)
        return FrontMatter(), text
    block, rest = text[opening.end() : closing[0]], text[closing[1] :]
    if not block.strip():
        return FrontMatter(), rest
    loaded = _load(block, path)
    if isinstance(loaded, str) and "access" not in block.lower():
        return FrontMatter(), text  # prose between two rules
    if not isinstance(loaded, Mapping):
        raise SourceError("Its front matter isn't a list of `name: value` lines.", path=path)
    return _fields({str(key).lower(): value for key, value in loaded.items()}, path), rest


def _refuse_lost_access(text: str, path: str) -> None:
    """A block that doesn't close, or is TOML, isn't read; where it speaks of access, nobody may see the file."""
    if text.lstrip()[:3] in ("---", "+++") and any(_ACCESS.match(line) for line in text.split("\n", _HEAD_LINES)[:-1]):
        raise SourceError(
            "It speaks of `access` in front matter that can't be read, so nobody may see the file.",
            path=path,
            advice="Put the lines between two lines of `---` at the head of the file.",
        )


def _closing(text: str, start: int) -> tuple[int, int] | None:
    at = start
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at:end].rstrip() in ("---", "..."):
            return at, min(end + 1, len(text))
        at = end + 1
    return None


def _load(block: str, path: str) -> object:
    if len(block) > _MAX_CHARACTERS or block.count("[") + block.count("{") > 10 * _MAX_DEPTH:
        raise SourceError("Its front matter is too large.", path=path)
    try:
        return yaml.safe_load(block)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 2})" if mark else ""
        raise SourceError(f"Its front matter isn't valid YAML{where}.", path=path) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise SourceError("Its front matter can't be read.", path=path) from error


def _fields(fields: Mapping[str, object], path: str) -> FrontMatter:
    url = _line(fields, "url", path)
    if url and not (_URL.fullmatch(url) or url.startswith("/")):
        raise SourceError("Its front matter's `url` isn't a web address (https://…).", path=path)
    return FrontMatter(
        title=" ".join(clean(unescape(_line(fields, "title", path))).split())[:_MAX_TITLE],
        url=url if _URL.fullmatch(url) else "",
        access=_access(fields["access"], path) if "access" in fields else None,
        updated=_line(fields, "updated", path)[:_MAX_TITLE],
    )


def _line(fields: Mapping[str, object], name: str, path: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise SourceError(f"Its front matter's `{name}` isn't one line of text.", path=path)
    return " ".join(str(value).split())


def _access(value: object, path: str) -> frozenset[str]:
    labels = value if isinstance(value, list) else [value]
    named = [label for label in labels if isinstance(label, str) and label.strip(" ,")]
    if not named or len(named) < len(labels):
        raise SourceError(
            "Its front matter's `access` can't be read, so nobody may see the file.",
            path=path,
            advice="Write one label or a list of labels.",
        )
    return frozenset(part for label in named for part in label.replace(",", " ").split())
