"""What the items of a list or table are about. One grader's score tells little between neighbours ("Broken: ...", "Lost
or stolen: ..."), while each says itself, in front, what it holds for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crag.text import content_words
from crag.types import Chunk

FAIR = 1 / 3
"""The share of the question's words, those of the headings left out, from which on an item counts as asked for: by a
single word of a long question ("last", "every") the wrong one is found as often."""

_FENCE = re.compile(r"^(```|~~~)[^\n]*\n.*?(?:^\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_MARKER = r"[ \t]*(?:\||[-*+•]\s|\d{1,3}[.)]\s)"
_ITEM = re.compile(rf"^{_MARKER}[^\n]*\n?(?:(?!{_MARKER})[^\n]*\S[^\n]*\n?)*", re.MULTILINE)
_LABEL = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])\s+([^\n:.?!]{1,60}):(?:\s|\*)")
_ASIDE = re.compile(r"\([^()]*\)")
_RULE = re.compile(r"[ \t]*\|[-:| \t]+$")
_BARE_HEADER = re.compile(r"^[ \t]*\|[^\n]*\n[ \t]*\|[-:| \t]++(?:\Z|\n(?![ \t]*\|))", re.MULTILINE)
"""A table's header that no row follows."""


@dataclass(frozen=True, slots=True)
class Item:
    """One row or list item: its span in the text, and the stems of what it says it is about, None where it doesn't."""

    span: tuple[int, int]
    subject: frozenset[str] | None


def items(text: str) -> list[list[Item]]:
    """The lists and tables of a text, code left out; of a table its rows without those of its header."""
    bare = _FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    groups: list[list[re.Match[str]]] = []
    for match in _ITEM.finditer(bare):
        if groups and groups[-1][-1].end() == match.start():
            groups[-1].append(match)
        else:
            groups.append([match])
    return [[Item(m.span(), _subject(m.group())) for m in _bodies(group)] for group in groups]


def without_strangers(question: str, text: str, chunk: Chunk) -> str:
    """A text cut from a chunk, without the items that are about less of what was asked than one beside them is: for
    "lost laptop" the item "Broken: ..." goes where an item says "Lost or stolen: ...". Nothing goes for being about
    something else alone, since questions use other words than documents."""
    start = chunk.text.find(text)
    gone = [item.span for group in _told_apart(question, chunk) for item, fits in group if not fits]
    if start < 0 or not gone:
        return text
    left = "".join(c for at, c in enumerate(text, start) if not any(a <= at < b for a, b in gone))
    return _BARE_HEADER.sub("", left).strip()


def stands_out(question: str, text: str, chunk: Chunk) -> bool:
    """Whether a text cut from a chunk has an item for which its neighbours go."""
    start = chunk.text.find(text)
    end = start + len(text)
    spans = [item.span for group in _told_apart(question, chunk) for item, fits in group if fits]
    return start >= 0 and any(a < end and start < b for a, b in spans)


def names_all(question: str, text: str) -> bool:
    """Whether an item of the text says that it is about all that the question asks for."""
    asked = frozenset(content_words(question))
    return bool(asked) and any(asked <= (item.subject or frozenset()) for group in items(text) for item in group)


def _told_apart(question: str, chunk: Chunk) -> list[list[tuple[Item, bool]]]:
    """The lists and tables in which some items are about more of the question than others: each item, and whether none
    is about more than it. Which only counts if that is a fair part of what the headings leave to ask."""
    asked = frozenset(content_words(question))
    least = FAIR * len(asked - set(content_words(" ".join(chunk.headings))))
    told: list[list[tuple[Item, bool]]] = []
    for group in items(chunk.text):
        shared = [asked & (item.subject or frozenset()) for item in group]
        more = [other for other in shared if other and len(other) >= least]
        fits = [not any(own < other for other in more) for own in shared]
        if not all(fits):
            told.append(list(zip(group, fits, strict=True)))
    return told


def _bodies(group: Sequence[re.Match[str]]) -> Iterator[re.Match[str]]:
    ruled = [bool(_RULE.match(m.group().strip())) for m in group]
    for at, match in enumerate(group):
        if not ruled[at] and not (at + 1 < len(group) and ruled[at + 1]):
            yield match


def _subject(item: str) -> frozenset[str] | None:
    label = _LABEL.match(item)
    if item.lstrip().startswith("|"):
        said = next((cell for cell in item.strip().strip("|").split("|") if cell.strip()), "")
    elif label:
        said = label.group(1)
    else:
        return None
    return frozenset(content_words(_ASIDE.sub(" ", said)))
