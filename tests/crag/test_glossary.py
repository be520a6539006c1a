"""Abbreviations and words that a corpus explains itself."""

from __future__ import annotations

import time

import pytest

from crag.glossary import GlossaryBuilder, visible
from crag.types import EVERYONE, Chunk, Glossary, Shelf


def glossary(*texts: str) -> Glossary:
    builder = GlossaryBuilder()
    builder.add(Chunk(str(n), "d", "d.md", "T", (), text, (0, 0), "") for n, text in enumerate(texts))
    return builder.build()


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("You get Paid Time Off (PTO) each year.", "pto", "Paid Time Off"),
        ("PTO (paid time off) is yours.", "pto", "paid time off"),
        ("**Paid Time Off** (**PTO**)", "pto", "Paid Time Off"),
        ("The Voluntary Leave Transfer Program (VLTP) helps.", "vltp", "Voluntary Leave Transfer Program"),
        ("Statements of Work (SOWs) are signed.", "sow", "Statements of Work"),
        ("A full-time equivalent (FTE) counts.", "fte", "full-time equivalent"),
        ("The [General Services Administration](https://gsa.gov) (GSA)", "gsa", "General Services Administration"),
    ],
)
def test_an_abbreviation_is_read_from_its_explanation(text: str, short: str, long: str) -> None:
    assert dict(glossary(text).abbreviations) == {short: long}


@pytest.mark.parametrize(
    "text",
    [
        "Ask the people team (PTO) first.",
        "PTO (see the leave page)",
        "Use the form (PDF).",
        "Time off\n(TO)",
        "An open bracket (PTO",
        "() (",
        "(PTO)",
    ],
)
def test_a_bracket_whose_initials_do_not_match_is_no_abbreviation(text: str) -> None:
    assert dict(glossary(text).abbreviations) == {}


def test_the_long_form_of_most_chunks_wins() -> None:
    found = glossary("Personal Travel Order (PTO)", "Paid Time Off (PTO)", "Again: Paid Time Off (PTO)")
    assert found.abbreviations["pto"] == "Paid Time Off"


def test_words_count_the_chunks_they_stand_in() -> None:
    words = glossary("Leave, leave and LEAVE again", "Annual leave in Zürich").words
    assert (words["leave"], words["annual"], words["zürich"]) == (2, 1, 1)


@pytest.mark.parametrize("text", ["(" * 100_000, "](" * 50_000, "A" * 200_000, "a-" * 100_000, "(PTO" * 50_000])
def test_odd_text_takes_linear_time(text: str) -> None:
    began = time.process_time()
    glossary(text)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("line", "long"),
    [
        ("| TOIL | Time Off In Lieu, free time for extra work |", "Time Off In Lieu"),
        ("- **PIR**: Post-Incident Review", "Post-Incident Review"),
        ("RPO - recovery point objective", "recovery point objective"),
    ],
)
def test_a_line_that_defines_an_abbreviation_is_read(line: str, long: str) -> None:
    assert list(glossary(line).abbreviations.values()) == [long]


def test_a_line_that_only_begins_with_an_abbreviation_defines_nothing() -> None:
    assert glossary("HR answers within two days.", "| OK | not done |").abbreviations == {}


def test_of_two_long_forms_that_of_the_shelf_that_uses_it_more_counts() -> None:
    shelves = {
        Shelf("a"): Glossary({"pto": "Paid Time Off"}, {"pto": 1}),
        Shelf("b"): Glossary({"pto": "Personal Travel Order"}, {"pto": 5}),
    }
    everyone = frozenset({EVERYONE})
    assert visible(shelves, frozenset(), everyone) == Glossary({"pto": "Personal Travel Order"}, {"pto": 6})
    assert visible(shelves, frozenset({"a"}), everyone) == shelves[Shelf("a")]
