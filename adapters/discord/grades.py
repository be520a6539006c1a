"""A Trace as `/grade` shows it, in pages that a phone can show: no columns, a passage a paragraph."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import discord

from adapters.discord.escaping import defused, gist, literal, named
from adapters.discord.limits import DESCRIPTION, FIELD, cut, one_line
from adapters.discord.pages import Act, Colour, Page, Press, card, listed
from adapters.discord.replies import pages as reply_pages
from crag import wording
from crag.types import Abstention, Answer, Courtesy, Grade, Reply, SentenceSupport, Trace, Verdict

A_PAGE = 4
"""Passages on one page."""
LISTED = 30
"""Passages that the first page lists; the next pages have them all."""
STRIP = 140
SCALE = 20
"""Cells of the gauge from 0 to 1."""
MARKS = {Verdict.CORRECT: "🟢", Verdict.AMBIGUOUS: "🟡", Verdict.INCORRECT: "🔴"}


def grade_pages(reply: Reply) -> list[Page]:
    """What was decided and a line for each passage; then the passages, the sentences, and what it took."""
    trace = reply.trace
    graded = list(enumerate(trace.grades, 1))
    embeds = [
        [*_outcome(reply), card("What was decided", "", Colour.WORKING, _decided(reply))],
        *([_passages_of(trace, batch)] for batch in _batches(graded)),
        *([embed] for embed in _sentences(trace.sentences)),
        [card("What it took", "", Colour.WORKING, _took(trace))],
    ]
    return [_page(reply, number, len(embeds), found) for number, found in enumerate(embeds)]


def _page(whole: Reply, number: int, count: int, embeds: Sequence[discord.Embed]) -> Page:
    reply = whole.trace.id
    embeds[-1].set_footer(text=f"Page {number + 1} of {count} · {reply}")
    back = Press(Act.PAGE, "‹ Back", reply, number - 1 if number else 0, disabled=number == 0)
    more = Press(Act.PAGE, "Next ›", reply, number + 1, disabled=number + 1 >= count)
    correct = Press(Act.CORRECT, wording.CORRECT_A_VERDICT, reply)
    return Page(tuple(embeds), (back, more) if isinstance(whole.body, Courtesy) else (back, more, correct))


def _batches(graded: Sequence[tuple[int, Grade]]) -> Iterator[Sequence[tuple[int, Grade]]]:
    yield from (graded[at : at + A_PAGE] for at in range(0, len(graded), A_PAGE))


def _outcome(reply: Reply) -> list[discord.Embed]:
    """The card of a question without an answer; of an answer, its badge stands among what was decided."""
    if not isinstance(reply.body, Abstention):
        return []
    shown = reply_pages(reply)[0].embeds[0].copy()
    shown.clear_fields()
    shown.description = (shown.description or "").removesuffix("\n\n**The nearest passages**")
    return [shown]


def _decided(reply: Reply) -> list[tuple[str, str]]:
    trace, body = reply.trace, reply.body
    first, *later = dict.fromkeys(trace.queries) or [""]
    told = [
        ("Question", reply.question.text),
        ("Read as", trace.standalone),
        ("Searched for", first),
        *(("Rewritten as", query) for query in later),
        ("Answer", wording.badge(body) if isinstance(body, Answer) else ""),
        ("Band", f"{trace.band or 'none'} ({trace.strategy} passed)" if trace.strategy else str(trace.band or "")),
        ("Graded", wording.graded_share(trace.grades)),
        ("What was done", ", ".join(trace.actions)),
        ("Thresholds", f"upper {trace.upper:.3f}, lower {trace.lower:.3f}"),
        ("Caution", trace.caution),
        ("What failed", "; ".join(trace.failures)),
    ]
    lines = [f"**{name}:** {literal(value, FIELD // 3)}" for name, value in told if value]
    table = [_line(rank, grade) for rank, grade in enumerate(trace.grades[:LISTED], 1)] or ["No passage was graded."]
    if len(trace.grades) > LISTED:
        table.append(f"… and {len(trace.grades) - LISTED} more on the next pages")
    return [*listed("How it went", lines), *listed("The passages", table)]


def _line(rank: int, grade: Grade) -> str:
    kept = "kept" if grade.kept else "dropped"
    score = _number(grade.score) if grade.graded else "not graded,"
    return f"{MARKS[grade.verdict]} **{rank}.** {score} {kept} · {literal(place_of(grade), 60)}"


def _passages_of(trace: Trace, graded: Sequence[tuple[int, Grade]]) -> discord.Embed:
    return card("The passages", "", Colour.WORKING, (_passage(rank, grade, trace) for rank, grade in graded))


def _passage(rank: int, grade: Grade, trace: Trace) -> tuple[str, str]:
    kept = "kept" if grade.kept else "dropped"
    standing = wording.standing(grade, trace.upper, trace.lower)
    elsewhere = "" if grade.retriever == "index" else f"Found by {literal(grade.retriever, 60)}"
    lines = [
        named(grade.chunk, place_of(grade), 100),
        f"`{gauge(grade.score, trace.upper, trace.lower)}`" if grade.graded else "",
        f"Score {standing}" if grade.graded else "",
        "" if wording.grade_reason(grade) in standing else defused(wording.fate(grade)),
        elsewhere,
    ]
    room = FIELD - sum(len(line) + 1 for line in lines if line) - 40
    value = "\n".join([*(line for line in lines if line), *_strips(grade, room)])
    return f"{rank}. {MARKS[grade.verdict]} {grade.verdict}, {kept}", value


def _strips(grade: Grade, room: int) -> Iterator[str]:
    """Those that fit; how many don't is said."""
    for number, (text, score, kept) in enumerate(grade.strips):
        line = f"{'✓' if kept else '✗'} {_number(score)} {gist(text, STRIP)}"
        room -= len(line) + 1
        if room < 0:
            yield f"… and {len(grade.strips) - number} more strips"
            return
        yield line


