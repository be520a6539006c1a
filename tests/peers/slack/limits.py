"""What Slack's servers accept in a message or a view. The numbers are those of slack-sdk's block models and of Slack's
reference; the wording is that of Slack's own refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.peers.slack.faults import Refusal

Json = dict[str, Any]

TEXT_CUT = 40_000
UPDATE_TEXT = 4_000
MARKDOWN = 12_000
ALL_BLOCKS = 13_200
BLOCKS = 50
VIEW_BLOCKS = 100
VIEW_BYTES = 250_000

_LENGTHS = {  # (block type, field): characters of the text object or string there
    ("section", "text"): 3000,
    ("header", "text"): 150,
    ("markdown", "text"): MARKDOWN,
    ("input", "label"): 2000,
    ("input", "hint"): 2000,
    ("image", "image_url"): 3000,
    ("image", "alt_text"): 2000,
    ("image", "title"): 2000,
    ("card", "title"): 150,
    ("card", "subtitle"): 150,
    ("card", "body"): 200,
    ("container", "title"): 150,
    ("container", "subtitle"): 150,
    ("button", "text"): 75,
    ("button", "url"): 3000,
    ("button", "value"): 2000,
}
_COUNTS = {
    ("section", "fields"): 10,
    ("actions", "elements"): 25,
    ("context", "elements"): 10,
    ("context_actions", "elements"): 5,
    ("carousel", "elements"): 10,
    ("container", "child_blocks"): 10,
    ("table", "rows"): 100,
    ("static_select", "options"): 100,
    ("overflow", "options"): 5,
    ("radio_buttons", "options"): 10,
    ("checkboxes", "options"): 10,
}
_NEEDED = {
    "section": ("text|fields",),
    "header": ("text",),
    "markdown": ("text",),
    "actions": ("elements",),
    "context": ("elements",),
    "context_actions": ("elements",),
    "input": ("label", "element"),
    "image": ("alt_text",),
    "table": ("rows",),
    "alert": ("text",),
    "rich_text": ("elements",),
    "button": ("text", "action_id"),
    "feedback_buttons": ("positive_button", "negative_button"),
    "icon_button": ("icon", "text"),
}
_BLOCK_TYPES = {
    *("section", "header", "markdown", "divider", "actions", "context", "context_actions", "input", "image", "table"),
    *("rich_text", "alert", "card", "carousel", "container", "plan", "task_card", "video", "file"),
}
_INSIDE = {  # what may stand in `elements`
    "actions": {
        *("button", "static_select", "overflow", "radio_buttons", "checkboxes", "datepicker", "users_select"),
        *("channels_select", "conversations_select", "multi_static_select", "workflow_button"),
    },
    "context": {"mrkdwn", "plain_text", "image"},
    "context_actions": {"feedback_buttons", "icon_button"},
}
_PLAIN_ONLY = {("header", "text"), ("button", "text"), ("input", "label")}


def parsed_list(value: Any, code: str) -> list[Json]:
    """Blocks or chunks as sent: a JSON array, or a string of one."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise Refusal(code) from None
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Refusal(code)
    return value


def check_message(blocks: list[Json], *, most: int = BLOCKS) -> None:
    """Raises invalid_blocks with its reasons, or msg_blocks_too_long."""
    _refuse(list(_faults(blocks, most, "/blocks")), "invalid_blocks")
    if len(json.dumps(blocks, ensure_ascii=False, separators=(",", ":"))) > ALL_BLOCKS:
        raise Refusal("msg_blocks_too_long")


def check_view(view: Any) -> None:
    if not isinstance(view, dict) or view.get("type") not in ("modal", "home"):
        _refuse(["must be one of the allowed values [json-pointer:/view/type]"], "invalid_arguments")
    if len(json.dumps(view)) > VIEW_BYTES:
        raise Refusal("view_too_large")
    reasons = list(_faults(view.get("blocks", []), VIEW_BLOCKS, "/view/blocks"))
    if view["type"] == "modal":
        if not _words(view.get("title")):
            reasons.append("missing required field: title [json-pointer:/view]")
        for part in ("title", "submit", "close"):
            if len(_words(view.get(part))) > 24:
                reasons.append(f"must be less than 25 characters [json-pointer:/view/{part}/text]")
        if any(block.get("type") == "input" for block in view.get("blocks", [])) and not view.get("submit"):
            reasons.append("missing required field: submit [json-pointer:/view]")
    for part, most in (("private_metadata", 3000), ("callback_id", 255), ("external_id", 255)):
        if len(view.get(part) or "") > most:
            reasons.append(f"must be less than {most + 1} characters [json-pointer:/view/{part}]")
    _refuse(reasons, "invalid_arguments")


