"""What is asked of a sentence: a natural question, or none."""

import pytest

from crag.suggesting.passages import Names
from crag.suggesting.sentences import draft_of
from tests.crag.suggesting.samples import NOBODY, passage, questions


def asked(told: str) -> str:
    draft = draft_of(told, NOBODY)
    return draft.question if draft else ""


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("You can request up to 240 hours of sick leave.", "How many hours of sick leave can I request?"),
        (
            "If you are a veteran, you can receive up to 104 hours of leave.",
            "How many hours of leave can I receive if I am a veteran?",
        ),
        ("You can carry over at most 8 unused days.", "How many unused days can I carry over?"),
        (
            "You can work from another country for up to 30 days in a calendar year.",
            "How long can I work from another country in a calendar year?",
        ),
        ("You should submit requests at least 3 days in advance.", "How far in advance should I submit requests?"),
        ("Up to 8 unused days move to the next year.", "How many unused days move to the next year?"),
        ("Each person has 4 shuttles a year.", "How many shuttles a year does each person have?"),
        ("Details last for 120 days.", "How long do details last?"),
        ("An offer is valid for 7 days.", "How long is an offer valid?"),
        ("A lost badge costs £10 after the first.", "How much does a lost badge cost?"),
        ("The hotel cap is £135 a night.", "How much is the hotel cap?"),
    ],
)
def test_numbers_are_asked_for(told: str, question: str) -> None:
    assert asked(told) == question


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("The fridge is emptied on Friday at 16:00.", "When is the fridge emptied?"),
        ("Post goes out at 15:00.", "When does post go out?"),
        ("An alarm repeats every 15 minutes until someone takes it.", "How often does an alarm repeat?"),
        ("The longest outage was on 9 August 2024.", "When was the longest outage?"),
        ("Register guests in Roost by 16:00 on the day before.", "By when do I have to register guests in Roost?"),
        ("Book your trips at least 14 days ahead.", "How far in advance do I have to book my trips?"),
        (
            "You must respond to the request within three business days.",
            "Within how many business days must I respond to the request?",
        ),
    ],
)
def test_times_are_asked_for(told: str, question: str) -> None:
    assert asked(told) == question


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("Bela Krumm helps with the forms, she knows them.", "Who helps with the forms?"),
        ("The first Keeper must approve every late deployment.", ""),
        ("Your supervisor reviews the draft contract.", "Who reviews the draft contract?"),
        ("The release manager will schedule a meeting with you.", "Who will schedule a meeting with me?"),
        ("A detail is a temporary assignment to another office.", "What is a detail?"),
        ("To get approval for a trip, write to your lead.", "How do I get approval for a trip?"),
        ("If you lose your badge abroad, tell Dot the same day.", "What should I do if I lose my badge abroad?"),
        ("If you miss the deadline twice, the card will be paused.", "What happens if I miss the deadline twice?"),
        ("You can't sell unused days.", "Can I sell unused days?"),
        ("You don't have to log time off in Tock.", "Do I have to log time off in Tock?"),
        ("We don't pay out unused days.", "Do we pay out unused days?"),
        ("There's a quiet room on the second floor.", "Is there a quiet room on the second floor?"),
        ("There are two showers in the basement.", "How many showers are there in the basement?"),
        ("Quiet hours can be set for the whole account.", "Can quiet hours be set for the whole account?"),
        ("Receipts have to be matched by the finance team.", "Do receipts have to be matched by the finance team?"),
        ("Selling days isn't possible.", "Is selling days possible?"),
    ],
)
def test_people_ways_and_rules_are_asked_for(told: str, question: str) -> None:
    assert asked(told) == question


@pytest.mark.parametrize(
    "told",
    [
        "It lasts for 30 days.",
        "They have 5 days for that.",
        "You can find the form on the intranet page.",
        "You can do this within 5 days.",
        "If you have any questions, ask in the channel.",
        "You may be asked to wait for a few days.",
        "The above limit is 30 days.",
        "There are a number of channels for this.",
        "For example, you have 182 hours of leave.",
        "Because the site can be deployed in several places, take care.",
        "Sunday only with a note to Dot.",
        "Standard class.",
    ],
)
def test_better_none_than_a_clumsy_one(told: str) -> None:
    assert asked(told) == ""


def test_a_name_made_of_words_is_no_person() -> None:
    told = "Google Calendar is the primary way we indicate our availability."
    draft = draft_of(told, Names(frozenset({"Google"}), frozenset({"calendar"})))
    assert draft
    assert (draft.question, draft.person, draft.thing) == ("What is Google Calendar?", "", "Google Calendar")


def test_links_marks_and_brackets_do_not_reach_the_question() -> None:
    text = "You can request up to [240 hours](https://x.example/a_(b)) of **advanced** sick leave (see the `form`)."
    assert questions(passage(text)) == ["How many hours of advanced sick leave can I request?"]


def test_code_tables_quotes_and_other_languages_are_not_read() -> None:
    fence = "```\nYou can request up to 240 hours of sick leave.\n```"
    table = "| Who | What |\n|---|---|\n| You | You can request up to 240 hours of sick leave. |"
    quote = "> You can request up to 240 hours of sick leave."
    german = "Du kannst bis zu 240 Stunden beantragen. Die Frist endet am Freitag, und zwar um 16 Uhr im Büro."
    assert questions(*(passage(text) for text in (fence, table, quote, german))) == []


def test_a_question_that_says_too_little_gets_its_pages_title() -> None:
    chunk = passage("You have 10 minutes to acknowledge.", "On-call (Keepers)", "When it rings")
    assert questions(chunk) == ["On-call: how many minutes do I have to acknowledge?"]


def test_terms_are_asked_for() -> None:
    text = "- **Crew**: a team of 4 to 9 people with a lead.\n\nYou get TOIL (Time Off In Lieu) for that."
    assert questions(passage(text)) == ["What does TOIL stand for?", "What does “Crew” mean?"]
