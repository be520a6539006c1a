"""Rewriting without a model, from what the corpus knows."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext

import pytest

from crag.corpus_rewriter import CorpusRewriter, leans_on_history
from crag.ports import Rewriter
from crag.types import Glossary, Rewrite, Turn
from tests.contracts.rewriter import RewriterContract
from tests.crag.scenes import chunk

WORDS = Glossary(
    {"pto": "paid time off", "toil": "time off in lieu"},
    dict.fromkeys("holiday parental leave expenses australia receipt quillmere many days".split(), 3),
)


class TestCorpusRewriter(RewriterContract):
    def open(self) -> AbstractAsyncContextManager[Rewriter]:
        return nullcontext(CorpusRewriter())


async def rewritten(question: str, *headings: str) -> Rewrite | None:
    near = [chunk("Text.", "page", title="Money", headings=headings)] if headings else []
    return await CorpusRewriter().rewrite(question, near, WORDS)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How many days of hoilday?", "How many days of holiday?"),
        ("parentel leave", "parental leave"),
        ("Recept for expenses", "receipt for expenses"),
        ("many expenes", "many expenses"),
        ("How much PTO?", "How much PTO (paid time off)?"),
    ],
)
async def test_a_slip_of_the_pen_and_an_abbreviation_keep_the_meaning(question: str, query: str) -> None:
    assert await rewritten(question) == Rewrite(query, same_meaning=True)


@pytest.mark.parametrize("question", ["leave in austria", "leave at Quilmere", "exspensis"])
async def test_a_guess_at_a_name_or_over_two_letters_is_only_searched_for(question: str) -> None:
    rewrite = await rewritten(question)
    assert rewrite is not None
    assert not rewrite.same_meaning


async def test_another_ending_is_no_slip_of_the_pen() -> None:
    known = Glossary({}, {"diese": 9, "showers": 3, "receipts": 2})
    for question in ("when somebody dies", "a shower", "one receipt"):
        assert await CorpusRewriter().rewrite(question, [], known) is None


@pytest.mark.parametrize("question", ["How many days of holiday?", "PTO (paid time off)", "2024 Q3 ABC", "?!", "xyzzy"])
async def test_what_is_right_or_unknown_is_left_alone(question: str) -> None:
    assert await rewritten(question) is None


async def test_the_heading_that_fits_best_lends_its_words() -> None:
    assert await rewritten("holiday days", "Carrying holiday over") == Rewrite("holiday days money carrying")
    assert await rewritten("holiday days", "Kitchen") is None


@pytest.mark.parametrize(
    "question",
    [
        "and in Porto?",
        "Does it expire?",
        "How about them?",
        "why?",
        "und in Porto?",
        "Porto?",
        "In Porto?",
        "how much is in Porto?",
        "What is the limit?",
        "Was ist das Limit?",
        "How many days?",
        "What does that mean?",
        "what is a good one?",
        "Is there a deadline?",
        "are there exceptions there?",
        "and if an employee leaves, when must they return their laptop?",
        "How many days of holiday do they get?",
        "Do I need a receipt for it?",
        "If I resign in probation, do I have to return it?",
        "hmm too late, I already opened the link in it",
        "with two days a week, what happens to it?",
        "If it breaks, who repairs it?",
        "If an employee leaves, who knows that?",
        "how do I apply?",
        "do I have to ask?",
        "how long do I have?",
        "what is the process?",
        "who approves?",
        "which laptop?",
        "what if it breaks?",
    ],
)
def test_a_follow_up_leans_on_history(question: str) -> None:
    assert leans_on_history(question)


@pytest.mark.parametrize(
    "question",
    [
        "How many days of holiday do I get?",
        "Where is the Lisbon office?",
        "what does TOIL stand for?",
        "what does toil mean",
        "What is TOIL?",
        "Was ist TOIL?",
        "who is Ines?",
        "how much is a croissant?",
        "What's an orchard?",
        "is there a charger for my electric car at the office?",
        "If an employee leaves, when must they return their laptop?",
        "When contractors leave, when must they return their laptop?",
        "a colleague left last week: for how long does her mailbox exist?",
        "Somebody sent me a link. When does it expire?",
        "Can an employee take their laptop home?",
        "who mends my laptop if it breaks?",
        "how long does it take to restore a backup",
        "who reads posts before they go out?",
        "how much can I spend on a hotel?",
        "how much holiday do I have?",
        "how many holidays do I get?",
        "when do I get paid?",
        "can I get a hotel?",
        "where is my payslip?",
        "is there a gym?",
        "is there free lunch?",
        "is there sick pay?",
        "are there showers in Porto?",
        "how many people are there in Porto?",
        "what if I lose my laptop?",
    ],
)
def test_a_whole_question_does_not(question: str) -> None:
    assert not leans_on_history(question)


async def alone(question: str, *turns: Turn) -> str:
    return await CorpusRewriter().standalone(question, turns)


PARENTAL = (Turn("How long is parental leave?"), Turn("26 weeks [1].", by_bot=True))


async def test_a_follow_up_is_read_in_the_light_of_the_users_last_whole_question() -> None:
    assert await alone("does it have to be in one go?", *PARENTAL) == "does the parental leave have to be in one go?"
    assert await alone("and in Porto?", *PARENTAL) == "How long is parental leave in Porto?"


async def test_a_follow_up_to_a_follow_up_is_read_with_what_that_was_read_as() -> None:
    assert await alone("and in Lisbon?", *PARENTAL, Turn("and in Porto?")) == "How long is parental leave in Lisbon?"
    assert await alone("does it end?", *PARENTAL, Turn("and in Porto?")) == "does the parental leave end?"


async def test_thanks_are_no_question_to_come_back_to() -> None:
    assert await alone("and in Lisbon?", *PARENTAL, Turn("thanks!")) == "How long is parental leave in Lisbon?"


async def test_what_the_rules_do_not_know_is_asked_after_the_whole_question() -> None:
    assert await alone("why that long?", *PARENTAL) == "How long is parental leave? why that long?"


UNKNOWN = Turn("I searched 30 documents, but nothing I found answers this.", by_bot=True, unknown=True)


async def test_a_question_that_found_nothing_lends_no_words() -> None:
    turns = (Turn("How long is parental leave?"), Turn("26 weeks [1].", by_bot=True), Turn("Who is in Slipware?"))
    assert await alone("and in Porto?", *turns, UNKNOWN) == "How long is parental leave in Porto?"
    assert await alone("and in Porto?", turns[2], UNKNOWN) == "and in Porto?"


async def test_the_bots_words_are_never_taken() -> None:
    assert await alone("and then?", Turn("Everybody gets 27 days of holiday.", by_bot=True)) == "and then?"


async def test_if_nothing_stood_alone_the_last_turn_does() -> None:
    assert await alone("and then?", Turn("what about it?")) == "what about it? and then?"
