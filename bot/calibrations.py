"""The file of thresholds: a new one comes in, the old one stays beside it, and back."""

from __future__ import annotations

import os
from pathlib import Path

from crag.calibration import Calibration, load_calibration, saved
from crag.errors import CandorError


def write(path: Path, calibration: Calibration) -> None:
    """The old one stays beside it. Raises CandorError."""
    try:
        _put(_previous(path), path.read_text(encoding="utf-8"))
        _put(path, saved(calibration))
    except OSError as error:
        raise CandorError(f"The calibration {path} can't be written: {error.strerror or error}.") from error


def roll_back(path: Path) -> Calibration:
    """The two change places, so that a rollback can be taken back too. Returns what counts now. Raises CandorError."""
    previous = _previous(path)
    if not previous.exists():
        raise CandorError(f"There is no earlier calibration at {previous}.", advice="Nothing was changed.")
    restored = load_calibration(previous)
    try:
        now, then = path.read_text(encoding="utf-8"), previous.read_text(encoding="utf-8")
        _put(path, then)
        _put(previous, now)
    except OSError as error:
        raise CandorError(f"The calibration {path} can't be written: {error.strerror or error}.") from error
    return restored


def _previous(path: Path) -> Path:
    return path.with_suffix(".previous.json")


def _put(path: Path, text: str) -> None:
    """At once or not at all: a bot may be starting."""
    trial = path.with_suffix(".part")
    trial.write_text(text, encoding="utf-8")
    os.replace(trial, path)
