"""What is said of a wrong setting: its name as the user wrote it, its value, what is allowed, where it came from."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic_core import ErrorDetails

from config.names import Leaf, Path, allowed, dig, environment_name, file_name

MASK = "********"


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
    while path and path not in leaves and len(path) > 1 and path[:-1] in leaves:
        path = path[:-1]
    leaf = leaves.get(path)
    if leaf is None:
        return Problem(environment_name(path), f"is not a section of settings: {error['msg']}.")
    layer = next((layer for layer in layers if dig(layer.values, path) is not None), None)
    if layer is None:
        return Problem(environment_name(path), f"must be {allowed(leaf.schema)}.")
    shown = MASK if leaf.secret else f'"{hidden(str(dig(layer.values, path)))}"'
    return Problem(layer.name(path), f"is {shown} (from {layer.origin}), but must be {allowed(leaf.schema)}.")


def unknown(layer: Layer, path: Path, leaves: Mapping[Path, Leaf]) -> Problem:
    """A setting that doesn't exist, with the nearest one that does."""
    names = {layer.name(known).lower(): layer.name(known) for known in leaves}
    near = difflib.get_close_matches(layer.name(path).lower(), names, n=1, cutoff=0.6)
    hint = f" Did you mean {names[near[0]]}?" if near else " `candor config` lists them all."
    return Problem(layer.name(path), f"(from {layer.origin}) is not a setting.{hint}")
