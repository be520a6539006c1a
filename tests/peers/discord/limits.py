"""What Discord's servers accept in a message, a modal or a command; the numbers are those of its documentation, the
wording that of its own refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from tests.peers.discord.faults import Refusal
from tests.peers.discord.messages import Flag, elements_of

Json = dict[str, Any]
Fault = tuple[str, str, str]  # dotted path, code, message

CONTENT = 2000
EMBEDS = 10
ALL_EMBEDS = 6000
NONCE = 25
V2_TEXT = 4000
V2_COMPONENTS = 40

_EMBED = {"title": 256, "description": 4096, "footer.text": 2048, "author.name": 256}
_FIELD = {"name": 256, "value": 1024}
_LENGTHS = {  # (component type, field): characters
    **{(kind, "custom_id"): 100 for kind in (2, 3, 4, 5, 6, 7, 8, 21, 22, 23)},
    **{(kind, "placeholder"): 150 for kind in (3, 5, 6, 7, 8)},
    (2, "label"): 80,
    (2, "url"): 512,
    (4, "label"): 45,
    (4, "placeholder"): 100,
    (4, "value"): 4000,
    (18, "label"): 45,
    (18, "description"): 100,
}
_NAME = re.compile(r"^[-_'\w]{1,32}$")


def check_message(content: str, embeds: list[Json], components: list[Json], flags: Flag) -> None:
    """Raises 50035 with all that is wrong, in Discord's form."""
    faults = [*_too_long("content", content, CONTENT), *_embeds(embeds)]
    new = Flag.COMPONENTS_V2 in flags
    if new and (content or embeds):
        part = "content" if content else "embeds"
        faults.append(
            (part, "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "can't stand with IS_COMPONENTS_V2")
        )
    refuse([*faults, *_components(components, new=new)])


def check_modal(modal: Json) -> None:
    components = modal.get("components") or []
    faults = [*_needed("title", modal.get("title"), 45), *_needed("custom_id", modal.get("custom_id"), 100)]
    if not 1 <= len(components) <= 5:
        faults.append(("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length."))
    for number, element in enumerate(elements_of(components)):
        faults += _component_faults(f"components.{number}", element)
    for number, component in enumerate(components):
        faults += _component_faults(f"components.{number}", component)
        if component.get("type") not in (1, 10, 18):
            faults.append((f"components.{number}.type", "BASE_TYPE_CHOICES", "Value must be one of (1, 10, 18)."))
    refuse([*faults, *_same_ids(components)])


def check_command(command: Json) -> None:
    chat = command.get("type", 1) == 1
    name = str(command.get("name", ""))
    faults: list[Fault] = []
    if chat and (not _NAME.match(name) or name != name.lower()):
        faults.append(("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid"))
    faults += _needed("name", name, 32)
    if chat:
        faults += _needed("description", command.get("description"), 100)
    elif command.get("description") or command.get("options"):
        faults.append(("description", "APPLICATION_COMMAND_INVALID_DESCRIPTION", "Context menus have no description"))
    faults += _options("options", command.get("options") or [])
    refuse(faults)


def refuse(faults: list[Fault]) -> None:
    if faults:
        raise Refusal(50035, nested(faults))


def nested(faults: list[Fault]) -> Json:
    """`{"embeds": {"0": {"title": {"_errors": [...]}}}}`."""
    errors: Json = {}
    for path, code, message in faults:
        here = errors
        for part in path.split("."):
            here = here.setdefault(part, {})
        here.setdefault("_errors", []).append({"code": code, "message": message})
    return errors


def _too_long(path: str, text: Any, most: int) -> Iterator[Fault]:
    if len(str(text or "").strip()) > most:
        yield path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length."


def _needed(path: str, text: Any, most: int) -> Iterator[Fault]:
    if not str(text or "").strip():
        yield path, "BASE_TYPE_REQUIRED", "This field is required"
    yield from _too_long(path, text, most)


def _embeds(embeds: list[Json]) -> Iterator[Fault]:
    if len(embeds) > EMBEDS:
        yield "embeds", "BASE_TYPE_BAD_LENGTH", f"Must be {EMBEDS} or fewer in length."
    for number, embed in enumerate(embeds):
        yield from _embed(f"embeds.{number}", embed)
    if sum(_embed_size(embed) for embed in embeds) > ALL_EMBEDS:
        yield "embeds", "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {ALL_EMBEDS}"


def _embed(at: str, embed: Json) -> Iterator[Fault]:
    for path, most in _EMBED.items():
        yield from _too_long(f"{at}.{path}", _inside(embed, path), most)
    fields = embed.get("fields") or []
    if len(fields) > 25:
        yield f"{at}.fields", "BASE_TYPE_BAD_LENGTH", "Must be 25 or fewer in length."
    for number, field in enumerate(fields):
        for name, most in _FIELD.items():
            yield from _needed(f"{at}.fields.{number}.{name}", field.get(name), most)
    yield from _url(f"{at}.url", embed.get("url"))


def _embed_size(embed: Json) -> int:
    size = sum(len(str(_inside(embed, path) or "").strip()) for path in _EMBED)
    return size + sum(
        len(f.get("name", "").strip()) + len(f.get("value", "").strip()) for f in embed.get("fields") or []
    )


def _inside(embed: Json, path: str) -> Any:
    first, _, second = path.partition(".")
    return (embed.get(first) or {}).get(second) if second else embed.get(first)


def _url(path: str, url: Any) -> Iterator[Fault]:
    if url is None:
        return
    parts = urlsplit(str(url))
    if parts.scheme not in ("http", "https", "discord"):
        yield path, "URL_TYPE_INVALID_SCHEME", f"Scheme \"{parts.scheme}\" must be one of ('http', 'https')."
    elif not parts.netloc or " " in str(url):
        yield path, "URL_TYPE_INVALID_URL", "Not a well formed URL."


def _components(components: list[Json], *, new: bool) -> Iterator[Fault]:
    if not new and len(components) > 5:
        yield "components", "BASE_TYPE_BAD_LENGTH", "Must be 5 or fewer in length."
    everything = list(_walk("components", components))
    if new and len(everything) > V2_COMPONENTS:
        yield "components", "BASE_TYPE_BAD_LENGTH", f"Must be {V2_COMPONENTS} or fewer in length."
    if sum(len(str(c.get("content", ""))) for _, c in everything if c.get("type") == 10) > V2_TEXT:
        yield "components", "COMPONENT_MAX_TOTAL_TEXT", f"Text displays may hold {V2_TEXT} characters in all."
    top = (1, 9, 10, 12, 13, 14, 17) if new else (1,)
    for number, component in enumerate(components):
        if component.get("type") not in top:
            yield f"components.{number}.type", "BASE_TYPE_CHOICES", f"Value must be one of {top}."
    for at, component in everything:
        yield from _component_faults(at, component)
    yield from _same_ids(components)


def _walk(at: str, components: list[Json]) -> Iterator[tuple[str, Json]]:
    for number, component in enumerate(components):
        here = f"{at}.{number}"
        yield here, component
        yield from _walk(f"{here}.components", component.get("components") or [])
        if isinstance(component.get("accessory"), dict):
            yield f"{here}.accessory", component["accessory"]


def _component_faults(at: str, component: Json) -> Iterator[Fault]:
    kind = component.get("type")
    for (of, name), most in _LENGTHS.items():
        if of == kind:
            yield from _too_long(f"{at}.{name}", component.get(name), most)
    if kind == 1:
        yield from _row(at, component.get("components") or [])
    elif kind == 2:
        yield from _button(at, component)
    elif kind == 3:
        yield from _select(at, component.get("options") or [])


def _row(at: str, inner: list[Json]) -> Iterator[Fault]:
    menus = [element for element in inner if element.get("type") != 2]
    if not 1 <= len(inner) <= 5 or (menus and len(inner) > 1):
        yield f"{at}.components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length."


def _button(at: str, button: Json) -> Iterator[Fault]:
    if not button.get("label") and not button.get("emoji"):
        yield f"{at}.label", "BUTTON_COMPONENT_INVALID", "A button needs a label or an emoji"
    link = button.get("style") == 5
    if link == bool(button.get("custom_id")) or link != bool(button.get("url")):
        yield f"{at}.custom_id", "BUTTON_COMPONENT_INVALID", "A custom id or a url is required, not both"
    yield from _url(f"{at}.url", button.get("url"))


def _select(at: str, options: list[Json]) -> Iterator[Fault]:
    if not 1 <= len(options) <= 25:
        yield f"{at}.options", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length."
    for number, option in enumerate(options):
        for name in ("label", "value"):
            yield from _needed(f"{at}.options.{number}.{name}", option.get(name), 100)
        yield from _too_long(f"{at}.options.{number}.description", option.get("description"), 100)
    values = [option.get("value") for option in options]
    if len(values) != len(set(values)):
        yield f"{at}.options", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used"


def _same_ids(components: list[Json]) -> Iterator[Fault]:
    ids = [element["custom_id"] for element in elements_of(components) if element.get("custom_id")]
    if len(ids) != len(set(ids)):
        yield "components", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"


def _options(at: str, options: list[Json]) -> Iterator[Fault]:
    if len(options) > 25:
        yield at, "BASE_TYPE_BAD_LENGTH", "Must be 25 or fewer in length."
    for number, option in enumerate(options):
        yield from _needed(f"{at}.{number}.name", option.get("name"), 32)
        yield from _needed(f"{at}.{number}.description", option.get("description"), 100)
        if len(option.get("choices") or []) > 25:
            yield f"{at}.{number}.choices", "BASE_TYPE_BAD_LENGTH", "Must be 25 or fewer in length."
        yield from _options(f"{at}.{number}.options", option.get("options") or [])
