"""The answer's marks as a reader sees them."""

from __future__ import annotations

from dataclasses import replace

from crag.types import Answer
from tests.crag.scenes import Scene, chunk
from tests.fakes.writers import ScriptedWriter

FIRST = "Everybody gets 27 days of paid holiday in a calendar year."
MORE = "After five years you get 2 more holiday days."
CARRY = "Up to 8 unused holiday days move to the next year."


async def test_passages_of_one_place_share_a_mark_and_marks_count_from_one() -> None:
    place = chunk(FIRST, "holiday", headings=("How much",))
    same = replace(place, id="holiday-2", text=MORE, hash="more")
    other = chunk(CARRY, "carry")
    scene = Scene(chunks=(place, same, other), graded={FIRST: 0.9, MORE: 0.8, CARRY: 0.95})
    scene.writer = ScriptedWriter(f"{CARRY} [1] {FIRST} [2] {MORE} [3]")
    body = (await scene.ask()).body
    assert isinstance(body, Answer)
    assert body.text == f"{CARRY} [1] {FIRST} [2] {MORE} [2]"
    assert [(c.number, c.chunk.document) for c in body.citations] == [(1, "carry"), (2, "holiday")]
    assert MORE in body.citations[1].quote
