"""Embeds and buttons as HTML in the look of Discord."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from discord import ui
from markdown_it import MarkdownIt

from adapters.discord.buttons import view_of
from adapters.discord.pages import Page

Json = dict[str, Any]
_STYLES = {1: "primary", 2: "secondary", 3: "success", 4: "danger"}
_TEXT_INPUT, _PARAGRAPH = 4, 2
_BLOCK = re.compile(r"(?P<head>#{1,3} )|(?P<item>[-*] )|(?P<small>-# )|(?P<quote>> )")
_INLINE = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")


def message(who: str, at: str, body: str, *, app: bool = False) -> str:
    """One message; `at` is a time of day."""
    badge = "<small>APP</small>" if app else ""
    face = "<div class='face bot'>C</div>" if app else f"<div class=face>{escape(who[:1])}</div>"
    return (
        f"<div class=message>{face}<div class=body>"
        f"<div class=who><b>{escape(who)}</b>{badge}<time>{at}</time></div>{body}</div></div>"
    )


def person(text: str) -> str:
    """What somebody typed, with the bot's mention first."""
    return f"<div><mark>@Candor</mark> {escape(text)}</div>"


def pages(shown: Sequence[Page], *, private: bool = False) -> str:
    """`private`: only the person who pressed or typed sees it."""
    told = "<div class=private>👁 Only you can see this · <a>Dismiss message</a></div>" if private else ""
    return "".join(map(_page, shown)) + told


def form(shown: ui.Modal, *, opened: str = "") -> str:
    """A form; of the menu `opened` (its custom_id) the options are seen."""
    labels: list[Json] = [dict(label) for label in shown.to_dict()["components"]]
    fields = "".join(f"<label>{escape(label['label'])}</label>{_field(label['component'], opened)}" for label in labels)
    foot = "<div class=buttons><button class=secondary>Cancel</button><button class=primary>Submit</button></div>"
    return f"<div class=form><h3>{escape(shown.title)}</h3>{fields}{foot}</div>"


def _field(field: Json, opened: str) -> str:
    if field["type"] == _TEXT_INPUT:
        lines = "'input lines'" if field["style"] == _PARAGRAPH else "input"
        return f"<div class={lines}>{escape(field.get('placeholder') or ' ')}</div>"
    options = (f"<div class=option>{escape(option['label'])}</div>" for option in field["options"])
    return f"<div class=input>Make a selection ▾</div>{''.join(options) if field['custom_id'] == opened else ''}"


def _page(page: Page) -> str:
    content = f"<div>{markdown(page.content)}</div>" if page.content else ""
    view = view_of(page.buttons)
    rows: list[Json] = view.to_components() if view else []
    buttons = "".join(f"<div class=buttons>{''.join(map(_button, row['components']))}</div>" for row in rows)
    return content + "".join(_embed(dict(embed.to_dict())) for embed in page.embeds) + buttons


def _embed(embed: Json) -> str:
    parts = [f"<div class=title>{_inline(embed['title'])}</div>"] if "title" in embed else []
    if "description" in embed:
        parts.append(f"<div>{markdown(embed['description'])}</div>")
    for field in embed.get("fields", []):
        name = f"<div class=name>{_inline(field['name'])}</div>"
        parts.append(f"<div>{name}<div class=value>{markdown(field['value'])}</div></div>")
    if "footer" in embed:
        parts.append(f"<footer>{escape(embed['footer']['text'])}</footer>")
    return f"<div class=embed style='border-color:#{embed['color']:06x}'>{''.join(parts)}</div>"


def _button(button: Json) -> str:
    disabled = " disabled" if button.get("disabled") else ""
    return f"<button class={_STYLES[button['style']]}{disabled}>{escape(button['label'])}</button>"


def markdown(text: str) -> str:
    """Discord's Markdown: each line is a line, an empty one too."""
    shown = ""
    for at, piece in enumerate(re.split(r"```(?:[A-Za-z0-9_+#.-]+\n)?(.*?)```", text, flags=re.DOTALL)):
        shown += f"<pre>{escape(piece.strip(chr(10)))}</pre>" if at % 2 else "".join(_lines(piece.strip("\n")))
    return shown


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n") if text else []:
        block = _BLOCK.match(line)
        rest = _inline(line[block.end() :] if block else line)
        match block.lastgroup if block else "":
            case "head":
                yield f"<h3>{rest}</h3>"
            case "item":
                yield f"<div class=item>{rest}</div>"
            case "small":
                yield f"<div class=small>{rest}</div>"
            case "quote":
                yield f"<blockquote>{rest}</blockquote>"
            case _:
                yield f"<div class=line>{rest}</div>"


def _inline(text: str) -> str:
    return str(_INLINE.renderInline(text))
