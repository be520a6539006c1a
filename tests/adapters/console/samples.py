"""Replies and traces as the engine makes them, for every test of what is shown."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

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


def chunk(number: int = 1, *, title: str = "Leave", heading: str = "Carrying over", text: str = "Five days.") -> Chunk:
    path = f"people/leave-{number}.md"
    headings = (title, heading)
    return Chunk(f"c{number}", path, path, title, headings, text, (0, len(text)), "h", anchor="carrying-over")


GRADES = (
    Grade(chunk(1), 0.91, Verdict.CORRECT, raw=0.88, cosine=0.8, kept=True, reason="evidence", query="carry over"),
    Grade(
        chunk(2),
        0.5,
        Verdict.AMBIGUOUS,
        raw=0.4,
        kept=True,
        reason="evidence",
        strips=(("Five days carry over.", 0.8, True), ("The canteen opens at noon.", 0.02, False)),
    ),
    Grade(chunk(3), 0.05, Verdict.INCORRECT, raw=0.01, reason="below the lower threshold"),
)
UNGRADED = Grade(
    chunk(4),
    0.0,
    Verdict.INCORRECT,
    cosine=0.7,
    reason="not graded: ranked below the best 3 by similarity",
    graded=False,
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
    sentences=(SentenceSupport("Five days carry over [1].", (1,), 0.9, True),),
    timings={"search": 8.4, "grade": 120.6, "crag_ms": 140.0},
    models={"embedder": "e5", "grader": "mini"},
    generation="Candor_1",
    searched=31,
)
QUESTION = Question("How many days carry over?")


def answered() -> Reply:
    body = Answer(
        "You may carry over five days [1]. They lapse at the end of March [2].",
        (Citation(1, chunk(1), "Five days."), Citation(2, chunk(2, heading="Leave"), "End of March.")),
        Band.CORRECT,
        Support.FULL,
    )
    return Reply(QUESTION, body, TRACE)


def partly() -> Reply:
    reply = answered()
    assert isinstance(reply.body, Answer)
    body = replace(
        reply.body, band=Band.AMBIGUOUS, support=Support.PARTIAL, notes=("What I found doesn't mention “interns”.",)
    )
    return replace(reply, body=body)


def abstained(reason: Reason = Reason.WEAK_EVIDENCE, detail: str = "Nothing I found answers this.") -> Reply:
    return Reply(QUESTION, Abstention(reason, detail, GRADES[1:]), TRACE)


READ_AS = "I read your question as “How many days carry over? and in Porto?”."


def abstained_on_a_follow_up() -> Reply:
    made = abstained()
    assert isinstance(made.body, Abstention)
    return replace(made, body=replace(made.body, notes=(READ_AS,)))


def courtesy() -> Reply:
    return Reply(replace(QUESTION, text="thanks"), Courtesy("You're welcome!"), Trace(id="t"))


def hostile() -> Reply:
    """A reply in which every text that comes from a document tries to command the terminal."""
    link = "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\"
    evil = f"\x1b[31mred\x1b[0m \x1b]0;owned\x07{link} \x9b2J\x07\x08\u202edcba"
    bad = replace(
        chunk(1), title=evil, headings=(evil, evil), path=f"{evil}.md", url=f"https://x.example/{evil}", anchor=evil
    )
    grade = replace(GRADES[1], chunk=bad, reason=evil, query=evil, strips=((evil, 0.5, True),), retriever=evil)
    trace = replace(
        TRACE,
        grades=(grade,),
        queries=(evil, evil + "2"),
        standalone=evil,
        failures=(evil,),
        models={"writer": evil},
        sentences=(SentenceSupport(evil, (1,), 0.1, False, evil),),
    )
    body = Answer(f"{evil} [1]", (Citation(1, bad, evil),), Band.CORRECT, Support.FULL, (evil,))
    return Reply(replace(QUESTION, text=evil), body, trace)


def screen(width: int = 80, *, terminal: bool = False) -> tuple[Console, io.StringIO]:
    """A console that writes into memory: a pipe, or a terminal with colours."""
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=terminal, color_system="standard" if terminal else None)
    return console, file
