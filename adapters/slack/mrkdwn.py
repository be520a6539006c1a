"""Slack's markup: text that can command nothing, Markdown turned into it, pieces that fit, and what people typed, read.

`& < >` are all that Slack needs escaped: mentions and links live between `<` and `>`. The texts go out `verbatim`, so
that neither `@here` nor a bare address in a document comes alive.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

FENCE = "```"
FENCE_SHOWN = "`\u200b``"
"""Three backticks that end no code block: there is a space of no width in them."""
_HALF_ENTITY = re.compile(r"&[a-z]{0,3}$")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
_SPACE = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MARKUP = re.compile(r"<([^<>]*)>")
_IN_A_URL = "%/:=&?~#+!$,;'@()*[]"


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, a heading or a list item as mrkdwn, or raw lines of code. `head` is repeated on top of each piece of
    a code part (a table's header); `tight` parts follow the one before without an empty line; a heading never stands
    alone at an end."""

    text: str
    code: bool = False
    head: str = ""
    tight: bool = False
    quoted: bool = False
    heading: bool = False


def escape(text: str) -> str:
    """Text that Slack shows as it stands: no markup, no control characters, nothing that turns the writing around."""
    return _CONTROL.sub("", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def line(text: str) -> str:
    """Escaped, on one line: titles, paths, reasons."""
    return escape(_SPACE.sub(" ", text).strip())


def cut(text: str, limit: int) -> str:
    """Escaped text of at most `limit` characters; no entity is cut in two."""
    return text if len(text) <= limit else _HALF_ENTITY.sub("", text[: limit - 1]) + "…"


def is_url(address: str) -> bool:
    """Whether Slack can open it. A path in a folder of the bot's machine isn't one."""
    try:
        found = urlsplit(address)
    except ValueError:
        return False
    return found.scheme in ("http", "https") and bool(found.netloc)


def link(url: str, label: str) -> str:
    """`<url|label>` where the label and the address can't break out of it."""
    address = escape(quote(_CONTROL.sub("", _SPACE.sub("%20", url.strip())), safe=_IN_A_URL))
    return f"<{address}|{line(label).replace('|', '｜')}>"


def heard(text: str, bot: str) -> str:
    """What a person typed, as words: without the mention of the bot, without markup, entities as their characters."""

    def spoken(found: re.Match[str]) -> str:
        inside, _, label = found[1].partition("|")
        if inside == f"@{bot}":
            return " "
        if inside[:1] in ("@", "#", "!"):
            name = label or inside[1:]
            return name if name[:1] in ("@", "#") else f"{'#' if inside[0] == '#' else '@'}{name}"
        return label or inside if "|" in found[1] or ":" in inside else found[0]

    words = html.unescape(_MARKUP.sub(spoken, text))
    return "\n".join(_SPACE.sub(" ", row).strip() for row in words.splitlines()).strip()


def fenced(raw: str) -> str:
    """Raw lines as a code block that they can't end."""
    return f"{FENCE}\n{escape(raw.replace(FENCE, FENCE_SHOWN))}\n{FENCE}"


def sections(parts: Sequence[Part], limit: int) -> list[str]:
    """Parts as texts of at most `limit` characters each; a code block or a table that doesn't fit is fenced anew."""
    shown: list[str] = []
    heading = ""
    for part in parts:
        if part.heading and len(heading) + len(part.text) < limit // 4:
            heading += f"{part.text}\n\n"
            continue
        for number, piece in enumerate(_pieces(part, limit - len(heading))):
            joint = "\n" if part.tight and not number else "\n\n"
            if not number and shown and len(shown[-1]) + len(joint + heading + piece) <= limit:
                shown[-1] += joint + heading + piece
            else:
                shown.append(heading + piece)
            heading = ""
    return [*shown, heading.strip()] if heading else shown


def _pieces(part: Part, limit: int) -> Iterator[str]:
    if part.code:
        yield from _code_pieces(part, limit)
        return
    room = limit if not part.quoted else limit - 2 * (part.text.count("\n") + 1)
    for piece in _text_pieces(part.text, room):
        yield "\n".join(f"> {row}" for row in piece.splitlines()) if part.quoted else piece


def _text_pieces(text: str, limit: int) -> Iterator[str]:
    """Cut after a sentence, else between words, where no bold or code span is open; else anywhere but in an entity."""
    while len(text) > limit:
        ends = [found.start() for found in _SENTENCE_END.finditer(text, 0, limit)]
        spaces = [found.start() for found in _SPACE.finditer(text, 0, limit)]
        closed = (end for end in (*ends[::-1], *spaces[::-1]) if end and _is_closed(text[:end]))
        at = next(closed, 0) or len(_HALF_ENTITY.sub("", text[:limit]))
        yield text[:at].rstrip()
        text = text[at:].lstrip()
    if text:
        yield text


def _is_closed(text: str) -> bool:
    return all(text.count(mark) % 2 == 0 for mark in "`*")


def _code_pieces(part: Part, limit: int) -> Iterator[str]:
    room = limit - 2 * len(FENCE) - 2
    head = f"{part.head}\n" if part.head else ""
    rows: list[str] = []
    length = len(escape(head))
    for row in _rows(part.text, room - length):
        size = len(escape(row)) + 1
        if rows and length + size > room:
            yield fenced(head + "\n".join(rows))
            rows, length = [], len(escape(head))
        rows.append(row)
        length += size
    yield fenced(head + "\n".join(rows))


def _rows(text: str, room: int) -> Iterator[str]:
    """Lines, those that are too long in pieces. An escaped character takes up to five; few lines are all `&`."""
    for row in text.split("\n"):
        step = room - 1 if len(escape(row)) < room else max(1, (room - 1) // 5)
        yield from (row[start : start + step] for start in range(0, len(row), step)) if row else [""]
