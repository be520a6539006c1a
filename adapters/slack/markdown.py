"""An answer's Markdown -> parts of mrkdwn. Links become their words: where a reader may go stands in the sources only.
Reference definitions are off, so that no document turns `[1]` into a link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from adapters.slack.mrkdwn import Part, escape
from crag.markup import with_marks_below_code

WIDE = 72
"""Columns that a table may take; a wider one is told row by row, which a phone can show."""

_MARKS = {
    "strong_open": "*",
    "strong_close": "*",
    "em_open": "_",
    "em_close": "_",
    "s_open": "~",
    "s_close": "~",
    "softbreak": "\n",
    "hardbreak": "\n",
}


def parts(markdown: str) -> list[Part]:
    """Paragraphs, headings, list items, code blocks and tables, in reading order."""
    return list(_Reader(_parser().parse(with_marks_below_code(markdown))).parts())


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return parser.disable(["reference", "autolink", "html_inline", "html_block"])


class _Reader:
    """Walks the tokens once. `_lists` are the open lists, each with its next number (0: bullets)."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = iter(tokens)
        self._lists: list[int] = []
        self._mark = ""
        self._quotes = 0
        self._first_item = True

    def parts(self) -> Iterator[Part]:
        for token in self._tokens:
            match token.type:
                case "bullet_list_open" | "ordered_list_open":
                    self._first_item = not self._lists
                    self._lists.append(int(token.attrGet("start") or 1) if token.type.startswith("ordered") else 0)
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                case "list_item_open":
                    self._mark = self._next_mark()
                case "blockquote_open":
                    self._quotes += 1
                case "blockquote_close":
                    self._quotes -= 1
                case "heading_open":
                    yield Part(f"*{_inline(next(self._tokens), bold=False)}*", heading=True)
                case "inline":
                    yield self._paragraph(_inline(token))
                case "fence" | "code_block":
                    yield Part(token.content.rstrip("\n"), code=True)
                case "hr":
                    yield Part("———")
                case "table_open":
                    yield from _table(list(self._rows()))

    def _next_mark(self) -> str:
        number = self._lists[-1]
        if number:
            self._lists[-1] += 1
        return f"{number}. " if number else "• "

    def _paragraph(self, text: str) -> Part:
        if not self._lists:
            return Part(text, quoted=self._quotes > 0)
        indent = "    " * (len(self._lists) - 1)
        mark, self._mark = self._mark or "  ", ""
        tight, self._first_item = not self._first_item, False
        return Part(f"{indent}{mark}{text}", tight=tight, quoted=self._quotes > 0)

    def _rows(self) -> Iterator[list[Token]]:
        row: list[Token] = []
        for token in self._tokens:
            if token.type == "inline":
                row.append(token)
            elif token.type == "tr_close":
                yield row
                row = []
            elif token.type == "table_close":
                return


def _table(rows: list[list[Token]]) -> Iterator[Part]:
    """Columns side by side where they fit, else each row as an item that names its columns."""
    plain = [[_plain(cell) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*plain, strict=True)]
    if sum(widths) + 3 * len(widths) <= WIDE:
        lines = [
            " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in plain
        ]
        rule = "-+-".join("-" * width for width in widths)
        yield Part("\n".join(lines[1:]), code=True, head=f"{lines[0]}\n{rule}")
        return
    for number, row in enumerate(rows[1:]):
        told = (f"*{escape(name)}:* {_inline(cell)}" for name, cell in zip(plain[0], row, strict=True) if cell.content)
        yield Part("• " + "; ".join(told), tight=number > 0)


def _plain(cell: Token) -> str:
    return " ".join(
        "".join(child.content or " " * (child.type == "softbreak") for child in cell.children or []).split()
    )


def _inline(token: Token, *, bold: bool = True) -> str:
    shown: list[str] = []
    children = token.children or []
    for at, child in enumerate(children):
        match child.type:
            case "text" | "text_special" | "image":
                shown.append(escape(child.content))
            case "code_inline":
                shown.append(f"`{escape(child.content)}`")
            case "strong_open" | "strong_close" if not bold:
                continue
            case kind if kind.startswith("em_") and _in_a_word(children, at):
                shown.append(child.markup)
            case kind:
                shown.append(_MARKS.get(kind, ""))
    return "".join(shown)


def _in_a_word(children: Sequence[Token], at: int) -> bool:
    """Slack shows a `_` there as it stands, and nobody means emphasis by "2*3*4"."""
    before, after = ("".join(c.content for c in part) for part in (children[at - 1 : at], children[at + 1 : at + 2]))
    return before[-1:].isalnum() and after[:1].isalnum()
