"""Replies for what Discord shows."""

from __future__ import annotations

from dataclasses import replace

from crag.types import Abstention, Answer, Band, Chunk, Citation, Reason, Reply, SentenceSupport, Support, Trace
from tests.adapters.console import samples as plain

GRADES = (
    replace(plain.GRADES[0], chunk=replace(plain.chunk(1), url="https://docs.example.com/leave")),
    *plain.GRADES[1:],
)
SENTENCES = (
    SentenceSupport("Five days carry over [1].", (1,), 0.9, True),
    SentenceSupport("Interns get six.", (), 0.1, False, "six isn't in the sources"),
)
TRACE = replace(plain.TRACE, grades=GRADES, sentences=SENTENCES)
LINKED, UNLINKED = (grade.chunk for grade in GRADES[:2])


def answer(text: str = "You may carry over **five days** [1]. They lapse at the end of March [2].") -> Reply:
    citations = (Citation(1, LINKED, "Five days."), Citation(2, UNLINKED, "End of March."))
    return Reply(plain.QUESTION, Answer(text, citations, Band.CORRECT, Support.FULL), TRACE)


def partly() -> Reply:
    made = answer()
    assert isinstance(made.body, Answer)
    notes = ("What I found doesn't mention “interns”.",)
    return replace(made, body=replace(made.body, band=Band.AMBIGUOUS, support=Support.PARTIAL, notes=notes))


def abstention(reason: Reason = Reason.WEAK_EVIDENCE) -> Reply:
    detail = "I searched 31 documents, but nothing I found answers this."
    return Reply(plain.QUESTION, Abstention(reason, detail, GRADES), TRACE)


READ_AS = "I read your question as “How many days of leave can I carry over? and @everyone?”."


def abstention_on_a_follow_up() -> Reply:
    made = abstention()
    assert isinstance(made.body, Abstention)
    return replace(made, body=replace(made.body, notes=(READ_AS,)))


def failure() -> Reply:
    detail = "I can't reach the document search right now. Please try again in a minute."
    return Reply(plain.QUESTION, Abstention(Reason.SEARCH_UNAVAILABLE, detail), Trace(id="abc123"))


def titled(title: str, url: str = "https://docs.example.com/a (b)|<c>") -> Reply:
    """An answer from a document with this title."""
    odd: Chunk = replace(LINKED, title=title, headings=(title,), url=url)
    made = answer("It is so [1].")
    assert isinstance(made.body, Answer)
    return replace(made, body=replace(made.body, citations=(Citation(1, odd, "So."),)))


def long_answer(length: int) -> Reply:
    """Prose, a table, a list and code, again and again."""
    unit = (
        "## Part {n}\n\nA sentence about leave with a **bold word**, a `name_with_underscores` and a mark [1]. "
        "Another one, which says that a < b & c > d [2].\n\n"
        "| Days | Who |\n|---|---|\n| 5 | staff |\n| 3 | interns |\n\n"
        "- first\n- second\n\n```python\nif days > 5:\n    ask('People & Culture')\n```\n\n"
    )
    text = ""
    while len(text) < length:
        text += unit.format(n=text.count("##") + 1)
    return answer(text[:length])


def code_answer(length: int = 5_000) -> Reply:
    lines = "\n".join(f"step_{n:04d} = carry_over(days={n})  # line {n}" for n in range(1, 200))[:length]
    return answer(f"Run this [1]:\n\n```python\n{lines}\n```\n\nThen you are done [2].")
