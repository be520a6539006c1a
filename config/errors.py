"""What is said of a wrong setting: its name as the user wrote it, its value, what is allowed, where it came from."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic_core import ErrorDetails

from config.names import ANY, Leaf, Path, allowed, dig, environment_name, file_name, general

MASK = "********"
KEY = "[key]"
"""How pydantic says that a table's own name is wrong."""
KEYS = {
    "channels": "default, direct, slack:TEAM:CHANNEL or discord:GUILD:CHANNEL",
    "sources": "of small letters, digits, _ and -",
}


def hidden(text: str) -> str:
    """An address without the password that may stand in it."""
    return re.sub(r"(?<=://)[^/@\s]+@", f"{MASK}@", text)


@dataclass(frozen=True, slots=True)
class Layer:
    """One source of settings: where it is, in words; whether it is a file of `a.b` names; what it says, nested."""

    origin: str
    dotted: bool
    values: Mapping[str, object]

    def name(self, path: Path) -> str:
        return file_name(path) if self.dotted else environment_name(path)


@dataclass(frozen=True, slots=True)
class Problem:
    """One wrong setting. `message` is the rest of a sentence that starts with its name."""

    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.name} {self.message}"


class InvalidSettings(Exception):
    """The settings can't be used. `problems` says all that is wrong, not only the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def explain(errors: Iterable[ErrorDetails], layers: Iterable[Layer], leaves: Mapping[Path, Leaf]) -> list[Problem]:
    """pydantic's errors in plain words."""
    layers = tuple(layers)
    return [_explain(error, layers, leaves) for error in errors]


def _explain(error: ErrorDetails, layers: tuple[Layer, ...], leaves: Mapping[Path, Leaf]) -> Problem:
    path = tuple(str(part) for part in error["loc"])
    if path[-1] == KEY and path[0] in KEYS:
        return Problem(file_name(path[:-1]), f"is not a name that can stand there: it must be {KEYS[path[0]]}.")
    while len(path) > 1 and general(path, leaves) not in leaves and general(path[:-1], leaves) in leaves:
        path = path[:-1]
    leaf = leaves.get(general(path, leaves))
    if leaf is None:
        return Problem(environment_name(path), f"is not a section of settings: {error['msg']}.")
    layer = next((layer for layer in layers if dig(layer.values, path) is not None), None)
    if layer is None:
        name = file_name(path) if any(":" in part for part in path) else environment_name(path)
        return Problem(name, f"is not set, but must be {allowed(leaf.schema)}.")
    shown = MASK if leaf.secret else f'"{hidden(str(dig(layer.values, path)))}"'
    return Problem(layer.name(path), f"is {shown} (from {layer.origin}), but must be {allowed(leaf.schema)}.")


def unknown(layer: Layer, path: Path, leaves: Mapping[Path, Leaf]) -> Problem:
    """A setting that doesn't exist, with the nearest one that does."""
    names = {layer.name(near).lower(): layer.name(near) for near in (_beside(path, known) for known in leaves)}
    near = difflib.get_close_matches(layer.name(path).lower(), names, n=1, cutoff=0.6)
    hint = f" Did you mean {names[near[0]]}?" if near else ""
    return Problem(layer.name(path), f"(from {layer.origin}) is not a setting.{hint}")


def _beside(path: Path, known: Path) -> Path:
    """A known path, with the name that the user gave where it is of the same kind."""
    if known[1:2] == (ANY,) and known[0] == path[0] and len(path) > 1:
        return (known[0], path[1], *known[2:])
    return known
