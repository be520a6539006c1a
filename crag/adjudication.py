"""A second opinion where the grader leaves it open: a language model is asked about the passages between the
thresholds, and about no other. It costs a call each, so it is off unless the settings say otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from crag.calibration import Calibration
from crag.cascade import judged
from crag.errors import CandorError
from crag.ports import Grader
from crag.types import Grade, Judgement, Verdict

SAID = {
    Verdict.CORRECT: "a language model says yes",
    Verdict.AMBIGUOUS: "a language model isn't sure",
    Verdict.INCORRECT: "a language model says no",
}
NO_TIME = "no time was left to ask a language model"
NO_ANSWER = "a language model was asked, and gave no grade"


class Adjudicator:
    """`cutoffs` make a verdict of the model's P(Yes). Where the model fails or is late, the grader's verdict stays."""

    def __init__(self, grader: Grader, cutoffs: Calibration) -> None:
        self._grader = grader
        self._cutoffs = cutoffs

    @property
    def model(self) -> str:
        return self._grader.model

    async def settled(self, question: str, grades: Sequence[Grade], ends: float | None) -> list[Grade]:
        """The same grades, with the model's verdict on those that were read and are AMBIGUOUS. `ends` as in `Limits`.
        Never raises CandorError: a second opinion that can't be had is no failure."""
        at = [n for n, grade in enumerate(grades) if grade.verdict is Verdict.AMBIGUOUS and grade.raw is not None]
        passages = [grades[n].chunk.passage for n in at]
        found: Sequence[Judgement | None]
        try:
            found = await judged(self._grader, question, passages, portion=1, ends=ends)
        except CandorError as error:
            found = [Judgement(None, str(error))] * len(at)
        told = list(grades)
        for n, judgement in zip(at, found, strict=True):
            told[n] = self._told(grades[n], judgement)
        return told

    def _told(self, grade: Grade, judgement: Judgement | None) -> Grade:
        if judgement is None:
            return grade.explained(NO_TIME)
        detail = f" ({judgement.reason})" if judgement.reason else ""
        if judgement.score is None or not math.isfinite(judgement.score):
            return grade.explained(NO_ANSWER + detail)
        verdict = self._cutoffs.verdict(judgement.score)
        return replace(grade, verdict=verdict, adjudicated=judgement.score).explained(SAID[verdict] + detail)