def _sentences(sentences: Sequence[SentenceSupport]) -> Iterator[discord.Embed]:
    lines = []
    for sentence in sentences:
        marks = "".join(f"[{number}]" for number in sentence.cites) or "cites nothing"
        verdict = "supported" if sentence.supported else f"left out: {sentence.reason or 'not supported'}"
        line = f"{'✅' if sentence.supported else '❌'} {_number(sentence.score)} · {marks} · {defused(verdict)}"
        lines.append(f"{line}\n> {gist(sentence.text, 300)}")
    texts: list[str] = []
    for line in lines:
        if texts and len(texts[-1]) + len(line) + 1 <= DESCRIPTION // 2:
            texts[-1] += f"\n{line}"
        else:
            texts.append(cut(line, DESCRIPTION))
    yield from (card("The sentences of the answer", text, Colour.WORKING) for text in texts)


def _took(trace: Trace) -> list[tuple[str, str]]:
    timings = [f"{wording.stage(name)}: {value:,.0f} ms" for name, value in trace.timings.items()]
    models = [f"{part}: {literal(model, 120)}" for part, model in trace.models.items()]
    index = f"{literal(trace.generation, 120)}, {wording.documents(trace.searched)}" if trace.generation else "none"
    path = [" → ".join(trace.states)] if trace.states else []
    return [
        *listed("Timings", timings),
        *listed("Models", models),
        ("Index", index),
        *listed("The way through the engine", path),
        ("Trace", trace.id),
    ]


def gauge(score: float, upper: float, lower: float) -> str:
    """0 to 1 on a line: | for the thresholds, o for the score, always on the right side of them."""
    cells = ["-"] * SCALE
    for threshold in (lower, upper):
        cells[_cell(threshold)] = "|"
    if not math.isnan(score):
        at = _cell(score)
        if cells[at] == "|":
            reached = next(score >= threshold for threshold in (upper, lower) if _cell(threshold) == at)
            at = min(SCALE - 1, max(0, at + (1 if reached else -1)))
        cells[at] = "o"
    return "".join(cells)


def _cell(value: float) -> int:
    return min(SCALE - 1, max(0, int(value * SCALE)))


def _number(value: float) -> str:
    return "?" if math.isnan(value) else f"{value:.3f}"


def place_of(grade: Grade) -> str:
    """Where the passage stands, as a reader knows it."""
    chunk = grade.chunk
    return one_line(" > ".join(chunk.headings) or chunk.title or chunk.path, 200)
