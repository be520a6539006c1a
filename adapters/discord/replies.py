"""A Reply -> the messages that show it: the answer with badge, notes and sources, or the card that says why not."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from adapters.discord.escaping import defused, gist, literal, named, prose, web_address
from adapters.discord.limits import CONTENT, DESCRIPTION, EMBEDS, FIELD, FIELDS, TITLE, cut, one_line
from adapters.discord.markdown import parts
from adapters.discord.pages import Act, Colour, Page, Press, card, listed, notice, rows
from crag import wording
from crag.events import State
from crag.types import Abstention, Answer, Chunk, Courtesy, Reason, Reply

NEAREST = 3
SNIPPET = 180
STREAMED = 1500
"""How much of an answer is shown while it is being written: its end."""
NO_QUESTION = frozenset({Reason.EMPTY_QUESTION, Reason.QUESTION_TOO_LONG})
UNWELL = frozenset(wording.HEADLINES) - NO_QUESTION
"""Reasons that are no lack of knowledge: something doesn't work, and nobody needs to say that this wasn't helpful."""
STILL_READABLE = UNWELL - {Reason.INDEX_MISSING}
_COLOURS = dict(zip(wording.BADGES, (Colour.SUPPORTED, Colour.PARTLY, Colour.UNCHECKED), strict=True))


def pages(reply: Reply, *, shown: str = "", humans: bool = True) -> list[Page]:
    """One message, or as many as Discord's limits ask for: the first has the badge, the last the sources and the
    buttons. `shown` is what people saw of the answer while it was written: what was withdrawn of it is said.
    `humans`: whether there is a channel for "Ask a human"."""
    match reply.body:
        case Answer() as answer:
            return _answer(reply, answer, shown)
        case Abstention() as abstention:
            return [_card(reply, abstention, humans=humans)]
        case Courtesy(text):
            return [Page(content=cut(defused(text), CONTENT))]


def working(state: State | None, written: str = "") -> Page:
    """The sign of life: what is being done, and the end of what has been written so far."""
    stage = wording.STAGES.get(state, "") if state else ""
    told = parts(written, {}, STREAMED)
    text = ("…\n" if len(told) > 1 else "") + told[-1] if told else ""
    return Page((card(f"{stage or 'Working on it'}…", text, Colour.WORKING),))


def trouble() -> Page:
    """For what went wrong in the adapter itself."""
    return notice(wording.INTERNAL, title=wording.headline(Reason.INTERNAL), colour=Colour.TROUBLE)


def _answer(reply: Reply, answer: Answer, shown: str) -> list[Page]:
    words = wording.badge(answer)
    colour = _COLOURS[wording.shown_band(answer)]
    links = {c.number: address for c in answer.citations if (address := web_address(c.chunk))}
    texts = parts(answer.text, links, DESCRIPTION)
    tail = _tail(reply, answer, shown)
    embeds = [card(words if not number else "", text, colour) for number, text in enumerate(texts)]
    for name, value in tail:
        if not embeds or len(embeds[-1]) + len(name) + len(value) > EMBEDS or len(embeds[-1].fields) == FIELDS:
            embeds.append(card("", "", colour))
        embeds[-1].add_field(name=name, value=value, inline=False)
    found = [Page((embed,)) for embed in embeds]
    unlinked = [(c.number, c.chunk) for c in answer.citations if c.number not in links]
    found[-1] = Page(found[-1].embeds, (*_votes(reply.trace.id), *_passages(reply.trace.id, Act.PASSAGE, unlinked)))
    return found


def _tail(reply: Reply, answer: Answer, shown: str) -> list[tuple[str, str]]:
    """What follows the text: what was withdrawn, what to know, where it stands."""
    gone = [s.text for s in reply.trace.sentences if not s.supported and _seen(s.text, shown)]
    withdrawn = [f"~~{literal(text, FIELD // 2 - 4)}~~" for text in gone]
    notes = [f"- {defused(one_line(note, FIELD // 2))}" for note in answer.notes]
    sources = [f"[{c.number}] {named(c.chunk, c.label)}" for c in answer.citations]
    return [*listed(wording.WITHDRAWN, withdrawn), *listed("Please note", notes), *listed("Sources", sources)]


def _seen(sentence: str, shown: str) -> bool:
    return bool(shown) and " ".join(sentence.split()) in " ".join(shown.split())


def _card(reply: Reply, abstention: Abstention, *, humans: bool) -> Page:
    trace, reason = reply.trace, abstention.reason
    detail = defused(abstention.detail)
    searched = wording.documents(trace.searched)
    if trace.searched and searched not in detail:
        detail = f"{detail} I searched {searched}."
    detail = "\n".join([detail, *(f"-# {defused(one_line(note, FIELD // 2))}" for note in abstention.notes)])
    nearest = [grade.chunk for grade in abstention.nearest[:NEAREST]]
    if reason in STILL_READABLE:
        detail = f"{detail}\n-# {wording.STILL_WORKS}"
    fields = [_near(rank, chunk) for rank, chunk in enumerate(nearest, 1)]
    if fields:
        detail = f"{detail}\n\n**{wording.NEAREST}**"
    embed = card(wording.headline(reason), detail, Colour.TROUBLE if reason in UNWELL else Colour.UNKNOWN, fields)
    if reason in NO_QUESTION:
        return Page((embed,))
    unlinked = [(rank, chunk) for rank, chunk in enumerate(nearest, 1) if not web_address(chunk)]
    ways = _ways_on(trace.id, humans=humans, unwell=reason in UNWELL)
    return Page((embed,), (*ways, *_passages(trace.id, Act.NEAREST, unlinked, first=2)))


def _near(rank: int, chunk: Chunk) -> tuple[str, str]:
    place = " > ".join(chunk.headings) or chunk.title
    address = web_address(chunk)
    where = f"[Open the passage](<{address}>)" if address else literal(chunk.link, TITLE)
    return f"{rank}. {defused(place)}", f"{gist(chunk.text, SNIPPET)}\n{where}"


def _votes(reply: str) -> tuple[Press, ...]:
    return (
        Press(Act.YES, wording.HELPFUL, reply, style=discord.ButtonStyle.success),
        Press(Act.NO, wording.NOT_HELPFUL, reply),
        Press(Act.HOW, wording.HOW_GRADED, reply),
    )


def _ways_on(reply: str, *, humans: bool, unwell: bool) -> tuple[Press, ...]:
    human = Press(Act.HUMAN, wording.ASK_A_HUMAN, reply, style=discord.ButtonStyle.primary)
    again = wording.ASK_AGAIN if unwell else wording.TRY_OTHER_WORDS
    votes = Press(Act.YES, wording.HELPFUL, reply, row=1), Press(Act.NO, wording.NOT_HELPFUL, reply, row=1)
    return (
        *((human,) if humans else ()),
        Press(Act.AGAIN, again, reply, style=discord.ButtonStyle.primary),
        Press(Act.HOW, wording.HOW_GRADED, reply),
        *(() if unwell else votes),
    )


def _passages(reply: str, act: Act, unlinked: Sequence[tuple[int, Chunk]], *, first: int = 1) -> tuple[Press, ...]:
    label = wording.SHOW_PASSAGE
    return rows((Press(act, f"{label} {number}", reply, number) for number, _ in unlinked), first)


def passage(reply: Reply, act: Act, number: int) -> Page | None:
    """The passage that a button asks for; None where the reply has no such one."""
    if isinstance(reply.body, Answer) and act is Act.PASSAGE:
        found = next((c.chunk for c in reply.body.citations if c.number == number), None)
    elif isinstance(reply.body, Abstention) and 0 < number <= len(reply.body.nearest):
        found = reply.body.nearest[number - 1].chunk
    else:
        found = None
    if found is None:
        return None
    text = parts(found.text, {}, DESCRIPTION - 200)
    where = f"-# {literal(found.link, TITLE)}"
    shown = card(" > ".join(found.headings) or found.title, "\n\n".join([*text[:1], where]), Colour.NOTICE)
    return Page((shown,))


def asked(question: str, most: int) -> str:
    """A question as a command's answer repeats it: Discord itself shows the command's name only."""
    return "\n".join(f"> {prose(line, {})}" for line in cut(question, most).splitlines())