def check_markdown(text: str) -> None:
    if len(text) > MARKDOWN:
        raise Refusal("msg_too_long")


def _refuse(reasons: list[str], code: str) -> None:
    if reasons:
        messages = [f"[ERROR] {reason}" for reason in reasons]
        raise Refusal(code, errors=reasons, response_metadata={"messages": messages})


def _faults(blocks: list[Json], most: int, at: str) -> Iterator[str]:
    if len(blocks) > most:
        yield f"no more than {most} items allowed [json-pointer:{at}]"
    ids = [block["block_id"] for block in blocks if block.get("block_id")]
    if len(ids) != len(set(ids)):
        yield f"block_id should be unique [json-pointer:{at}]"
    if len([block for block in blocks if block.get("type") == "table"]) > 1:
        yield f"only_one_table_allowed [json-pointer:{at}]"
    for number, block in enumerate(blocks):
        yield from _block_faults(block, f"{at}/{number}")


def _block_faults(block: Json, at: str) -> Iterator[str]:
    kind = block.get("type")
    if kind not in _BLOCK_TYPES:
        yield f"unsupported type: {kind} [json-pointer:{at}/type]"
        return
    if len(block.get("block_id") or "") > 255:
        yield f"must be less than 256 characters [json-pointer:{at}/block_id]"
    yield from _field_faults(block, at)
    for number, field in enumerate(block.get("fields") or []):
        if len(_words(field)) > 2000:
            yield f"must be less than 2001 characters [json-pointer:{at}/fields/{number}/text]"
    allowed = _INSIDE.get(kind)
    for number, element in enumerate(block.get("elements") or []):
        here = f"{at}/elements/{number}"
        if allowed is not None and element.get("type") not in allowed:
            yield f"unsupported type: {element.get('type')} [json-pointer:{here}/type]"
        yield from _field_faults(element, here)
    for part in ("accessory", "element"):
        if isinstance(block.get(part), dict):
            yield from _field_faults(block[part], f"{at}/{part}")
    for number, row in enumerate(block.get("rows") or []):
        if len(row) > 20:
            yield f"no more than 20 items allowed [json-pointer:{at}/rows/{number}]"
    for part in ("actions", "child_blocks", "tasks"):
        for number, nested in enumerate(block.get(part) or []):
            yield from _field_faults(nested, f"{at}/{part}/{number}")
    actions = [e.get("action_id") for e in block.get("elements") or [] if isinstance(e, dict) and e.get("action_id")]
    if len(actions) != len(set(actions)):
        yield f"action_id should be unique within a block [json-pointer:{at}/elements]"


def _field_faults(item: Json, at: str) -> Iterator[str]:
    kind = str(item.get("type"))
    for need in _NEEDED.get(kind, ()):
        if not any(item.get(name) for name in need.split("|")):
            yield f"missing required field: {need.split('|')[0]} [json-pointer:{at}]"
    if len(item.get("action_id") or "") > 255:
        yield f"must be less than 256 characters [json-pointer:{at}/action_id]"
    for (of, name), most in _LENGTHS.items():
        if of == kind and len(_words(item.get(name))) > most:
            inner = "/text" if isinstance(item.get(name), dict) else ""
            yield f"must be less than {most + 1} characters [json-pointer:{at}/{name}{inner}]"
    for (of, name), most in _COUNTS.items():
        if of == kind and len(item.get(name) or []) > most:
            yield f"no more than {most} items allowed [json-pointer:{at}/{name}]"
    for of, name in _PLAIN_ONLY:
        if of == kind and isinstance(item.get(name), dict) and item[name].get("type") != "plain_text":
            yield f"must be a plain_text object [json-pointer:{at}/{name}/type]"
    text = item.get("text")
    if kind in ("section", "header", "button", "alert") and text is not None and not isinstance(text, dict):
        yield f"must provide an object [json-pointer:{at}/text]"


def _words(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("text")
    return value if isinstance(value, str) else ""
