"""The names of the settings, and what each allows, taken from their types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel

Path = tuple[str, ...]
"""A setting's place: ("crag", "max_rewrites")."""

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
    return ".".join(path)


def dig(values: object, path: Path) -> object:
    """The value at a path of nested mappings, or None."""
    for part in path:
        if not isinstance(values, Mapping):
            return None
        values = values.get(part)
    return values


def leaves(model: type[BaseModel], prefix: Path = ()) -> Iterator[tuple[Path, Leaf]]:
    """Every setting of a model and its sections, in the order they are written."""
    schema = model.model_json_schema()
    properties = cast("Mapping[str, Schema]", schema["properties"])
    for name, field in model.model_fields.items():
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from leaves(annotation, (*prefix, name))
        else:
            kinds = _kinds(properties[name])
            secret = any(kind.get("format") == "password" for kind in kinds)
            yield (*prefix, name), Leaf(field.description or "", properties[name], secret, field.default)


def allowed(schema: Schema) -> str:
    """What may be written, in words that follow "must be"."""
    return " or ".join(_allowed(kind) for kind in _kinds(schema) if kind.get("type") != "null")


def _kinds(schema: Schema) -> list[Schema]:
    return cast("list[Schema]", schema.get("anyOf") or [schema])


def _allowed(schema: Schema) -> str:
    choices = cast("list[str]", schema.get("enum") or [])
    match schema:
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
    above, high = schema.get("exclusiveMinimum"), schema.get("maximum")
    return f" from {schema['minimum']} to {high}" if above is None else f" above {above}, up to {high}"
