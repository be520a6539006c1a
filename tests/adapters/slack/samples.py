"""Replies for what Slack shows."""

from __future__ import annotations

from dataclasses import replace

from crag.types import (
    Abstention,
    Action,
    Answer,
    Band,
    Chunk,
    Citation,
    Courtesy,
    Grade,
    Question,
    Reason,
    Reply,
    SentenceSupport,
    Support,
    Trace,
    Verdict,
)

QUESTION = "How many days of leave can I carry over?"


def chunk(number: int = 1, *, title: str = "Leave", heading: str = "Carrying over", url: str = "") -> Chunk:
    text = "You may carry over **five days** into the next year. They lapse at the end of March."
    path = f"people/leave-{number}.md"
    headings = (title, heading)
    return Chunk(f"c{number}", path, path, title, headings, text, (0, len(text)), "h", url=url, anchor="carrying-over")


LINKED = chunk(1, url="https://docs.example.com/leave")
GRADES = (
    Grade(LINKED, 0.91, Verdict.CORRECT, raw=0.88, cosine=0.8, kept=True, reason="evidence", query="carry over"),
    Grade(
        chunk(2),
        0.5,
        Verdict.AMBIGUOUS,
        raw=0.4,
        kept=True,
        reason="evidence",
        strips=(("Five days carry over.", 0.8, True), ("The canteen opens at noon.", 0.02, False)),
    ),
    Grade(chunk(3, title="Canteen", heading="Hours"), 0.05, Verdict.INCORRECT, raw=0.01),
)
TRACE = Trace(
    id="abc123",
    states=("received", "search", "grade", "refine", "write", "support", "answered"),
    actions=(Action.REFINE, Action.GENERATE),
    band=Band.AMBIGUOUS,
    strategy="some",
    grades=GRADES,
    upper=0.72,
    lower=0.35,
    queries=("carry over", "carry over", "annual leave carry over"),
    sentences=(
        SentenceSupport("Five days carry over [1].", (1,), 0.9, True),
        SentenceSupport("Interns get six.", (1,), 0.1, False, "six isn't in the sources"),
    ),
    timings={"search": 8.4, "grade": 120.6, "crag_ms": 140.0},
    models={"embedder": "e5", "grader": "mini"},
    generation="Candor_1",
    searched=31,
)


def reply(body: Answer | Abstention | Courtesy, trace: Trace = TRACE) -> Reply:
    return Reply(Question(QUESTION), body, trace)


def answer(text: str = "You may carry over **five days** [1]. They lapse at the end of March [2].") -> Reply:
    citations = (Citation(1, LINKED, "Five days."), Citation(2, chunk(2), "End of March."))
    return reply(Answer(text, citations, Band.CORRECT, Support.FULL))


def partly() -> Reply:
    made = answer()
    assert isinstance(made.body, Answer)
    notes = ("What I found doesn't mention “interns”.",)
    return replace(made, body=replace(made.body, band=Band.AMBIGUOUS, support=Support.PARTIAL, notes=notes))


def abstention() -> Reply:
    detail = "I searched 31 documents, but nothing I found answers this."
    return reply(Abstention(Reason.WEAK_EVIDENCE, detail, GRADES[:2]))


READ_AS = "I read your question as “How many days of leave can I carry over? and <!here>?”."


def abstention_on_a_follow_up() -> Reply:
    made = abstention()
    assert isinstance(made.body, Abstention)
    return replace(made, body=replace(made.body, notes=(READ_AS,)))


def failure() -> Reply:
    detail = "I can't reach the language model right now. Please try again in a minute."
    return reply(Abstention(Reason.INTERNAL, detail), Trace(id="abc123"))


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
    return answer(f"Run this [1]:\n\n```\n{lines}\n```\n\nThen you are done [2].")
