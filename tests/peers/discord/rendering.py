"""A message as a person reads it in Discord, in plain text: for golden files and failure reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Json = dict[str, Any]

_MENUS = {5: "users", 6: "roles", 7: "users and roles", 8: "channels"}


def rendered(content: str, embeds: Sequence[Json], components: Sequence[Json], *, thinking: bool = False) -> str:
    """What is on the screen, top to bottom: the text as written (Discord's markdown is readable), embeds behind a bar,
    buttons as `[Label]`, menus as `(select: a / b)`."""
    lines = ["(thinking)"] if thinking else []
    lines += content.splitlines()
    for embed in embeds:
        lines += _embed(embed)
    for component in components:
        lines += _component(component)
    return "\n".join(lines)


def rendered_modal(body: Json) -> str:
    lines = [f"== {body.get('title', '')} =="]
    for component in body.get("components", []):
        lines += _component(component)
    return "\n".join(lines)


def _embed(embed: Json) -> Iterator[str]:
    for line in _embed_lines(embed):
        yield f"| {line}".rstrip()


def _embed_lines(embed: Json) -> Iterator[str]:
    if author := embed.get("author"):
        yield _linked(author.get("name", ""), author.get("url"))
    if embed.get("title"):
        yield f"# {_linked(embed['title'], embed.get('url'))}"
    yield from str(embed.get("description") or "").splitlines()
    for entry in embed.get("fields") or []:
        first, *rest = str(entry["value"]).splitlines() or [""]
        yield f"**{entry['name']}** {first}"
        yield from rest
    for kind in ("image", "thumbnail"):
        if embed.get(kind):
            yield f"({kind}: {embed[kind].get('url')})"
    if footer := embed.get("footer"):
        yield from (f"_{line}_" for line in str(footer["text"]).splitlines())


def _component(component: Json) -> Iterator[str]:
    match component.get("type"):
        case 1:
            inner = component.get("components") or []
            if any(element.get("type") == 4 for element in inner):
                yield from (_input(element, element.get("label") or "") for element in inner)
            else:
                yield " ".join(_element(element) for element in inner)
        case 9:
            texts = [line for part in component.get("components") or [] for line in _component(part)]
            yield from texts[:-1]
            yield "  ".join([*texts[-1:], _element(component.get("accessory") or {})])
        case 10:
            yield from str(component.get("content", "")).splitlines()
        case 12:
            yield from (f"(image: {item.get('description') or ''})" for item in component.get("items") or [])
        case 14:
            yield "-" * 20
        case 17:
            for part in component.get("components") or []:
                yield from (f"| {line}".rstrip() for line in _component(part))
        case 18:
            yield _input(component.get("component") or {}, component.get("label") or "")
        case _:
            yield _element(component)


def _element(element: Json) -> str:
    match element.get("type"):
        case 2:
            name = " ".join(part for part in ((element.get("emoji") or {}).get("name"), element.get("label")) if part)
            off = " (off)" if element.get("disabled") else ""
            return f"[{_linked(name, element.get('url'))}{off}]"
        case 3 | 21 | 22:
            options = " / ".join(option["label"] for option in element.get("options") or [])
            placeholder = f"{element['placeholder']}: " if element.get("placeholder") else ""
            return f"(select: {placeholder}{options})"
        case 11:
            return f"(image: {element.get('description') or ''})"
        case kind:
            return f"(select: {_MENUS.get(kind or 0, kind)})"


def _input(element: Json, label: str) -> str:
    mark = "*" if element.get("required", True) else ""
    if element.get("type") == 4:
        return f"{label}{mark}: (text: {element.get('value') or element.get('placeholder') or ''})"
    return f"{label}{mark}: {_element(element)}"


def _linked(text: str, url: str | None) -> str:
    return f"{text} <{url}>" if url else text
