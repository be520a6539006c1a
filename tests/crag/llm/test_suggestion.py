"""What a language model proposes, as small ones really do: what a person would only drop isn't shown."""

import json
import re

import pytest

from crag.llm.suggestion import read
from crag.suggesting.proposals import Kind, Proposal
from crag.types import Chunk
from tests.crag.suggesting.samples import passage

CHUNK = passage("You can request up to 240 hours of sick leave in 2025. Ask Bela in Porto.", "Sick leave", "How much")
GOOD = {
    "answer": "up to 240 hours of sick leave",
    "question": "how many hours of sick leave can I ask for?",
    "word": "sick leave",
    "other": "study leave",
}


def said(changed: dict[str, str], chunk: Chunk = CHUNK) -> list[Proposal]:
    return read(json.dumps(GOOD | changed, ensure_ascii=False), chunk)


def test_a_question_and_its_near_miss() -> None:
    asked, missed = said({})
    assert (asked.question, asked.kind, asked.answer) == (GOOD["question"], Kind.WRITTEN, GOOD["answer"])
    assert (missed.question, missed.kind) == ("how many hours of study leave can I ask for?", Kind.WRITTEN_NEAR_MISS)
    assert missed.note == "The model put “study leave” in the place of “sick leave”."
    assert re.search(missed.telltale, "Take study leave.")
    assert missed.answer == ""


@pytest.mark.parametrize(
    "changed",
    [
        {"question": "Tell me about sick leave."},
        {"question": ""},
        {"question": "How " * 80 + "?"},
        {"question": "What colour is the sky?"},
        {"answer": ""},
        {"answer": "up to 300 hours of sick leave"},
        {"answer": "as much as your physician and your manager find appropriate"},
        {"question": "Can I ask for up to 240 hours of sick leave?"},
        {"question": "According to the passage, how many hours of sick leave can I ask for?"},
        {"question": "What does this document say about hours of sick leave?"},
        {"question": "How many of the hours mentioned above are sick leave?"},
        {"question": "What is the main topic of sick leave?"},
        {"question": "Wie viele hours stehen laut Text in sick leave?"},
    ],
)
def test_a_question_that_does_not_fit_the_passage_is_not_proposed(changed: dict[str, str]) -> None:
    assert said(changed) == []


@pytest.mark.parametrize(
    "question", ["Which article do I read on sick leave?", "Where is the list of sick leave kept?"]
)
def test_the_same_words_may_name_a_thing(question: str) -> None:
    assert [proposal.question for proposal in said({"question": question})][:1] == [question]


@pytest.mark.parametrize(
    "changed",
    [
        {"word": ""},
        {"word": "the"},
        {"word": "parental leave"},
        {"word": GOOD["question"]},
        {"other": ""},
        {"other": "Porto"},
        {"other": "sick"},
        {"other": "another kind of leave"},
        {"other": "different"},
        {"other": "N/A"},
        {"other": "you may not ask for any other leave than this"},
        {"other": "how many hours of study leave?"},
    ],
)
def test_a_near_miss_that_swaps_nothing_is_not_proposed(changed: dict[str, str]) -> None:
    assert [proposal.kind for proposal in said(changed)] == [Kind.WRITTEN]


def test_a_question_of_few_words_gets_its_pages_title() -> None:
    asked, missed = said(
        {"question": "Whom do I ask in Porto?", "answer": "Ask Bela", "word": "Porto", "other": "Linz"}
    )
    assert asked.question == "Sick leave: whom do I ask in Porto?"
    assert missed.question == "Sick leave: whom do I ask in Linz?"


def test_a_question_keeps_to_its_passages_language() -> None:
    chunk = passage("Bis zu 240 Stunden Krankheit im Jahr sind bezahlt, auch in der Probezeit.", "Krankheit")
    stated = {"answer": "240 Stunden Krankheit", "word": "Krankheit", "other": "Urlaub"}
    assert said(stated | {"question": "How many hours of Krankheit are paid in a year?"}, chunk) == []
    table = passage("| Room | Seats |\n|---|---|\n| Ember | 4 |\n| Coal | 12 |", "Rooms")
    stated_of_table = {"answer": "12", "question": "How many seats are there in the room Coal?", "word": "Coal"}
    assert len(said(stated_of_table | {"other": "Slate"}, table)) == 2
    asked, missed = said(stated | {"question": "Wie viele Stunden Krankheit sind im Jahr bezahlt?"}, chunk)
    assert (asked.kind, missed.question) == (Kind.WRITTEN, "Wie viele Stunden Urlaub sind im Jahr bezahlt?")
