"""Buttons, menus, forms and command options as a person's client treats them: what is there, what must be filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.peers.discord.interactions import Modal
from tests.peers.discord.messages import Message, elements_of
from tests.peers.discord.world import World

Json = dict[str, Any]
Value = str | bool | list[str]

_KINDS: dict[int, type] = {3: str, 4: int, 5: bool, 10: float}
_OPTION_OF = {6: "user", 7: "channel", 8: "role"}
_MENU_OF = {5: "user", 6: "role", 8: "channel"}
_BUTTON, _TEXT = 2, 4


def element_called(message: Message, name: str, *, menu: bool) -> Json:
    """The button or menu by its custom_id, a button also by its label. AssertionError if a person couldn't use it."""
    there = [e for e in message.actions if (e["type"] != _BUTTON) == menu]
    found = [e for e in there if e.get("custom_id") == name] or [e for e in there if name in _labels(e)]
    if len(found) != 1:
        known = [e.get("label") or e.get("placeholder") or e.get("custom_id") for e in there]
        raise AssertionError(f"{len(found)} element(s) called {name!r}; there are {known} in\n{message.rendering}")
    if found[0].get("disabled"):
        raise AssertionError(f"{name!r} is disabled")
    if message.deleted or message.thinking:
        raise AssertionError("the message isn't there")
    return found[0]


def chosen(element: Json, values: Sequence[str], world: World) -> list[str]:
    """The values of a choice: options by value or label, people, roles and channels by name or id."""
    kind = element["type"]
    if kind in (3, 21, 22):
        options = {option["label"]: option["value"] for option in element.get("options") or []}
        picked = [options.get(value, value) for value in values]
        if unknown := set(picked) - set(options.values()):
            raise AssertionError(f"no option {sorted(unknown)}; there are {options}")
    else:
        picked = [_found(world, _MENU_OF.get(kind, "user"), value) for value in values]
    least, most = element.get("min_values", 1), element.get("max_values", 1)
    if kind != 21 and not least <= len(picked) <= most:
        raise AssertionError(f"between {least} and {most} values must be chosen, not {len(picked)}")
    return picked


def submitted(modal: Modal, given: Mapping[str, Value], world: World) -> list[Json]:
    """The components of a submission. AssertionError where Discord's client would not let one submit."""
    elements = {element["custom_id"]: element for element in elements_of(modal.body["components"])}
    if unknown := set(given) - set(elements):
        raise AssertionError(f"the modal has no input {sorted(unknown)}; it has {sorted(elements)}")
    found: list[Json] = []
    for number, component in enumerate(modal.body["components"], 1):
        entry: Json = {"type": component["type"], "id": component.get("id") or number}
        if component["type"] == 1:
            found.append(entry | {"components": [_entry(e, given, world) for e in component["components"]]})
        elif component["type"] == 18:
            found.append(entry | {"component": _entry(component["component"], given, world)})
        else:
            found.append(entry)
    return found


def _entry(element: Json, given: Mapping[str, Value], world: World) -> Json:
    name, kind = element["custom_id"], element["type"]
    entry: Json = {"type": kind, "id": element.get("id", 1), "custom_id": name}
    value = given.get(name)
    if kind == 23:
        return entry | {"value": bool(element.get("default") if value is None else value)}
    if value is None and kind == _TEXT:
        value = element.get("value") or ""
    if not value and element.get("required", True):
        raise AssertionError(f"{name!r} must be filled in")
    if kind == _TEXT:
        least, most = element.get("min_length") or 0, element.get("max_length") or 4000
        if value and not least <= len(str(value)) <= most:
            raise AssertionError(f"{name!r} takes {least} to {most} characters, not {len(str(value))}")
        return entry | {"value": value}
    values = [value] if isinstance(value, str) else list(value) if isinstance(value, list) else []
    picked = chosen(element, values, world) if values else []
    return entry | ({"value": picked[0] if picked else None} if kind == 21 else {"values": picked})


def options_of(command: Json, path: Sequence[str], given: Mapping[str, Any], world: World) -> tuple[list[Json], Json]:
    """The options of a command's interaction, and what they resolve to. `path` are the subcommands."""
    if path:
        inner = next((o for o in command.get("options", []) if o["type"] in (1, 2) and o["name"] == path[0]), None)
        if inner is None:
            raise AssertionError(f"{command['name']} has no {path[0]!r}: {[o['name'] for o in command['options']]}")
        options, resolved = options_of(inner, path[1:], given, world)
        return [{"type": inner["type"], "name": inner["name"], "options": options}], resolved
    known = {option["name"]: option for option in command.get("options", []) if option["type"] > 2}
    if any(option["type"] in (1, 2) for option in command.get("options", [])):
        raise AssertionError(f"{command['name']} needs a subcommand: {[o['name'] for o in command['options']]}")
    missing = {name for name, option in known.items() if option.get("required")} - set(given)
    if missing or set(given) - set(known):
        raise AssertionError(f"{command['name']} takes {known}, not {given}")
    found: list[Json] = []
    resolved = {}
    for name, value in given.items():
        found.append({"type": known[name]["type"], "name": name, "value": _option(known[name], value, world)})
        if known[name]["type"] == 6:
            resolved.setdefault("users", {})[found[-1]["value"]] = found[-1]["value"]
    return found, resolved


def _option(option: Json, value: Any, world: World) -> Any:
    choices = {choice["name"]: choice["value"] for choice in option.get("choices") or []}
    if choices and value not in (*choices, *choices.values()):
        raise AssertionError(f"{option['name']} is one of {choices}")
    value = choices.get(value, value)
    if (kind := _KINDS.get(option["type"])) is not None:
        if not isinstance(value, kind):
            raise AssertionError(f"{option['name']} takes {kind}, not {value!r}")
        least, most = option.get("min_length") or 0, option.get("max_length") or 6000
        if isinstance(value, str) and not least <= len(value) <= most:
            raise AssertionError(f"{option['name']} can't be {len(value)} characters long")
        return value
    return _found(world, _OPTION_OF[option["type"]], str(value))


def _found(world: World, kind: str, name: str) -> str:
    """The id of a person, a channel or a role."""
    match kind:
        case "channel":
            return world.channel(name).id
        case "role":
            return world.role(name).id
        case _:
            return world.user(name).id


def _labels(element: Json) -> tuple[str, ...]:
    emoji = (element.get("emoji") or {}).get("name") or ""
    label = element.get("label") or element.get("placeholder") or ""
    return tuple(words for words in (label, emoji, f"{emoji} {label}".strip()) if words)
