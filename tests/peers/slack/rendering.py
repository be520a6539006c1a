"""A message's text and blocks as plain text that a person can read: for golden files, and for failures of tests."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

Json = dict[str, Any]

_LINK = re.compile(r"<(?![!@#])([^<>|]+)\|([^<>]*)>")
_BARE = re.compile(r"<(?![!@#])([^<>|]+)>")
_PING = re.compile(r"<(!(?:channel|here|everyone)|!subteam\^[A-Z0-9]+|@[UW][A-Z0-9]+)(?:\|[^<>]*)?>")
_LOOSE_PING = re.compile(r"(?<!\w)@(channel|here|everyone)\b")


def rendered(text: str, blocks: Sequence[Json]) -> str:
    """What is on the screen: the blocks where there are any, else the text. Buttons stand as `[Label]`, links as
    `label <url>`; a live mention stays as `<!channel>`, so that a golden file shows it."""
    if not blocks:
        return mrkdwn(text)
    return "\n".join(line for block in blocks for line in _block(block))


def mrkdwn(text: str) -> str:
    """Slack's markup, readable: `<url|label>` becomes `label <url>`, entities their characters."""
    return html.unescape(_BARE.sub(r"<\1>", _LINK.sub(r"\2 <\1>", text)))


def pings(text: str, blocks: Sequence[Json], *, loose: bool = False) -> list[str]:
    """Whom a text and blocks would notify. `loose`: `@channel` in plain words counts too (parse=full, link_names)."""
    found: list[str] = []
    for part in (text, *_live_texts(list(blocks))):
        found += _PING.findall(part)
        if loose:
            found += [f"!{name}" for name in _LOOSE_PING.findall(part)]
    found += _rich_pings(list(blocks))
    return list(dict.fromkeys(found))


def _live_texts(value: Any) -> Iterator[str]:
    """Texts in which markup is live: mrkdwn objects and markdown blocks (plain_text isn't)."""
    if isinstance(value, list):
        for item in value:
            yield from _live_texts(item)
    elif isinstance(value, dict):
        if value.get("type") in ("mrkdwn", "markdown", "markdown_text") and isinstance(value.get("text"), str):
            yield value["text"]
        for key, item in value.items():
            if key != "text" or not isinstance(item, str):
                yield from _live_texts(item)


def _rich_pings(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _rich_pings(item)
    elif isinstance(value, dict):
        match value.get("type"):
            case "user" if "user_id" in value:
                yield f"@{value['user_id']}"
            case "usergroup":
                yield f"!subteam^{value.get('usergroup_id')}"
            case "broadcast":
                yield f"!{value.get('range')}"
        for item in value.values():
            yield from _rich_pings(item)


def _block(block: Json) -> Iterator[str]:
    kind = block.get("type", "?")
    match kind:
        case "header":
            yield f"# {_text(block['text'])}"
        case "section":
            yield from _section(block)
        case "markdown":
            yield from str(block["text"]).splitlines()
        case "divider":
            yield "-" * 20
        case "context":
            yield "| " + "  ".join(_element(e) for e in block.get("elements", []))
        case "actions" | "context_actions":
            yield " ".join(_element(e) for e in block.get("elements", []))
        case "table":
            yield from (" | ".join(_cell(cell) for cell in row) for row in block.get("rows", []))
        case "rich_text":
            yield from _rich(block).splitlines()
        case "input":
            mark = "" if block.get("optional") else "*"
            yield f"{_text(block['label'])}{mark}: {_element(block['element'])}"
        case "image":
            yield f"(image: {block.get('alt_text', '')})"
        case "alert":
            yield f"({block.get('level', 'default')}) {_text(block['text'])}"
        case _:
            yield from _other(kind, block)


def _section(block: Json) -> Iterator[str]:
    accessory = f"  {_element(block['accessory'])}" if block.get("accessory") else ""
    if block.get("text"):
        yield _text(block["text"]) + accessory
    elif accessory:
        yield accessory.strip()
    for text in block.get("fields") or []:
        yield f"  {_text(text)}"


def _other(kind: str, block: Json) -> Iterator[str]:
    """Cards, plans, containers: their texts, then what they hold."""
    words = [_text(block[key]) for key in ("title", "subtitle", "body", "text", "status") if block.get(key)]
    yield f"({kind}) " + " - ".join(words)
    if actions := block.get("actions"):
        yield "  " + " ".join(_element(e) for e in actions)
    for key in ("details", "output"):
        if isinstance(block.get(key), dict):
            yield f"  {_rich(block[key])}"
    for key in ("tasks", "child_blocks", "elements"):
        for nested in block.get(key) or []:
            if isinstance(nested, dict):
                yield from (f"  {line}" for line in _block(nested))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value.get("type") == "plain_text":
        return str(value["text"])
    return mrkdwn(str(value.get("text", "")))


def _cell(cell: Json) -> str:
    return _rich(cell) if cell.get("type") == "rich_text" else _text(cell)


def _element(element: Json) -> str:
    match element.get("type"):
        case "button" | "workflow_button":
            target = f" <{element['url']}>" if element.get("url") else ""
            return f"[{_text(element['text'])}{target}]"
        case "feedback_buttons":
            return " ".join(f"[{_text(element[key]['text'])}]" for key in ("positive_button", "negative_button"))
        case "icon_button":
            return f"[{element.get('icon')}: {_text(element['text'])}]"
        case "image":
            return f"(image: {element.get('alt_text', '')})"
        case "mrkdwn" | "plain_text":
            return _text(element)
        case kind:
            options = [_text(option["text"]) for option in element.get("options") or []]
            placeholder = _text(element["placeholder"]) if element.get("placeholder") else ""
            return f"({kind}: {' / '.join(options) or placeholder or element.get('initial_value', '')})"


def _rich(value: Json) -> str:
    """A rich_text block or element, flattened."""
    match value.get("type"):
        case "text":
            return str(value["text"])
        case "link":
            return f"{value['text']} <{value['url']}>" if value.get("text") else f"<{value['url']}>"
        case "user":
            return f"<@{value['user_id']}>"
        case "broadcast":
            return f"<!{value['range']}>"
        case "channel":
            return f"<#{value['channel_id']}>"
        case "emoji":
            return f":{value['name']}:"
    parts = [_rich(element) for element in value.get("elements", [])]
    match value.get("type"):
        case "rich_text":
            return "\n".join(parts)
        case "rich_text_list":
            return "\n".join(f"- {part}" for part in parts)
        case "rich_text_preformatted":
            return "```\n" + "".join(parts) + "\n```"
        case "rich_text_quote":
            return "> " + "".join(parts)
        case _:
            return "".join(parts)
