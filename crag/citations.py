"""Citation marks and links in what a writer wrote. Both are untrusted: only supplied numbers count, and every link the
writer made is removed (links are rebuilt from retrieved metadata by the adapters)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from crag.text import clean

LINK_PLACEHOLDER = "(link in the source)"

_MARK = re.compile(r"\s*\[\s*(\^?\d{1,3}(?:\s*[-–,;]\s*\^?\d{1,3})*)\s*\](?!\()")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\(\s*<?[^)\s]{0,2000}>?[^)]{0,300}\)")
_REFERENCE = re.compile(r"^[ \t]{0,3}\[[^\[\]]{1,300}\]:\s*\S+[^\n]*$", re.MULTILINE)
_AUTOLINK = re.compile(r"<(?:[a-z][a-z0-9+.-]{1,20}:|www\.|//)[^>\s]{0,2000}>?", re.IGNORECASE)
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]{1,20}:)?//[^\s<>\"'`)\]]+|\bwww\.[^\s<>\"'`)\]]+", re.IGNORECASE)
_BARE_QUERY = re.compile(r"\b(?:[\w-]+\.)+[a-z]{2,}(?:/[^\s?]*)?\?[^\s<>\"'`)\]]+", re.IGNORECASE)
_BARE_PATH = re.compile(r"\b(?:[\w-]+\.)+(?!(?:js|ts|net|py|md|txt|io)/)[a-z]{2,}/[^\s<>\"'`)\]]{2,}", re.IGNORECASE)
_SCHEME = re.compile(r"\b(?:https?|ftp|javascript|data|vbscript|mailto|file|tel):[^\s<>]+", re.IGNORECASE)
_HTML = re.compile(
    r"</?(?:a|img|iframe|script|style|link|object|embed|form|video|audio|svg)\b[^>]{0,2000}>?", re.IGNORECASE
)


def without_links(text: str) -> str:
    """Remove every URL, image, autolink, reference definition and linking HTML; a link's words stay."""
    text = _REFERENCE.sub("", text)
    text = _MARKDOWN_LINK.sub(lambda m: m.group(1) if not m.group(0).startswith("!") else "", text)
    for pattern in (_HTML, _AUTOLINK):
        text = pattern.sub("", text)
    for pattern in (_URL, _SCHEME, _BARE_QUERY, _BARE_PATH):
        text = pattern.sub(LINK_PLACEHOLDER, text)
    return text


def defused_quote(text: str) -> str:
    """A passage as it may be quoted in an answer: no links, and no bracketed number that would read as a citation."""
    return _MARK.sub(lambda m: f" ({m.group(1)})", without_links(text))


def cited(text: str) -> tuple[int, ...]:
    """The numbers cited in a text, in order, each once: [1], [1, 3], [2-4], [1][2]."""
    return tuple(dict.fromkeys(n for match in _MARK.finditer(text) for n in _numbers(match.group(1))))


def _numbers(inner: str) -> Iterable[int]:
    for part in re.split(r"[,;]", inner.replace("^", "")):
        ends = [int(n) for n in re.split(r"[-–]", part) if n.strip()]
        yield from range(ends[0], min(ends[-1], ends[0] + 20) + 1)


def with_known_marks(text: str, known: Collection[int]) -> str:
    """Every mark in the plain form [n], unknown numbers gone; a mark that had none left disappears."""

    def keep(match: re.Match[str]) -> str:
        marks = "".join(f"[{n}]" for n in dict.fromkeys(_numbers(match.group(1))) if n in known)
        return f" {marks}" if marks and match.group(0)[0].isspace() else marks

    return _MARK.sub(keep, text)


def renumbered(text: str, new: Mapping[int, int]) -> str:
    """The text with other numbers in its marks; neighbouring marks that became the same are one."""
    marked = _MARK.sub(
        lambda mark: (
            mark.group(0)[: mark.group(0).index("[")]
            + "".join(f"[{n}]" for n in dict.fromkeys(new[n] for n in _numbers(mark.group(1)) if n in new))
        ),
        text,
    )
    return re.sub(r"(\[\d+\])(?:\s?\1)+", r"\1", marked)


def without_marks(text: str) -> str:
    """The text as it reads without citations."""
    return _MARK.sub("", text).strip()


class SafePieces:
    """Turns a stream of pieces into whole sentences without links or unknown marks, so that a link which arrives split
    over pieces is never shown. Feed each piece; show what comes back; flush at the end."""

    def __init__(self, known: Collection[int]) -> None:
        self._known = known
        self._held = ""

    def feed(self, piece: str) -> str:
        """What may be shown after this piece: all up to the last finished line or sentence."""
        self._held += piece
        end = max((m.end() for m in re.finditer(r"\n|[.!?]\s", self._held)), default=0)
        ready, self._held = self._held[:end], self._held[end:]
        return self._safe(ready)

    def flush(self) -> str:
        """What is left."""
        ready, self._held = self._held, ""
        return self._safe(ready)

    def _safe(self, text: str) -> str:
        return with_known_marks(without_links(clean(text)), self._known)
