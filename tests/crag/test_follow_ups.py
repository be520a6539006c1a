"""Follow-ups as questions of their own, by rule."""

from __future__ import annotations

import pytest

from crag.follow_ups import read

HOTEL = "how much can I claim for a hotel in London?"
LEAVE = "What is the notice period for engineers in Porto?"


@pytest.mark.parametrize(
    ("earlier", "question", "reading"),
    [
        (HOTEL, "and in Altenbrück?", "how much can I claim for a hotel in Altenbrück?"),
        (HOTEL, "ok, what about Lisbon", "how much can I claim for a hotel in Lisbon?"),
        (HOTEL, "what is it in Porto?", "how much can I claim for a hotel in Porto?"),
        (HOTEL, "in Porto?", "how much can I claim for a hotel in Porto?"),
        ("how many showers are there at kiln house", "and in Speicher 4?", "how many showers are there in Speicher 4?"),
        ("how many did we open in 2024", "and in 2023?", "how many did we open in 2023?"),
        ("What is the maximum claim per month?", "and per year?", "What is the maximum claim per year?"),
        ("Who is the head of legal?", "and of finance?", "Who is the head of finance?"),
        ("What's the dress code?", "and on Fridays?", "What's the dress code on Fridays?"),
    ],
)
def test_another_place_or_time_takes_the_place_of_the_first(earlier: str, question: str, reading: str) -> None:
    assert read(question, earlier) == reading


@pytest.mark.parametrize(
    ("earlier", "question", "reading"),
    [
        (
            "How long do employees get parental leave?",
            "what about contractors?",
            "How long do contractors get parental leave?",
        ),
        ("How many days of holiday do I get?", "and for part-timers?", "How many days of holiday do part-timers get?"),
        (LEAVE, "and for managers?", "What is the notice period for managers in Porto?"),
        (LEAVE, "and managers?", "What is the notice period for managers in Porto?"),
        ("what discount do charities get?", "and schools?", "what discount do schools get?"),
        ("What's the notice period?", "and for apprentices?", "What's the notice period for apprentices?"),
        ("what does the first keeper get in Porto", "and the second one?", "what does the second keeper get in Porto?"),
    ],
)
def test_other_people_take_the_place_of_the_first(earlier: str, question: str, reading: str) -> None:
    assert read(question, earlier) == reading


@pytest.mark.parametrize(
    ("earlier", "question", "reading"),
    [
        (HOTEL, "and lunch?", "how much can I claim for lunch in London?"),
        ("what does larder core cost per sensor", "and plus?", "what does plus cost per sensor?"),
        ("How many calls does Larder Core allow?", "and Plus?", "How many calls does Plus allow?"),
        ("how long do we keep invoices", "how about guest lists?", "how long do we keep guest lists?"),
        ("are dogs allowed?", "and cats?", "are cats allowed?"),
        ("is lunch free?", "and dinner?", "is dinner free?"),
        ("what does SLA stand for?", "and DPA?", "what does DPA stand for?"),
        ("What happens to my laptop when I leave?", "and my phone?", "What happens to my phone when I leave?"),
    ],
)
def test_another_thing_takes_the_place_of_the_first(earlier: str, question: str, reading: str) -> None:
    assert read(question, earlier) == reading


@pytest.mark.parametrize(
    ("earlier", "question", "reading"),
    [
        ("who do I call if my laptop gets stolen?", "what if it just breaks?", "what if the laptop just breaks?"),
        ("which laptop do I get as a designer?", "who do I call if it breaks?", "who do I call if the laptop breaks?"),
        ("how many days of holiday can I carry over?", "when do they expire?", "when do the days of holiday expire?"),
        ("are vouchers taxed?", "when do they expire?", "when do the vouchers expire?"),
        ("what is Burrow?", "who has a login there?", "who has a login in Burrow?"),
        ("where can I park in Porto?", "is there a charger there?", "is there a charger in Porto?"),
        ("Can contractors use the gym?", "what does it cost?", "what does the gym cost?"),
        ("Can contractors use the gym?", "do they pay?", "do the contractors pay?"),
        ("how do I renew the permit?", "what is its price?", "what is the permit's price?"),
        ("how often is there a restore drill?", "when was the last one?", "when was the last restore drill?"),
        ("when is the Big Table?", "is it recorded?", "is the Big Table recorded?"),
        ("what does Larder cost?", "can it make calls?", "can Larder make calls?"),
        ("can I swap shifts?", "who approves them?", "who approves the shifts?"),
    ],
)
def test_a_pronoun_becomes_the_phrase_that_it_stands_for(earlier: str, question: str, reading: str) -> None:
    assert read(question, earlier) == reading


@pytest.mark.parametrize(
    ("earlier", "question"),
    [
        (HOTEL, "what about the other office?"),
        ("how many did we open in 2024", "and the year before?"),
        ("who is the CFO?", "where does she live?"),
        ("can I work from abroad?", "how far ahead do I ask for that?"),
        ("How do managers approve timesheets?", "and expenses?"),
        ("How do managers approve timesheets?", "when do they have to be approved?"),
        ("How do I request access to staging?", "what about production?"),
        ("how long does a refund take?", "does it take longer in May?"),
        ("When does the cafeteria open?", "and close?"),
        ("I lost my badge. It was red.", "who replaces it?"),
        ("I'm in probation in Porto, how much notice do I give?", "when does it end?"),
        ("got a weird mail from somebody", "who looks at it?"),
        ("how many people fit into Boje", "and the biggest one over there?"),
        ("how do I report a mail?", "too late, I opened the link in it"),
        ("Wie viel kostet ein Hotel in London?", "und in Porto?"),
        (HOTEL, "und in Porto?"),
        ("what does a guard get for a night call?", "how about the weekend?"),
        ("what does the first keeper get?", "and the second?"),
        (HOTEL, "and?"),
        (HOTEL, "why?"),
    ],
)
def test_what_the_rules_do_not_know_is_not_guessed(earlier: str, question: str) -> None:
    assert read(question, earlier) is None
