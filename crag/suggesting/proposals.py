"""What is proposed of one passage: questions that it answers, and near misses that nothing should answer."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass

from crag.glossary import GlossaryBuilder
from crag.markup import gist
from crag.suggesting.clauses import Draft
from crag.suggesting.headings import heading_drafts, is_question, topic_of
from crag.suggesting.passages import Names, plain, told
from crag.suggesting.sentences import draft_of
from crag.text import content_words, words
from crag.types import Chunk

_TERM = re.compile(
    r"^[-*+] \*\*([A-Z][\w'’ -]{2,30})\*\*: (?:an?|the|our|your|what|how|when|who)\b(.{10,})$", re.MULTILINE
)


class Kind(enum.StrEnum):
    """What the question was made from; stands in the file as `kind`, so that figures can be had for each. A language
    model's are `written`."""

    FAQ = "faq"
    HEADING = "heading"
    TERM = "term"
    SENTENCE = "sentence"
    OTHER_NAME = "other_name"
    OTHER_NUMBER = "other_number"
    OTHER_SCOPE = "other_scope"
    NOT_TOLD = "not_told"
    WRITTEN = "written"
    WRITTEN_NEAR_MISS = "written_near_miss"

    @property
    def answerable(self) -> bool:
        return self in (Kind.FAQ, Kind.HEADING, Kind.TERM, Kind.SENTENCE, Kind.WRITTEN)


_LEAST_WORDS = {Kind.FAQ: 2, Kind.HEADING: 2, Kind.SENTENCE: 3, Kind.TERM: 1}
"""Content words a question needs to be understood without its page's title."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One question for a person to keep or drop. `quote` is what it was made from. An answerable one may have its
    `answer`; a near miss has a `note` that says why nothing answers it, and a pattern, `telltale`: a passage that has
    it and speaks of what is asked may answer after all."""

    question: str
    kind: Kind
    chunk: Chunk
    quote: str
    answer: str = ""
    note: str = ""
    telltale: str = ""

    @property
    def key(self) -> str:
        """The same for two spellings of one question."""
        return key_of(self.question)

    @property
    def answerable(self) -> bool:
        return self.kind.answerable

    @property
    def document(self) -> str:
        """The path of the document that the passage stands in."""
        return self.chunk.path

    @property
    def place(self) -> str:
        """Where the passage stands, for a person."""
        return f"{' > '.join(self.chunk.headings or (self.chunk.title,))} ({self.chunk.path})"


def key_of(question: str) -> str:
    return " ".join(words(question))


def answerables(chunk: Chunk, names: Names) -> list[tuple[Proposal, Draft]]:
    """The questions that this passage answers, each with its draft, of which near misses are made."""
    found: list[tuple[Proposal, Draft]] = []
    if len(chunk.headings) > 1:
        kind = Kind.FAQ if is_question(plain(chunk.headings[-1])) else Kind.HEADING
        found += [_placed(draft, kind, chunk, _beginning(chunk), "") for draft in heading_drafts(chunk.headings, names)]
    for sentence in told(chunk):
        if draft := draft_of(sentence, names):
            kind = Kind.TERM if draft.question.startswith("What is ") else Kind.SENTENCE
            found.append(_placed(draft, kind, chunk, sentence, sentence))
    found += [(proposal, Draft(proposal.question)) for proposal in _terms(chunk)]
    return [(proposal, draft) for proposal, draft in found if proposal.question]


def _terms(chunk: Chunk) -> list[Proposal]:
    """What the passage explains: abbreviations, and list items that begin with a word in bold."""
    glossary = GlossaryBuilder()
    glossary.add([chunk])
    found = [
        Proposal(f"What does {short.upper()} stand for?", Kind.TERM, chunk, full, full)
        for short, full in glossary.build().abbreviations.items()
        if len(short) > 2
    ]
    for term in _TERM.finditer(chunk.text):
        line = plain(term[0].lstrip("-*+ "))
        found.append(Proposal(f"What does “{term[1]}” mean?", Kind.TERM, chunk, line, line))
    return found


def labelled(proposal: Proposal) -> str:
    """The question with its page's title in front, as one writes in chat; "" where that adds nothing."""
    if proposal.kind is Kind.TERM:
        return ""
    return with_label(proposal.question, proposal.chunk.headings or (proposal.chunk.title,))


def with_label(question: str, headings: Sequence[str]) -> str:
    label = topic_of(tuple(headings))
    if not label or set(content_words(label)) <= set(content_words(question)) or ": " in question:
        return ""
    first, rest = question[:1], question[1:]
    return f"{label}: {first if rest[:1].isupper() else first.lower()}{rest}"


def _placed(draft: Draft, kind: Kind, chunk: Chunk, quote: str, answer: str) -> tuple[Proposal, Draft]:
    question = draft.question
    asked = set(content_words(question))
    if len(asked) < _LEAST_WORDS[kind] and not asked & set(content_words(topic_of(chunk.headings))):
        question = with_label(question, chunk.headings)
    return Proposal(question, kind, chunk, quote, answer), draft


def _beginning(chunk: Chunk) -> str:
    return plain(gist(chunk.text))
