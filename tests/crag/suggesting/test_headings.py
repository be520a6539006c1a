"""What is asked of a heading."""

import pytest

from crag.suggesting.headings import heading_drafts
from crag.suggesting.passages import Names
from crag.suggesting.proposals import Kind, answerables
from tests.crag.suggesting.samples import NOBODY, passage


def asked(*headings: str) -> str:
    return next((draft.question for draft in heading_drafts(headings, NOBODY)), "")


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("How do I amend my voucher?", "How do I amend my voucher?"),
        ("3. Who is eligible for the bonus?", "Who is eligible for the bonus?"),
        ("Donating hours to a colleague", "How do I donate hours to a colleague?"),
        ("Submitting Your Timesheet", "How do I submit my timesheet?"),
        ("How to host a meeting", "How do I host a meeting?"),
        ("Create a group", "How do I create a group?"),
        ("Cancelling an evaluation", "How do I cancel an evaluation?"),
        ("Referral bonus", "What is the referral bonus?"),
    ],
)
def test_headings_are_asked_as_a_colleague_would(heading: str, question: str) -> None:
    assert asked("Handbook", heading) == question


@pytest.mark.parametrize(
    "heading",
    [
        "Questions?",
        "Do you have an upcoming trip?",
        "Now what?",
        "Training resources",
        "Meeting rooms",
        "Contact details",
        "Closing days",
        "Starting pay",
        "Telling people",
        "Desks",
        "Get involved",
        "In general",
        "",
    ],
)
def test_a_heading_that_asks_nothing_gives_nothing(heading: str) -> None:
    assert asked("Handbook", heading) == ""


def test_the_title_says_what_a_short_heading_is_about() -> None:
    assert asked("Parental leave", "Who can have it") == "Who can have parental leave?"
    assert asked("Guide: Larder Core", "What it costs") == "How much does Larder Core cost?"


def test_names_keep_their_capital() -> None:
    names = Names(frozenset({"Ferry"}), frozenset())
    assert heading_drafts(("Shipping", "Deploying With Ferry"), names)[0].question == "How do I deploy with Ferry?"


def test_a_question_of_the_page_itself_is_of_its_own_kind() -> None:
    chunk = passage("Open Concur and press Amend.", "Travel", "How do I amend my voucher?")
    assert [proposal.kind for proposal, _ in answerables(chunk, NOBODY)] == [Kind.FAQ]
