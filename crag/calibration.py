"""From signals to a probability, and from a probability to a verdict: the gate between an answer and "I don't know".

`config/calibration.json` holds what a fit found (`python -m bench.fit_calibration`): a logistic regression over a few
signals of `crag.features`, and two thresholds. `lower` decides between answering and abstaining, `upper` between
"well supported" and "partly supported". The fit belongs to the models it was measured with; `mismatch` says so.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crag.errors import SettingsError
from crag.types import Band, Verdict

MUCH = 0.25
"""A corpus that grew or shrank by more than this share is another one."""
_ADVICE = "Restore the file that came with Candor, or fit a new one: python -m bench.fit_calibration"


@dataclass(frozen=True, slots=True)
class Term:
    """One signal's part of the sum: `weight` * (value - `center`). A signal that is missing counts as `center`, which
    adds nothing."""

    weight: float
    center: float = 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """A fitted gate. Without `terms` the grader's own probability is the score. `grader` and `embedder` are the
    fingerprints of the models it was fitted with, empty where it fits any. `promise` is what cross-fitting measured,
    by a readable name ("nomiracl_rejected_at_90_kept"); `data` is the SHA-256 prefix of the questions it saw.

    `candor calibrate` adds what it saw of the team's index (`chunker`, `generation`, `documents`), and the `record`:
    for each band on a badge, how many of how many answers to the team's own questions were right."""

    upper: float
    lower: float
    terms: Mapping[str, Term] = field(default_factory=dict)
    bias: float = 0.0
    grader: str = ""
    embedder: str = ""
    measured_on: str = ""
    date: str = ""
    data: str = ""
    promise: Mapping[str, float] = field(default_factory=dict)
    chunker: str = ""
    generation: str = ""
    documents: int = 0
    record: Mapping[Band, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.0 < self.lower < self.upper < 1.0:
            raise SettingsError(
                f"The thresholds are upper={self.upper} and lower={self.lower}, but 0 < lower < upper < 1 must hold.",
                advice=_ADVICE,
            )

    @classmethod
    def uncalibrated(cls, upper: float = 0.7, lower: float = 0.3) -> Calibration:
        """The raw probability as it is, for a grader that nobody measured yet (any LLM at first)."""
        return cls(upper=upper, lower=lower, measured_on="nothing yet: the grader's own probability is used as it is")

    @property
    def own(self) -> bool:
        """Whether it was measured on the team's own questions."""
        return bool(self.record)

    def without_record(self) -> Calibration:
        """For where the record says nothing of the models that run."""
        return replace(self, record={})

    @property
    def calibrated(self) -> bool:
        return bool(self.terms)

    def score(self, features: Mapping[str, float]) -> float:
        """The probability (0..1) that the candidate with these features answers the question.

        A candidate without a readable grade (no "raw", or NaN) is neither trusted nor thrown away: it gets the middle
        of the two thresholds and so is AMBIGUOUS, whatever its other signals say. Any other signal that is missing or
        NaN adds nothing.
        """
        raw = features.get("raw", math.nan)
        if math.isnan(raw):
            return (self.lower + self.upper) / 2
        if not self.terms:
            return raw
        total = self.bias
        for name, term in self.terms.items():
            value = features.get(name, math.nan)
            if not math.isnan(value):
                total += term.weight * (value - term.center)
        return _sigmoid(total)

    def verdict(self, score: float) -> Verdict:
        """NaN is AMBIGUOUS: never the generous reading, never a silent loss."""
        if score >= self.upper:
            return Verdict.CORRECT
        return Verdict.INCORRECT if score < self.lower else Verdict.AMBIGUOUS

    def mismatch(self, grader_model: str, embedder_model: str) -> str:
        """A sentence for the person who runs it where the running models are not the measured ones, else ""."""
        pairs = (("grader", self.grader, grader_model), ("embedder", self.embedder, embedder_model))
        wrong = [
            f"the {name} {running} (measured: {known})" for name, known, running in pairs if known not in ("", running)
        ]
        if not wrong:
            return ""
        return f"The thresholds were measured with other models than {' and '.join(wrong)}; scores may be off."

    def drift(self, chunker: str, documents: int) -> str:
        """A sentence where the index is another than the one that was measured, else ""."""
        if self.chunker and chunker and self.chunker != chunker:
            return "The documents are cut in another way than when the thresholds were measured on your questions."
        if self.documents and abs(documents - self.documents) > MUCH * self.documents:
            return (
                f"There are {documents} documents now, and were {self.documents} when the thresholds were measured on "
                "your questions."
            )
        return ""


def load_calibration(path: Path) -> Calibration:
    """Raises SettingsError, naming the file and what is wrong with it."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingsError(f"There is no calibration at {path}.", advice=_ADVICE) from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"The calibration {path} can't be read: {error}.", advice=_ADVICE) from error
    try:
        return _parsed(found)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SettingsError(f"The calibration {path} is not complete: {error!r}.", advice=_ADVICE) from error


def saved(calibration: Calibration) -> str:
    """The text of a calibration file; `load_calibration` reads it back to an equal object."""
    return (
        json.dumps(
            {
                "upper": calibration.upper,
                "lower": calibration.lower,
                "bias": calibration.bias,
                "terms": {
                    name: {"weight": term.weight, "center": term.center} for name, term in calibration.terms.items()
                },
                "grader": calibration.grader,
                "embedder": calibration.embedder,
                "measured_on": calibration.measured_on,
                "date": calibration.date,
                "data": calibration.data,
                "promise": dict(calibration.promise),
                **_index(calibration),
            },
            indent=2,
            ensure_ascii=False,
        )
        + "\n"
    )


def _index(calibration: Calibration) -> dict[str, object]:
    """What only a calibration on a team's own index has."""
    if not calibration.own:
        return {}
    return {
        "chunker": calibration.chunker,
        "generation": calibration.generation,
        "documents": calibration.documents,
        "record": {band.value: list(counted) for band, counted in calibration.record.items()},
    }


def _parsed(found: Any) -> Calibration:
    return Calibration(
        upper=_number(found["upper"]),
        lower=_number(found["lower"]),
        bias=_number(found.get("bias", 0.0)),
        terms={
            str(name): Term(_number(term["weight"]), _number(term.get("center", 0.0)))
            for name, term in found.get("terms", {}).items()
        },
        grader=str(found.get("grader", "")),
        embedder=str(found.get("embedder", "")),
        measured_on=str(found.get("measured_on", "")),
        date=str(found.get("date", "")),
        data=str(found.get("data", "")),
        promise={str(name): _number(value) for name, value in found.get("promise", {}).items()},
        chunker=str(found.get("chunker", "")),
        generation=str(found.get("generation", "")),
        documents=int(_number(found.get("documents", 0))),
        record={Band(band): _counted(*counted) for band, counted in found.get("record", {}).items()},
    )


def _counted(right: Any, total: Any) -> tuple[int, int]:
    counted = int(_number(right)), int(_number(total))
    if not 0 <= counted[0] <= counted[1]:
        raise ValueError(f"{right!r} of {total!r} can't be right")
    return counted


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return float(value)


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))
