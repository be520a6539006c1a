"""The sources of settings, each read as it is, so that an error can say where a wrong value came from."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource
from pydantic_settings.exceptions import SettingsError

from config.errors import Layer, Problem, unknown
from config.names import Leaf, general
from config.names import Path as Place

PREFIX = "CANDOR_"


def environment() -> Mapping[str, str]:
    """The user's own, for programs that run on the user's behalf: PATH, proxies, caches of tools."""
    return dict(os.environ)


def read_layers(
    model: type[BaseSettings], dotenv: Path | None, toml: Path | None, known: Mapping[Place, Leaf]
) -> tuple[list[Layer], list[Problem]]:
    """What each source says, the strongest first, and what is wrong with it before any value is looked at."""
    layers: list[Layer] = []
    problems: list[Problem] = []
    try:
        layers.append(Layer("the environment", False, EnvSettingsSource(model)()))
        problems += _unknown_variables(layers[-1], os.environ, known)
        if dotenv:
            layers.append(Layer(str(dotenv), False, DotEnvSettingsSource(model, env_file=dotenv)()))
            problems += _unknown_variables(layers[-1], dotenv_values(dotenv), known)
        if toml:
            layers.append(Layer(str(toml), True, tomllib.loads(toml.read_text(encoding="utf-8"))))
            written = _paths(layers[-1].values)
            problems += [unknown(layers[-1], path, known) for path in written if general(path, known) not in known]
    except SettingsError as error:
        problems.append(Problem(str(error), "- write its settings one by one, as CANDOR_SECTION__SETTING."))
    except (OSError, UnicodeDecodeError) as error:
        problems.append(Problem("A settings file", f"can't be read: {error}."))
    except tomllib.TOMLDecodeError as error:
        problems.append(Problem(str(toml), f"is not valid TOML: {error}."))
    return layers, problems


def _unknown_variables(layer: Layer, names: Iterable[str], known: Mapping[Place, Leaf]) -> Iterator[Problem]:
    sections = {path[:depth] for path in known for depth in range(1, len(path))}
    for name in names:
        if name.upper().startswith(PREFIX):
            path = tuple(name[len(PREFIX) :].lower().split("__"))
            if general(path, known) not in known and general(path, known) not in sections:
                yield unknown(layer, path, known)


def _paths(values: Mapping[str, object], prefix: Place = ()) -> Iterator[Place]:
    for key, value in values.items():
        path = (*prefix, key)
        if isinstance(value, Mapping):
            yield from _paths(value, path)
        else:
            yield path


def merged_values(layers: Iterable[Layer]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for layer in reversed(list(layers)):
        _overlay(merged, layer.values)
    return merged


def _overlay(under: dict[str, Any], over: Mapping[str, object]) -> None:
    for key, value in over.items():
        if isinstance(value, Mapping):
            section = under.get(key)
            under[key] = section = section if isinstance(section, dict) else {}
            _overlay(section, value)
        else:
            under[key] = value
