"""A Reply -> the messages that show it: the answer with badge and sources, or the card that says why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adapters.slack.blocks import (
    FALLBACK,
    SECTION,
    Json,
    Post,
    actions,
    body,
    button,
    context,
    cut_line,
    packed,
    place_of,
    plain,
    section,
    source,
)
from adapters.slack.ids import GRADED, HUMAN, PASSAGE, REWORD, SAID, VOTE
from adapters.slack.mrkdwn import cut, escape, line
from crag import wording
from crag.markup import gist
from crag.types import Abstention, Answer, Citation, Courtesy, Grade, Reason, Reply

NEAREST = 3
WITHDRAWN, STRUCK = 6, 300
"""How many withdrawn sentences are shown, and how many characters of each."""
_MARK = re.compile(r"\s?\[\d+\]")
EMBLEMS = dict(zip(wording.BADGES, ("✅", "🟡", "⚪"), strict=True))
NO_QUESTION = (Reason.EMPTY_QUESTION, Reason.QUESTION_TOO_LONG)
UNWELL = frozenset(wording.HEADLINES) - frozenset(NO_QUESTION)
"""Reasons that are no lack of knowledge: something doesn't work, and nobody needs to say that this wasn't helpful."""
STILL_READABLE = UNWELL - {Reason.INDEX_MISSING}


def posts(reply: Reply, *, humans: bool = True, shown: str = "") -> list[Post]:
    """One message, or several where Slack's limits ask for it. The first carries the beginning, the last the badge, the
    sources and the buttons. `humans`: whether there is a channel for "Ask a human"; `shown` is what people saw of the
    answer while it was written: what was withdrawn of it is said."""
    match reply.body:
        case Answer() as answer:
            groups = list(_answer(reply, answer, shown))
            text = f"{answer.text}\n{wording.badge(answer)}"
        case Abstention() as abstention:
            groups = list(_card(reply, abstention, humans=humans))
            text = f"{wording.headline(abstention.reason)}. {abstention.detail}"
        case Courtesy(text):
            groups = [body(text, f"{SAID}:{reply.trace.id}")]
    fallback = cut(escape(text), FALLBACK)
    return [Post(fallback if not n else "…", tuple(blocks)) for n, blocks in enumerate(packed(groups))]


def notice(text: str) -> Post:
    """A sentence that is no reply."""
    return Post(cut(escape(text), FALLBACK), (section(cut(escape(text), SECTION)),))


def _answer(whole: Reply, answer: Answer, shown: str) -> Iterator[list[Json]]:
    reply = whole.trace.id
    yield from ([block] for block in body(answer.text, f"{SAID}:{reply}"))
    foot = [context(f"{EMBLEMS[wording.shown_band(answer)]} *{wording.badge(answer)}*")]
    foot += [context(struck) for struck in _withdrawn(whole, shown)]
    foot += _notes(answer)
    foot += [_citation(reply, citation) for citation in answer.citations]
    yield [*foot, _feedback(reply), actions(_graded(reply))]


def _notes(body: Answer | Abstention) -> list[Json]:
    return [context(cut_line(f"⚠️ {escape(note)}")) for note in body.notes]


def _withdrawn(reply: Reply, shown: str) -> list[str]:
    """What people saw and the support check took back, struck through; never part of the answer."""
    seen = _plain(shown)
    dropped = (sentence.text for sentence in reply.trace.sentences if not sentence.supported)
    gone = [text for text in dropped if _plain(text) and _plain(text) in seen]
    struck = [f"~{cut(line(gist(text)).replace('~', '∼'), STRUCK)}~" for text in gone[:WITHDRAWN]]
    more = [f"… and {len(gone) - WITHDRAWN} more"] if len(gone) > WITHDRAWN else []
    return ["\n".join([f"{wording.WITHDRAWN}:", *struck, *more])] if struck else []


def _plain(text: str) -> str:
    """Without marks, which may move in the check."""
    return " ".join(_MARK.sub("", text).split())


def _citation(reply: str, citation: Citation) -> Json:
    show = button(wording.SHOW_PASSAGE, PASSAGE, f"{reply}:c{citation.number}")
    return source(f"[{citation.number}] ", citation.chunk, citation.label, show)


def _card(reply: Reply, abstention: Abstention, *, humans: bool) -> Iterator[list[Json]]:
    trace = reply.trace
    title = wording.headline(abstention.reason)
    emblem = "⚠️" if abstention.reason in UNWELL else "🤷"
    head = [{"type": "header", "text": plain(f"{emblem} {title}")}]
    detail = abstention.detail
    searched = wording.documents(trace.searched)
    if trace.searched and searched not in detail:
        detail = f"{detail} I searched {searched}."
    works = [context(wording.STILL_WORKS)] if abstention.reason in STILL_READABLE else []
    yield [*head, section(cut_line(escape(detail)), block_id=f"{SAID}:{trace.id}:0"), *_notes(abstention), *works]
    if abstention.nearest:
        yield [context(f"{wording.NEAREST}:")]
        yield from ([_near(trace.id, rank, grade)] for rank, grade in enumerate(abstention.nearest[:NEAREST], 1))
    if abstention.reason in NO_QUESTION:
        return
    asking = [button(wording.ASK_A_HUMAN, HUMAN, trace.id)] if humans else []
    again = wording.ASK_AGAIN if abstention.reason in UNWELL else wording.TRY_OTHER_WORDS
    ways = actions(*asking, button(again, REWORD, trace.id), _graded(trace.id))
    yield [ways] if abstention.reason in UNWELL else [ways, _feedback(trace.id)]


def _near(reply: str, rank: int, grade: Grade) -> Json:
    show = button(wording.SHOW_PASSAGE, PASSAGE, f"{reply}:n{rank}")
    return source("• ", grade.chunk, place_of(grade.chunk), show)


def _graded(reply: str) -> Json:
    return button(wording.HOW_GRADED, GRADED, reply)


def _feedback(reply: str) -> Json:
    votes = {
        "type": "feedback_buttons",
        "action_id": VOTE,
        "positive_button": {"text": plain(wording.HELPFUL), "value": f"{reply}:up"},
        "negative_button": {"text": plain(wording.NOT_HELPFUL), "value": f"{reply}:down"},
    }
    return {"type": "context_actions", "elements": [votes]}
