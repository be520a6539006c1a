"""The answer's marks as a reader sees them."""

from __future__ import annotations

from dataclasses import replace

from crag import wording
from crag.types import Answer, Band, Support
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
    reply = await scene.ask()
    body = reply.body
    assert isinstance(body, Answer)
    assert body.text == f"{CARRY} [1] {FIRST} [2] {MORE} [2]"
    assert [sentence.cites for sentence in reply.trace.sentences] == [(1,), (2,), (2,)]
    assert reply.trace.sentences[2].text == f"{MORE} [2]"
    assert [(c.number, c.chunk.document) for c in body.citations] == [(1, "carry"), (2, "holiday")]
    assert MORE in body.citations[1].quote


async def test_documents_that_disagree_are_named_and_nothing_is_well_supported() -> None:
    travel = chunk("The cap for a hotel is £135 a night, breakfast included, for UK trips.", "travel")
    other = chunk("A hotel on UK trips is at most £120 a night, breakfast included.", "expenses")
    scene = Scene(chunks=(travel, other), graded={travel.text: 0.9, other.text: 0.8})
    body = (await scene.ask("How much is a hotel in the UK a night?")).body
    assert isinstance(body, Answer)
    assert "£135" in body.text
    assert "£120" in body.text
    assert "Your documents disagree: [1] says £135, [2] says £120." in str(body.notes)
    assert (body.band, wording.badge(body)) == (Band.AMBIGUOUS, "Partly supported")
    scene.writer = ScriptedWriter(f"{travel.text} [1]")
    body = (await scene.ask("How much is a hotel in the UK a night?")).body
    assert isinstance(body, Answer)
    assert "Your documents disagree: [1] says £135, “Expenses” says £120." in str(body.notes)


async def test_a_passage_that_says_otherwise_is_heard_even_where_it_was_graded_below_the_threshold() -> None:
    travel = chunk("The cap for a hotel is £135 a night, breakfast included, for UK trips.", "travel")
    other = chunk("A hotel on UK trips is at most £120 a night, breakfast included.", "expenses")
    scene = Scene(chunks=(travel, other), graded={travel.text: 0.9, other.text: 0.1})
    body = (await scene.ask("How much can I spend on a hotel?")).body
    assert isinstance(body, Answer)
    assert "Your documents disagree: [1] says £135, “Expenses” says £120." in str(body.notes)


async def test_an_answer_whose_sources_lack_a_word_of_the_question_is_partly_supported() -> None:
    scene = Scene(graded={FIRST: 0.9})
    body = (await scene.ask("How many days of holiday do contractors get?")).body
    assert isinstance(body, Answer)
    assert (body.support, wording.badge(body)) == (Support.PARTIAL, "Partly supported")
    assert wording.gap(("contractors",)) in body.notes
