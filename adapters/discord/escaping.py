"""Untrusted text as Discord's Markdown: nothing mentions, hides, underlines or links that shouldn't, and back again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from adapters.discord.limits import URL, one_line
from crag.markup import gist as plain
from crag.text import clean
from crag.types import Chunk

STOP = "\u200b"
"""A zero-width space: stands where Discord would otherwise read a mention, an emoji, a time or a link."""

CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
"""Code in a line; nothing in it is Markdown, nor a mention."""
MARK = re.compile(r"\[(\d{1,3})\](?!\()")

_LIVE = re.compile(r"@(?=everyone\b|here\b)|<(?=[@#/:]|a:|t:|id:)|\bhttps?:(?=//)", re.IGNORECASE)
_ONLY_HERE = re.compile(r"\|\||__+")
_IN_A_WORD = re.compile(r"(?<=\w)\*(?=\w)")
"""Nobody means emphasis by "2*3*4"."""
_LINE_START = re.compile(r"^(\s*)(-# |>>> ?)")
_SMALL_HEADING = re.compile(r"^\s{0,3}#{4,6}\s+(.+?)\s*#*$")
_SPECIAL = re.compile(r"([\\`*_~|\[\]<]|^[#>+-])")
_LINKED_MARK = re.compile(r"\[\[(\d{1,3})\]\]\(<[^>]*>\)")


def prose(line: str, links: Mapping[int, str]) -> str:
    """A line of an answer, which is Markdown. Discord's own marks (spoilers, underlines, small print) are escaped, and
    citations become links to their passages."""
    if heading := _SMALL_HEADING.match(line):
        line = f"**{heading.group(1).replace('**', '')}**"
    shown, at = "", 0
    for code in CODE.finditer(line):
        shown += _plain(line[at : code.start()], links) + code.group()
        at = code.end()
    return _LINE_START.sub(lambda m: f"{m.group(1)}\\{m.group(2)}", shown + _plain(line[at:], links))


def _plain(text: str, links: Mapping[int, str]) -> str:
    text = _IN_A_WORD.sub(r"\*", text)
    text = _ONLY_HERE.sub(lambda m: "".join(f"\\{c}" for c in m.group()), defused(text))
    return MARK.sub(lambda m: f"[{m.group()}](<{url}>)" if (url := links.get(int(m.group(1)))) else m.group(), text)


def defused(text: str) -> str:
    """The text without anything hidden, and without a mention, custom emoji, time, command or link in it."""
    return _LIVE.sub(lambda m: f"{m.group()}{STOP}", clean(text))


def literal(text: str, most: int) -> str:
    """Text that means no Markdown at all, on one line: titles, paths, names. `most` counts what a reader sees."""
    return _SPECIAL.sub(r"\\\1", defused(one_line(text, most)))


def gist(text: str, most: int) -> str:
    """What a passage says, without its Markdown, on one line and in whole words: for a glance at it."""
    told = plain(text)
    return literal(told if len(told) <= most else f"{told[: most - 1].rsplit(' ', 1)[0]}…", most)


def as_written(text: str) -> str:
    """What `prose` made of an answer, as the writer had it: for the history of a thread."""
    text = _LINKED_MARK.sub(r"[\1]", text)
    return re.sub(r"\\([*|_>-])", r"\1", text).replace(STOP, "")


def web_address(chunk: Chunk) -> str:
    """Where a reader opens the passage; "" where that is no address on the web, or none that Discord would take."""
    link = "".join(clean(chunk.link).split())
    try:
        parts = urlsplit(link)
    except ValueError:
        return ""
    if parts.scheme.lower() not in ("http", "https") or not parts.netloc:
        return ""
    address = quote(link, safe="%/:?#@!$&'*+,;=~[]-._")
    return address if len(address) <= URL else ""


def named(chunk: Chunk, label: str, most: int = 120) -> str:
    """A passage's name as a link to it; where there is no link, with its path."""
    address = web_address(chunk)
    if address:
        return f"[{literal(label, most)}](<{address}>)"
    return f"{literal(label, most)} · {literal(chunk.link, most)}"
