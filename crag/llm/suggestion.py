"""Reading what a language model proposes of a passage. Small models copy the passage, ask what it doesn't tell, speak
of "this text", and swap in what the passage says too: that is left out, since each of it costs a person a key."""

from __future__ import annotations

import re
from collections.abc import Mapping

from crag.facts import numbers, uniform
from crag.languages import may_share_a_language
from crag.llm import prompts
from crag.llm.parsing import json_objects
from crag.suggesting.passages import plain
from crag.suggesting.proposals import Kind, Proposal, with_label
from crag.text import clean, content_words, has_words, words
from crag.types import Chunk

LONGEST = 200
"""Characters of a question that a person types."""
FEW = 3
"""A question of fewer content words is understood only with its page's title in front."""
BORNE_OUT = 0.7
"""The share of an answer's words that must stand in its passage."""
LONGEST_SWAP = 5
"""Words."""
_OF_THE_TEXT = re.compile(
    r"\b(?:this|the (?:above|given|following|provided)|according to the|(?:in|of|from|by) the) "
    r"(?:text|passage|document|page|article|section|paragraph|excerpt|quotation|statement|list|table)\b"
    r"|\b(?:mentioned|described|stated|listed|given|provided|quoted) (?:above|below|here)\b"
    r"|\bthe passage\b|\bmain (?:topic|idea|point|purpose)\b"
    r"|\b(?:diese[mnrs]?|laut|gemäß|im) (?:Text|Abschnitt|Dokument|Artikel|Passage|Seite)\b",
    re.IGNORECASE,
)
"""What nobody asks who doesn't see the passage."""
_UNNAMED = re.compile(r"^(?:(?:an|some|any)?other|(?:a )?different|none|n/?a|unknown|not|no)\b", re.IGNORECASE)
"""Where the model was to name another one, and says that it is another one."""


def read(text: str, chunk: Chunk) -> list[Proposal]:
    """What a model's JSON proposes, as far as it fits the passage: a question, and perhaps its near miss; [] where
    nothing can be read or used."""
    stated = next(iter(json_objects(text)), None)
    if stated is None:
        return []
    answer, question, word, other = (_line(stated, name) for name in prompts.SUGGESTED)
    if not (_asks(question, chunk) and _borne_out(answer, chunk) and not _given_away(answer, question)):
        return []
    missed = _swapped(question, word, other) if _is_other(other, question, chunk) else ""
    if len(set(content_words(question))) < FEW:
        place = chunk.headings or (chunk.title,)
        question, missed = (with_label(text, place) or text if text else "" for text in (question, missed))
    found = [Proposal(question, Kind.WRITTEN, chunk, answer, answer)]
    if missed:
        note = f"The model put “{other}” in the place of “{word}”."
        telltale = rf"(?<!\w){re.escape(other)}(?!\w)"
        found.append(Proposal(missed, Kind.WRITTEN_NEAR_MISS, chunk, answer, note=note, telltale=telltale))
    return found


def _line(stated: Mapping[str, object], name: str) -> str:
    value = stated.get(name)
    return " ".join(clean(value).split()) if isinstance(value, str) else ""


def _asks(question: str, chunk: Chunk) -> bool:
    """Whether it is a question, of something that stands in the passage, and in a language that its readers ask in."""
    passage = plain(chunk.passage)
    return (
        has_words(question)
        and question.endswith(("?", "？"))
        and len(question) <= LONGEST
        and not _OF_THE_TEXT.search(question)
        and bool(set(content_words(question)) & set(content_words(passage)))
        and may_share_a_language(question, passage)
    )


def _borne_out(answer: str, chunk: Chunk) -> bool:
    """Whether the answer is taken from the passage: its numbers, and most of its words."""
    passage = plain(chunk.passage)
    said = set(content_words(answer))
    return (
        bool(said)
        and numbers(uniform(answer)) <= numbers(uniform(passage))
        and len(said & set(content_words(passage))) >= BORNE_OUT * len(said)
    )


def _given_away(answer: str, question: str) -> bool:
    """Whether the question says all that the answer does."""
    return set(content_words(uniform(answer))) <= set(content_words(uniform(question)))


def _is_other(other: str, question: str, chunk: Chunk) -> bool:
    """Whether it is named, and neither the question nor the passage has it."""
    said = words(other)
    known = f" {' '.join(words(question))} ", f" {' '.join(words(plain(chunk.passage)))} "
    return (
        0 < len(said) <= LONGEST_SWAP
        and bool(content_words(other))
        and not _UNNAMED.match(other)
        and not other.endswith(("?", "."))
        and not any(f" {' '.join(said)} " in text for text in known)
    )


def _swapped(question: str, word: str, other: str) -> str:
    """The question with the one in the place of the other; "" where that makes nothing to be asked."""
    swapped = set(content_words(word))
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", question, re.IGNORECASE) if swapped else None
    if not found or swapped >= set(content_words(question)):
        return ""
    return question[: found.start()] + other + question[found.end() :]
