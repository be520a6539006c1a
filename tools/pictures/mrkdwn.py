"""Slack's mrkdwn as HTML, by Slack's own rules: so that a stray `**`, `<url|` or entity would show as it does there."""

from __future__ import annotations

import re
from html import escape, unescape

_FENCE = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"<(https?:[^<>|]+)(?:\|([^<>]*))?>")
_MENTION = re.compile(r"<([@#!][^<>]*)>")
_STYLES = tuple(
    (re.compile(rf"(?<![\w{mark}]){mark}(?=\S)([^{mark}\n]*?\S){mark}(?![\w{mark}])"), tag)
    for mark, tag in ((r"\*", "b"), ("_", "i"), ("~", "s"))
)


def html(text: str) -> str:
    """A mrkdwn text; code first, for nothing in it is markup."""
    shown, at = "", 0
    for fence in _FENCE.finditer(text):
        shown += _prose(text[at : fence.start()]) + f"<pre>{_plain(fence[1])}</pre>"
        at = fence.end()
    return shown + _prose(text[at:])


def _prose(text: str) -> str:
    rows: list[str] = []
    for line in text.strip("\n").split("\n") if text.strip("\n") else []:
        quoted = re.match(r"(?:&gt;|>) ?(.*)", line)
        rows.append(f"<blockquote>{_line(quoted[1])}</blockquote>" if quoted else f"{_line(line) or '&nbsp;'}<br>")
    return "".join(rows).removesuffix("<br>")


def _line(line: str) -> str:
    shown, at = "", 0
    for code in _CODE.finditer(line):
        shown += _styled(line[at : code.start()]) + f"<code>{_plain(code[1])}</code>"
        at = code.end()
    return shown + _styled(line[at:])


def _styled(text: str) -> str:
    kept: list[str] = []

    def keep(shown: str) -> str:
        kept.append(shown)
        return f"\0{len(kept) - 1}\0"

    text = _LINK.sub(lambda m: keep(f'<a href="{escape(unescape(m[1]))}">{_plain(m[2] or m[1])}</a>'), text)
    text = _MENTION.sub(lambda m: keep(f"<mark>{_plain(m[1])}</mark>"), text)
    text = _plain(text)
    for style, tag in _STYLES:
        text = style.sub(rf"<{tag}>\1</{tag}>", text)
    text = re.sub(r"^ +", lambda m: "&nbsp;" * len(m[0]), text)
    return re.sub(r"\0(\d+)\0", lambda m: kept[int(m[1])], text)


def _plain(text: str) -> str:
    """Slack's entities are `&amp; &lt; &gt;`; all else shows as it is."""
    return escape(unescape(text), quote=False)
