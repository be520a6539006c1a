"""Block Kit as HTML in the look of Slack."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from adapters.slack.blocks import Post
from tools.pictures import mrkdwn

Json = dict[str, Any]


def message(who: str, at: str, body: str, *, app: bool = False) -> str:
    """One message; `at` is a time of day."""
    badge = "<small class=app>APP</small>" if app else ""
    face = "<div class='face bot'>C</div>" if app else f"<div class=face>{escape(who[:1])}</div>"
    return (
        f"<div class=message>{face}<div class=body>"
        f"<div class=who><b>{escape(who)}</b>{badge}<time>{at}</time></div>{body}</div></div>"
    )


def posts(shown: Sequence[Post]) -> str:
    return "".join(blocks(post.blocks) for post in shown)


def person(text: str) -> str:
    """What somebody typed, with the bot's mention first."""
    return f"<div class=text><mark>@Candor</mark> {escape(text)}</div>"


def modal(view: Json) -> str:
    foot = f"<button class=primary>{escape(view['submit']['text'])}</button>" if "submit" in view else ""
    return (
        f"<div class=modal><header><div class='face bot'>C</div><b>{escape(view['title']['text'])}</b><i>✕</i></header>"
        f"<div class=blocks>{blocks(view['blocks'])}</div>"
        f"<footer><button>{escape(view['close']['text'])}</button>{foot}</footer></div>"
    )


def blocks(shown: Sequence[Json]) -> str:
    return "".join(map(_block, shown))


def _block(block: Json) -> str:
    match block["type"]:
        case "header":
            return f"<h2>{escape(block['text']['text'])}</h2>"
        case "section":
            beside = _element(block["accessory"]) if "accessory" in block else ""
            return f"<div class=section><div class=text>{_text(block['text'])}</div>{beside}</div>"
        case "context":
            return f"<div class=context>{''.join(f'<span>{_text(text)}</span>' for text in block['elements'])}</div>"
        case "divider":
            return "<hr>"
        case "actions" | "context_actions":
            return f"<div class=actions>{''.join(map(_element, block['elements']))}</div>"
        case "input":
            optional = " (optional)" if block.get("optional") else ""
            return f"<label>{escape(block['label']['text'])}{optional}</label>{_input(block['element'])}"
        case other:
            raise ValueError(f"a block that no picture shows yet: {other}")


def _input(element: Json) -> str:
    match element["type"]:
        case "plain_text_input":
            empty = f"<span class=empty>{escape(element.get('placeholder', {}).get('text', ''))}</span>"
            lines = "input" if element.get("multiline") else "'input one'"
            return f"<div class={lines}>{escape(element.get('initial_value', '')) or empty}</div>"
        case "radio_buttons":
            return "".join(f"<div class=radio>◯ {_text(option['text'])}</div>" for option in element["options"])
        case "multi_static_select":
            return "<div class='input one'><span class=empty>Choose options ▾</span></div>"
        case other:
            raise ValueError(f"an input that no picture shows yet: {other}")


def _text(text: Json) -> str:
    return mrkdwn.html(text["text"]) if text["type"] == "mrkdwn" else escape(text["text"])


def _element(element: Json) -> str:
    match element["type"]:
        case "button":
            return f"<button class={element.get('style', 'plain')}>{escape(element['text']['text'])}</button>"
        case "feedback_buttons":
            return "<button class=icon>👍</button><button class=icon>👎</button>"
        case other:
            raise ValueError(f"an element that no picture shows yet: {other}")
