"""How a reply was graded, as pages of a modal that a phone can show: a few lines for each passage, then the whole."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adapters.slack.blocks import (
    SECTION,
    Json,
    actions,
    button,
    cut_line,
    place_of,
    section,
)
from adapters.slack.ids import CORRECT, PAGE, keep_place
from adapters.slack.modals import modal
from adapters.slack.mrkdwn import Part, cut, escape, is_url, line, link, sections
from crag import wording
from crag.markup import gist
from crag.platform import Place
from crag.types import Abstention, Answer, Courtesy, Grade, Reply, SentenceSupport, Trace, Verdict

TITLE = "How this was graded"
PER_PAGE = 5
STRIPS = 6
STRIP = 240
EMBLEMS = {Verdict.CORRECT: "🟢", Verdict.AMBIGUOUS: "🟡", Verdict.INCORRECT: "🔴"}


def pages(trace: Trace) -> int:
    """Pages of passages, and the last one about the whole."""
    return math.ceil(len(trace.grades) / PER_PAGE) + 1


def grade_view(reply: Reply, place: Place, page: int = 1, noted: str = "") -> Json:
    """Page `page` (from 1) of the modal. `noted` is what was just done about the reply, "" for nothing."""
    trace, count = reply.trace, pages(reply.trace)
    page = min(max(page, 1), count)
    kept = sum(grade.kept for grade in trace.grades)
    told = f"{kept} of {len(trace.grades)} passages kept." if trace.grades else "No passage was graded."
    if graded := wording.graded_share(trace.grades):
        told += f" {graded} graded."
    head = f"*{outcome(reply)}*\n{told} Page {page} of {count}."
    blocks: list[Json] = [section(cut_line(head))]
    if noted:
        blocks.append(section(cut_line(f"✏️ {escape(noted)}")))
    if page < count:
        first = (page - 1) * PER_PAGE
        for rank, grade in enumerate(trace.grades[first : first + PER_PAGE], first + 1):
            blocks += [{"type": "divider"}, section(cut("\n".join(_passage(rank, grade, trace)), SECTION))]
    else:
        blocks += [section(cut(text, SECTION)) for text in _whole(reply)]
    turns = []
    if page > 1:
        turns.append(button("Previous", f"{PAGE}_back", f"{trace.id}:{page - 1}"))
    if page < count:
        turns.append(button("Next", f"{PAGE}_on", f"{trace.id}:{page + 1}"))
    if not isinstance(reply.body, Courtesy):
        turns.append(button(wording.CORRECT_A_VERDICT, CORRECT, f"{trace.id}:{page}"))
    if turns:
        blocks.append(actions(*turns))
    return modal(TITLE, blocks, metadata=keep_place(place))


def outcome(reply: Reply) -> str:
    """The outcome in a line."""
    match reply.body:
        case Answer() as answer:
            return wording.badge(answer)
        case Abstention(reason, detail):
            return f"{wording.headline(reason)}: {line(detail)}"
        case _:
            return "Small talk: nothing was searched"


def _passage(rank: int, grade: Grade, trace: Trace) -> Iterator[str]:
    fate = "kept" if grade.kept else "dropped"
    yield f"*{rank}.* {EMBLEMS[grade.verdict]} *{grade.verdict}, {fate}*"
    name = place_of(grade.chunk)
    yield link(grade.chunk.link, name) if is_url(grade.chunk.link) else f"{line(name)} ({line(grade.chunk.link)})"
    score = wording.standing(grade, trace.upper, trace.lower)
    if grade.graded:
        yield f"Score {score}"
    if wording.grade_reason(grade) not in score:
        yield line(wording.fate(grade))
    if grade.retriever != "index":
        yield f"Found by {line(grade.retriever)}"
    for text, value, used in grade.strips[:STRIPS]:
        yield f"{'✓' if used else '✗'} {value:.3f} {cut(line(gist(text)), STRIP)}"
    if len(grade.strips) > STRIPS:
        yield f"… and {len(grade.strips) - STRIPS} more strips"


def _whole(reply: Reply) -> Iterator[str]:
    """What was decided, and what it cost. Only what there is."""
    trace = reply.trace
    first, *later = dict.fromkeys(trace.queries) or [""]
    facts = [
        ("Question", reply.question.text),
        ("Read as", trace.standalone),
        ("Searched for", first),
        *[("Rewritten as", query) for query in later],
        ("Band", f"{trace.band or 'none'} ({trace.strategy} passed)" if trace.strategy else str(trace.band or "")),
        ("What was done", ", ".join(trace.actions)),
        ("Thresholds", f"lower {trace.lower:.3f}, upper {trace.upper:.3f}" if trace.grades else ""),
        ("Caution", trace.caution),
        ("What failed", "; ".join(trace.failures)),
    ]
    yield "\n".join(f"*{name}:* {cut(line(value), 600)}" for name, value in facts if value)
    if trace.sentences:
        rows = (Part(_sentence(sentence), tight=True) for sentence in trace.sentences)
        yield from sections([Part("*The sentences of the answer*"), *rows], SECTION)
    machine = [
        ("Timings", ", ".join(f"{wording.stage(name)} {value:.0f} ms" for name, value in trace.timings.items())),
        ("Models", ", ".join(f"{part} {model}" for part, model in trace.models.items())),
        ("Index", f"{trace.generation}, {wording.documents(trace.searched)}" if trace.generation else ""),
        ("Trace", trace.id),
    ]
    yield "\n".join(f"*{name}:* {cut(line(value), 600)}" for name, value in machine if value)


def _sentence(sentence: SentenceSupport) -> str:
    told = "" if sentence.supported else f" ({line(sentence.reason) or 'not borne out'})"
    return f"{'✓' if sentence.supported else '✗'} {sentence.score:.3f} {cut(line(gist(sentence.text)), STRIP)}{told}"
