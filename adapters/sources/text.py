"""Bytes -> clean text: encodings, line ends, and the characters that people can't see but models read."""

from __future__ import annotations

import codecs
import re

from crag.errors import SourceError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s{0,5}=\s{0,5}[\"']?([\w-]{1,40})", re.IGNORECASE)
_DECLARATION_WITHIN = 2048
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MAX_CONTROL_SHARE = 0.002
"""Real text has next to no control characters; a picture or a program has many."""

_INVISIBLE = {
    **dict.fromkeys(range(0x00, 0x09)),  # C0 controls but tab and line feed
    **dict.fromkeys(range(0x0E, 0x20)),
    **dict.fromkeys(range(0x7F, 0x85)),
    **dict.fromkeys(range(0x86, 0xA0)),  # C1 controls but next line
    0xAD: None,  # soft hyphen
    0x61C: None,  # bidi marks, embeddings, overrides, isolates
    **dict.fromkeys(range(0x200B, 0x2010)),  # zero-width space and joiners, bidi marks
    **dict.fromkeys(range(0x202A, 0x202F)),
    **dict.fromkeys(range(0x2060, 0x2070)),
    0x180E: None,
    0xFEFF: None,
    **dict.fromkeys(range(0xFFF9, 0xFFFC)),  # interlinear annotations
    **dict.fromkeys(range(0xE0000, 0xE0080)),  # tag characters
    **dict.fromkeys(range(0xFE00, 0xFE10)),  # variation selectors, which smuggle bytes
    **dict.fromkeys(range(0xE0100, 0xE01F0)),
}
_LINE_ENDS = {0x0B: "\n", 0x0C: "\n", 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}
_VISIBLE = {**_INVISIBLE, **_LINE_ENDS}

_MARKERS = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+[ \t>]*)*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def decode(data: bytes, path: str, *, html: bool = False) -> str:
    """The text of a file. A byte order mark decides; then UTF-8; then what an HTML page declares; then UTF-16 without
    a mark; then Windows-1252. Raises SourceError for an empty file and for one that isn't text."""
    if not data.strip():
        raise SourceError("The file is empty.", path=path)
    text = _decoded(data, path, html=html)
    if "\x00" in text:
        raise _not_text(path)
    if len(_CONTROL.findall(text)) > max(2, _MAX_CONTROL_SHARE * len(text)):
        raise _not_text(path)
    return text


def _decoded(data: bytes, path: str, *, html: bool) -> str:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise SourceError(
                    f"The file says that it is {encoding.upper()}, but it isn't.", path=path, advice="Save it as UTF-8."
                ) from error
    declared = _CHARSET.search(data[:_DECLARATION_WITHIN]) if html else None
    candidates = ["utf-8", *([declared[1].decode("ascii")] if declared else []), *_unmarked_utf16(data), "cp1252"]
    for encoding in candidates:
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("latin-1")


def _unmarked_utf16(data: bytes) -> list[str]:
    """Western text in UTF-16 has a NUL in every other byte."""
    half = max(1, len(data) // 2)
    if data[1::2].count(0) > 0.6 * half:
        return ["utf-16-le"]
    return ["utf-16-be"] if data[0::2].count(0) > 0.6 * half else []


def _not_text(path: str) -> SourceError:
    return SourceError("The file isn't text, whatever its name says.", path=path)


def clean(text: str) -> str:
    """Line ends as "\\n"; zero-width, bidi-control, tag and other unseen characters gone."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_VISIBLE)


def without_comments(markdown: str) -> str:
    """Markdown without its HTML comments, which no reader sees; those in code are shown, so they stay."""
    last = markdown.rfind("-->")
    if "<!--" not in markdown or last < 0:
        return markdown
    kept: list[str] = []
    fence = ""
    at = 0
    while at < len(markdown):
        end = markdown.find("\n", at) + 1 or len(markdown)
        mark = _FENCE.match(markdown, at, end)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        opened = -1 if fence else _comment_in(markdown, at, end, last)
        if opened < 0:
            kept.append(markdown[at:end])
            at = end
        else:
            kept.append(markdown[at:opened])
            at = markdown.index("-->", opened) + len("-->")
    return "".join(kept)


def _comment_in(markdown: str, start: int, end: int, last: int) -> int:
    """Where a comment opens in this line that closes before `last`, or -1."""
    opened = markdown.find("<!--", start, end)
    while opened > 0 and markdown[opened - 1] == "`":
        opened = markdown.find("<!--", opened + 1, end)
    return opened if opened < last else -1


def check_nesting(markdown: str, path: str, limit: int) -> None:
    """Raise SourceError where quotes and lists stand deeper inside each other than `limit`: no person writes that, and
    parsers take time that grows with the square of it."""
    for line in markdown.splitlines():
        prefix = line[: len(line) - len(line.lstrip(" \t>-*+0123456789.)"))]
        if len(prefix) <= limit:
            continue
        markers = _MARKERS.match(prefix)
        marked = markers[0] if markers else ""
        quotes, lists = marked.count(">"), len(marked.split()) - marked.count(">")
        indented = len(marked) - len(marked.lstrip(" \t")) if lists else 0
        if quotes + max(lists, 0) + indented // 2 > limit:
            raise SourceError(f"Quotes or lists are nested more than {limit} levels deep.", path=path)
