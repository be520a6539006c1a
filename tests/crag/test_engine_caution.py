"""A trace says so where the thresholds were measured with something else than what answers now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crag import wording
from crag.calibration import Calibration
from tests.crag.scenes import LOWER, UPPER, Scene

MEASURED = Calibration(UPPER, LOWER, chunker="chunker", documents=1)


async def test_thresholds_of_these_models_and_this_index_need_no_caution() -> None:
    assert (await Scene(calibration=MEASURED).ask()).trace.caution == ""


@pytest.mark.parametrize("other", [{"chunker": "another"}, {"documents": 40}])
async def test_an_index_that_changed_much_is_told_without_its_size(other: dict[str, object]) -> None:
    reply = await Scene(calibration=replace(MEASURED, **other)).ask()  # type: ignore[arg-type]
    assert reply.trace.caution == wording.DRIFTED


async def test_other_models_are_named() -> None:
    reply = await Scene(calibration=replace(MEASURED, embedder="some-embedder-1")).ask()
    assert "some-embedder-1" in reply.trace.caution
