"""What an abbreviation stands for: asked in many ways, told in one place."""

from __future__ import annotations

import pytest

from crag.definitions import defines, term
from crag.types import Abstention, Answer, Band, Verdict
from tests.crag.scenes import Scene, chunk

SHORT = chunk(
    "Ask if you don't know one.\n\n| Short | Long |\n|---|---|\n| NDA | Non-Disclosure Agreement |\n"
    "| MDM | Mobile Device Management |\n| DR | in sales: Deal Registration; in Platform: Disaster Recovery |",
    "glossary",
    headings=("Abbreviations",),
)
LAPTOPS = "All laptops are in MDM. That means: disk encrypted, screen locks after 5 minutes, updates within 7 days."


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What does MDM stand for?", "MDM"),
        ("hi, what does mdm stand for", "mdm"),
        ("what does “MDM” mean?", "MDM"),
        ("what does MDM (Mobile Device Management) stand for?", "MDM"),
        ("What's the meaning of CSM?", "CSM"),
        ("what is MDM", "MDM"),
        ("whats a DPA?", "DPA"),
        ("MDM?", "MDM"),
        ("what is MDM short for", "MDM"),
        ("Wofür steht MDM?", "MDM"),
        ("Was bedeutet MDM?", "MDM"),
        ("what is the SLA?", ""),
        ("what is it?", ""),
        ("laptop?", ""),
        ("what is the RPO of shelf?", ""),
        ("what does MDM do with my laptop?", ""),
        ("how does MDM stand up to that?", ""),
        ("what does a hotel cost?", ""),
    ],
)
def test_the_term_whose_meaning_is_asked_for(question: str, asked: str) -> None:
    assert term(question) == asked


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SHORT.text, True),
        ("- **MDM**: Mobile Device Management", True),
        ("We use Mobile Device Management (MDM) everywhere.", True),
        ("MDM (Mobile Device Management) is everywhere.", True),
        (LAPTOPS, False),
        ("| System | Owner | Until |\n|---|---|---|\n| MDM | Marek Solty | 2026 |", False),
        ("| System | Days |\n|---|---|\n| MDM | 30 |", False),
        ("| Short | Long |\n|---|---|\n| NDA | Non-Disclosure Agreement |", False),
    ],
)
def test_a_text_defines_a_term_where_it_says_so(text: str, told: bool) -> None:
    assert defines("mdm", text) is told


@pytest.mark.parametrize("term_", ["price", ""])
def test_only_abbreviations_are_defined(term_: str) -> None:
    assert not defines(term_, "| What | Note |\n|---|---|\n| Price | on request only |")


@pytest.mark.parametrize("question", ["What does MDM stand for?", "what's the meaning of MDM"])
async def test_the_glossary_answers_what_an_abbreviation_stands_for(question: str) -> None:
    laptops = chunk(LAPTOPS, "security", headings=("Your devices",))
    reply = await Scene(chunks=(laptops, SHORT), graded={"All laptops": 0.6, "Short": 0.05}).ask(question)
    assert isinstance(reply.body, Answer)
    assert reply.body.text.startswith("- Short: MDM; Long: Mobile Device Management [1]")
    assert reply.body.citations[0].chunk.id == "glossary"
    grade = next(g for g in reply.trace.grades if g.chunk.id == "glossary")
    assert (grade.verdict, reply.body.band) == (Verdict.CORRECT, Band.CORRECT)
    assert "it says what “MDM” stands for" in grade.reason


async def test_the_glossary_is_read_even_where_many_passages_lie_nearer() -> None:
    near = [chunk(f"What MDM does stand for {n} laptops.", f"near-{n}") for n in range(9)]
    reply = await Scene(chunks=(*near, SHORT), graded={"": 0.1}).ask("what does MDM stand for?")
    assert isinstance(reply.body, Answer)
    assert reply.body.citations[0].chunk.id == "glossary"


async def test_what_no_passage_writes_out_stays_unanswered() -> None:
    reply = await Scene(chunks=(SHORT,), graded={"": 0.1}).ask("what does XYZ stand for?")
    assert isinstance(reply.body, Abstention)


async def test_an_outdated_glossary_is_never_beyond_doubt() -> None:
    old = chunk(SHORT.text, "glossary", title="Glossary (superseded)")
    reply = await Scene(chunks=(old,), graded={"": 0.1}).ask("what does MDM stand for?")
    assert isinstance(reply.body, Answer)
    assert reply.body.band is Band.AMBIGUOUS
