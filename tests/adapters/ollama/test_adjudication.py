"""A second opinion from a real server. What the small model says means nothing; that it is understood does."""

from __future__ import annotations

import asyncio

import pytest

from adapters.ollama import OllamaLanguageModel
from crag.adjudication import NO_TIME, SAID, Adjudicator
from crag.calibration import Calibration
from crag.grading import Judge
from crag.llm.grader import LLMGrader
from crag.types import Hit, Verdict
from tests.contracts.served_language_model import PATIENT
from tests.crag.scenes import HOLIDAY, QUESTION, chunk
from tests.fakes.models import FakeGrader
from tests.servers.ollama import OllamaServer

pytestmark = [pytest.mark.llm, pytest.mark.asyncio(loop_scope="session")]

OPEN = [Hit(chunk(HOLIDAY, "holiday"), 1.0, 0.9), Hit(chunk("The kitchen closes at four.", "kitchen"), 0.5, 0.8)]


async def test_a_real_server_settles_what_the_grader_leaves_open(ollama: OllamaServer) -> None:
    model = OllamaLanguageModel(
        host=ollama.host, model=ollama.model, context_window=ollama.context_window, timeouts=PATIENT
    )
    cutoffs = Calibration.uncalibrated()
    left_open = await Judge(FakeGrader({"": 0.5}), cutoffs).grade(QUESTION, OPEN, QUESTION)
    async with model:
        adjudicator = Adjudicator(LLMGrader(model), cutoffs)
        late = await adjudicator.settled(QUESTION, left_open, asyncio.get_running_loop().time() + 0.001)
        grades = await adjudicator.settled(QUESTION, left_open, None)
    for grade in grades:
        assert grade.adjudicated is not None
        assert grade.verdict is cutoffs.verdict(grade.adjudicated)
        assert grade.reason.startswith(SAID[grade.verdict])
    assert [(grade.verdict, grade.reason) for grade in late] == [(Verdict.AMBIGUOUS, NO_TIME)] * 2
