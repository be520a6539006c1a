"""Buttons, menus and inputs as a person's client treats them: what is there, what was chosen, what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.peers.slack.state import View
from tests.peers.slack.workspace import elements_of

Json = dict[str, Any]


def element_called(blocks: list[Json], action_id: str, value: str | None) -> tuple[Json, str]:
    found = [pair for pair in elements_of(blocks) if pair[0]["action_id"] == action_id]
    if len(found) > 1 and value is not None:
        found = [pair for pair in found if pair[0].get("value") == value]
    if not found:
        there = [(e["action_id"], e.get("value")) for e, _ in elements_of(blocks)]
        raise AssertionError(f"nothing to press called {action_id!r} ({value=}); there are {there}")
    return found[0]


def choice(element: Json, value: str | None) -> Json:
    """What an action says of the choice made."""
    match element["type"]:
        case "button" | "workflow_button":
            return {key: element[key] for key in ("text", "value", "url", "style") if key in element}
        case "feedback_buttons":
            options = [element["positive_button"], element["negative_button"]]
            chosen = next((option for option in options if option["value"] == value), None)
            if chosen is None:
                raise AssertionError(f"no feedback button of value {value!r}: {[o['value'] for o in options]}")
            return {"value": chosen["value"], "text": chosen["text"]}
        case "icon_button":
            return {key: element[key] for key in ("text", "value", "icon") if key in element}
        case "users_select":
            return {"selected_user": value}
        case _:
            return _selected(element, value or "")


def _selected(element: Json, value: str | list[str]) -> Json:
    options = list(element.get("options") or [])
    options += [option for group in element.get("option_groups") or [] for option in group["options"]]
    wanted = value if isinstance(value, list) else [value]
    chosen = [option for option in options if option["value"] in wanted]
    if len(chosen) != len(wanted):
        raise AssertionError(f"no option {wanted}; there are {[option['value'] for option in options]}")
    many = element["type"] in ("checkboxes", "multi_static_select")
    return {"selected_options": chosen} if many else {"selected_option": chosen[0]}


def state_of(view: View, given: Mapping[str, str | list[str]]) -> Json:
    """A modal's state: what stands in each input. AssertionError where Slack's client would not let one submit."""
    values: Json = {}
    for block in view.body.get("blocks", []):
        if block.get("type") != "input":
            continue
        element, name = block["element"], block["element"].get("action_id", "")
        entry: Json = {"type": element["type"]}
        if name not in given:
            if not block.get("optional") and "initial_value" not in element and "initial_option" not in element:
                raise AssertionError(f"{name!r} must be filled in")
            entry |= {"value": element.get("initial_value"), "selected_option": element.get("initial_option")}
        elif "text_input" in element["type"]:
            entry["value"] = given[name]
        else:
            entry |= _selected(element, given[name])
        values.setdefault(block["block_id"], {})[name] = entry
    if unknown := set(given) - {name for block in values.values() for name in block}:
        raise AssertionError(f"the modal has no input {sorted(unknown)}")
    return values
