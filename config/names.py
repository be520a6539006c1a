"""The names of the settings, and what each allows, taken from their types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast, get_args, get_origin

from pydantic import BaseModel

Path = tuple[str, ...]
"""A setting's place: ("crag", "max_rewrites")."""

ANY = "*"
"""Stands for a name that the user gives, second in a path: ("sources", "*", "path")."""

Schema = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One setting. `schema` is its JSON schema; `default` is shown as it would be written in the environment."""

    description: str
    schema: Schema
    secret: bool
    default: object


def environment_name(path: Path) -> str:
    return "CANDOR_" + "__".join(path).upper()


def file_name(path: Path) -> str:
    return ".".join(f'"{part}"' if ":" in part else part for part in path)


def dig(values: object, path: Path) -> object:
    """The value at a path of nested mappings, or None."""
    for part in path:
        if not isinstance(values, Mapping):
            return None
        values = values.get(part)
    return values


def general(path: Path, known: Iterable[Path]) -> Path:
    """The path as the settings know it: with ANY where the user gave a name."""
    named = {one[0] for one in known if one[1:2] == (ANY,)}
    return (path[0], ANY, *path[2:]) if len(path) > 1 and path[0] in named else path


def present(known: Iterable[Path], values: object) -> Iterator[Path]:
    """The known paths, each with ANY as often as these values have a name for it."""
    for path in known:
        if path[1:2] != (ANY,):
            yield path
        elif isinstance(names := dig(values, path[:1]), Mapping):
            yield from ((path[0], str(name), *path[2:]) for name in names)


def leaves(model: type[BaseModel], prefix: Path = ()) -> Iterator[tuple[Path, Leaf]]:
    """Every setting of a model and its sections, in the order they are written."""
    schema = model.model_json_schema()
    properties = cast("Mapping[str, Schema]", schema["properties"])
    for name, field in model.model_fields.items():
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from leaves(annotation, (*prefix, name))
        elif get_origin(annotation) is dict:
            yield from leaves(get_args(annotation)[1], (*prefix, name, ANY))
        else:
            kinds = _kinds(properties[name])
            secret = any(kind.get("format") == "password" for kind in kinds)
            default = None if field.is_required() else field.default
            yield (*prefix, name), Leaf(field.description or "", properties[name], secret, default)


def allowed(schema: Schema) -> str:
    """What may be written, in words that follow "must be"."""
    return " or ".join(_allowed(kind) for kind in _kinds(schema) if kind.get("type") != "null")


def _kinds(schema: Schema) -> list[Schema]:
    return cast("list[Schema]", schema.get("anyOf") or [schema])


def _allowed(schema: Schema) -> str:
    choices = cast("list[str]", schema.get("enum") or [])
    match schema:
        case {"allowed": str(words)}:
            return words
        case {"enum": _}:
            return "one of " + ", ".join(choices)
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "integer"}:
            return "a whole number" + _range(schema)
        case {"type": "number"}:
            return "a number" + _range(schema)
        case {"type": "array"}:
            return "names with commas between them"
        case {"format": "path"}:
            return "a path"
        case {"format": "password"}:
            return "a secret text"
        case {"pattern": str(pattern)} if pattern.startswith("^https?"):
            return "an address that starts with http:// or https://"
        case {"pattern": "^[A-Z][A-Za-z0-9_]{0,62}$"}:
            return "a name of letters, digits and _ that starts with a capital letter"
        case {"pattern": _}:
            return "a name of letters, digits, _, . and -"
        case {"minLength": _}:
            return "a text that isn't empty"
        case _:
            return "a text"


def _range(schema: Schema) -> str:
    above, below, high = (schema.get(key) for key in ("exclusiveMinimum", "exclusiveMaximum", "maximum"))
    if above is not None and below is not None:
        return f" above {above} and below {below}"
    return f" from {schema['minimum']} to {high}" if above is None else f" above {above}, up to {high}"
