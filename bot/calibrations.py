"""The file of thresholds: a new one comes in, the old one stays beside it, and back."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bot.corrections import Taken
from crag.calibrating import Choice, promise
from crag.calibration import Calibration, load_calibration, saved
from crag.errors import CandorError
from crag.evaluation.metrics import Figures
from crag.evaluation.questions import Asked, fingerprint
from crag.types import Generation


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


def described(
    choice: Choice,
    after: Figures,
    questions: Sequence[Asked],
    taken: Taken,
    live: Generation,
    models: object,
    allowed: float,
) -> Calibration:
    """The calibration with what it was measured on, what it promises and the record for the badge."""
    known = models if isinstance(models, dict) else {}
    unanswerable = sum(not asked.answerable for asked in questions)
    corrected = f", {len(taken.questions)} by correction in chat" if taken.questions else ""
    return replace(
        choice.calibration,
        grader=str(known.get("grader", "")),
        embedder=str(known.get("embedder", "")),
        chunker=live.chunker,
        generation=live.name,
        documents=live.documents,
        measured_on=f"{len(questions)} questions of your own, {unanswerable} of them without an answer{corrected}; "
        f"thresholds chosen on {choice.lower.total} of them, reported on {after.questions} others",
        date=datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%d"),
        data=fingerprint(questions),
        promise=promise(choice, allowed)
        | {"reported_questions": float(after.questions), "reported_false_answers": float(after.false_answers.count)},
        record={band: (rate.count, rate.total) for band, rate in after.badges.items() if rate.total},
    )


def _previous(path: Path) -> Path:
    return path.with_suffix(".previous.json")


def _put(path: Path, text: str) -> None:
    """At once or not at all: a bot may be starting."""
    trial = path.with_suffix(".part")
    trial.write_text(text, encoding="utf-8")
    os.replace(trial, path)
