"""What is proposed is checked against the index."""

from crag.suggesting.checking import checked
from crag.suggesting.proposals import Kind
from tests.crag.suggesting.samples import passage, proposal, searching

HERE = passage("The fridge is emptied on Friday.", "Kiln House", "Food", document="kiln.md")
THERE = passage("The fridge is emptied on Thursday.", "Speicher", "Food", document="speicher.md")
OTHER = [passage(f"Page {n} is about something else.", document=f"{n}.md") for n in range(5)]


async def test_a_question_that_leads_to_its_document_is_proposed() -> None:
    asked = proposal("When is the fridge emptied?", HERE)
    assert await checked(asked, searching(HERE, *OTHER)) == asked


async def test_a_question_that_another_document_answers_too_names_its_page() -> None:
    held = await checked(proposal("When is the fridge emptied?", HERE), searching(HERE, THERE, *OTHER))
    assert held
    assert held.question == "Kiln House: when is the fridge emptied?"


async def test_a_question_that_no_title_makes_clear_is_dropped() -> None:
    twin = passage("The fridge is emptied on Sunday.", "Kiln House", "Food", document="twin.md")
    asked = proposal("When is the fridge emptied in Kiln House?", HERE)
    also = passage("When is the fridge in Kiln House emptied? Ask.", document="also.md")
    assert await checked(asked, searching(HERE, twin, also)) is None


async def test_a_question_that_does_not_find_its_document_is_dropped() -> None:
    louder = [passage(f"The fridge is big. Page {n} is emptied by Dot.", document=f"{n}.md") for n in range(9)]
    asked = proposal("When is the fridge emptied by Dot?", THERE)
    assert await checked(asked, searching(THERE)) == asked
    assert await checked(asked, searching(*louder, THERE)) is None


async def test_a_near_miss_that_some_passage_answers_is_dropped() -> None:
    asked = proposal("When is the fridge emptied in Speicher?", HERE, Kind.OTHER_NAME, r"\bSpeicher\b")
    assert await checked(asked, searching(HERE, *OTHER)) == asked
    assert await checked(asked, searching(HERE, *OTHER, THERE)) is None


async def test_a_passage_with_the_word_that_speaks_of_something_else_answers_nothing() -> None:
    asked = proposal("When is the fridge emptied in Speicher?", HERE, Kind.OTHER_NAME, r"\bSpeicher\b")
    elsewhere = passage("The Speicher has a red gate and a view.", document="gate.md")
    assert await checked(asked, searching(HERE, elsewhere)) == asked


async def test_a_detail_that_is_told_is_not_asked_as_if_it_were_not() -> None:
    telltale = r"\d+ days"
    asked = proposal("How long does it take to order a badge?", HERE, Kind.NOT_TOLD, telltale)
    told = passage("To order a badge, ask Dot. It is there within 5 days.", document="badge.md")
    silent = passage("To order a badge, ask Dot.", document="badge.md")
    assert await checked(asked, searching(HERE, told)) is None
    assert await checked(asked, searching(HERE, silent)) == asked
