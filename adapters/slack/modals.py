"""The small windows: waiting, a passage, other words for a question."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.slack.blocks import Json, body, context, cut_line, place_of, plain, section
from adapters.slack.ids import REWORD_VIEW, WORDS, keep_place
from adapters.slack.mrkdwn import escape, is_url, line, link
from crag import wording
from crag.platform import Place
from crag.types import Abstention, Answer, Chunk, Reply

BLOCKS = 100
REASON = 1_000
QUESTION = 3_000
"""Characters that the inputs take; Slack allows 3,000."""


def modal(title: str, blocks: Sequence[Json], *, metadata: str = "", callback_id: str = "", submit: str = "") -> Json:
    """A modal; titles and buttons have at most 24 characters."""
    view: Json = {"type": "modal", "title": plain(title), "close": plain("Close"), "blocks": list(blocks)[:BLOCKS]}
    if metadata:
        view["private_metadata"] = metadata
    if callback_id:
        view["callback_id"] = callback_id
    if submit:
        view |= {"submit": plain(submit), "close": plain("Cancel")}
    return view


def sentence_view(title: str, text: str) -> Json:
    """One sentence: while something is being looked up, or why it can't be shown."""
    return modal(title, [section(cut_line(escape(text)))])


def passage_view(chunk: Chunk) -> Json:
    """The passage as it stands in its document."""
    link_or_path = link(chunk.link, chunk.link) if is_url(chunk.link) else line(chunk.link)
    head = [section(cut_line(f"*{line(place_of(chunk))}*")), context(cut_line(link_or_path))]
    return modal("Passage", [*head, *body(chunk.text)])


def passage(reply: Reply, which: str) -> Chunk | None:
    """The chunk that a "Show passage" button means: `c2` is the citation [2], `n1` the first of the nearest."""
    number = int(which[1:])
    match reply.body, which[0]:
        case Answer(citations=citations), "c":
            return next((citation.chunk for citation in citations if citation.number == number), None)
        case Abstention(nearest=nearest), "n" if number <= len(nearest):
            return nearest[number - 1].chunk
    return None


def reword_view(question: str, place: Place) -> Json:
    """The question again, to be put in other words."""
    return modal(
        wording.ASK_AGAIN,
        [words_input(wording.YOUR_QUESTION, limit=QUESTION, initial=question[:QUESTION])],
        metadata=keep_place(place),
        callback_id=REWORD_VIEW,
        submit="Ask",
    )


def words_input(label: str, *, limit: int, initial: str = "", optional: bool = False) -> Json:
    """A field for some lines of text."""
    element: Json = {"type": "plain_text_input", "action_id": WORDS, "multiline": True, "max_length": limit}
    if initial:
        element["initial_value"] = initial
    return {"type": "input", "block_id": WORDS, "label": plain(label), "element": element, "optional": optional}
