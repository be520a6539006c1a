"""The support check: every sentence of an answer against the evidence it cites.

A sentence stands if a cited passage contains nearly all of its words, or the grader finds it there - and if its
numbers, dates and names stand in that passage and it negates where the passage does. What doesn't stand is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from crag import citations
from crag.ports import Grader
from crag.text import NEGATIONS, STOP_WORDS, content_words, has_words, sentences, stem, words
from crag.types import Evidence, SentenceSupport, Support

CONTAINED = 0.85
"""Share of a sentence's content words in the cited passage from which on no model is asked."""

GRADED = 0.5
"""The grader's probability from which on a sentence with at least `OVERLAP` of its words in the passage stands."""

OVERLAP = 0.5

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NUMBER_WORDS = dict(
    zip(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety".split(),
        [*range(1, 21), *range(30, 100, 10)],
        strict=True,
    )
)
_NAME = re.compile(r"(?<![.!?:\n|*>“\"] )(?<!^)(?<![\n|])\b[A-ZÀ-Þ][\w’'-]*\w")


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer after the check: what is left of its text, and the verdict on each sentence."""

    text: str
    support: Support
    sentences: tuple[SentenceSupport, ...]
    cites: tuple[int, ...]


async def check(text: str, evidence: Sequence[Evidence], grader: Grader) -> Checked:
    """Check an answer whose marks are all known. Raises ModelError or LanguageModelError where the grader fails."""
    by_number = {e.number: e for e in evidence}
    pieces = _claims(text)
    verdicts = [await _judge(claim, cites, by_number, grader) for claim, cites, _ in pieces]
    kept = [(v, gap) for v, (_, _, gap) in zip(verdicts, pieces, strict=True) if v.supported]
    body = "".join(v.text + gap for v, gap in kept).strip()
    support = Support.NONE if not kept else Support.FULL if len(kept) == len(verdicts) else Support.PARTIAL
    return Checked(body, support, tuple(verdicts), citations.cited(body))


def _claims(text: str) -> list[tuple[str, tuple[int, ...], str]]:
    """(sentence, what it cites, the white space after it). A sentence without a mark shares the marks of the next one
    of its paragraph, else of the one before; "Yes." and its like belong to what follows."""
    found = sentences(text)
    joined: list[tuple[int, int]] = []
    for piece in found:
        start, end = piece.span
        if joined and (
            not content_words(citations.without_marks(text[slice(*joined[-1])]))
            or not has_words(citations.without_marks(piece.text))
        ):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    claims: list[tuple[str, tuple[int, ...], str]] = []
    for at, (start, end) in enumerate(joined):
        after = text[end : joined[at + 1][0]] if at + 1 < len(joined) else ""
        claims.append((text[start:end], citations.cited(text[start:end]), after))
    return [(claim, cites or _borrowed(claims, at), after) for at, (claim, cites, after) in enumerate(claims)]


def _borrowed(claims: Sequence[tuple[str, tuple[int, ...], str]], at: int) -> tuple[int, ...]:
    for before, claim in enumerate(claims[at:]):
        if claim[1]:
            return claim[1]
        if "\n\n" in claim[2] and before:
            break
    return next((claim[1] for claim in reversed(claims[:at]) if claim[1]), ())


async def _judge(claim: str, cites: tuple[int, ...], by_number: dict[int, Evidence], grader: Grader) -> SentenceSupport:
    bare = citations.without_marks(claim)
    passages = [by_number[n] for n in cites if n in by_number]
    if not passages:
        return SentenceSupport(claim, cites, 0.0, supported=False, reason="cites nothing")
    together = "\n".join(f"{p.chunk.passage}\n{p.text}" for p in passages)
    if _squeezed(bare) in _squeezed(citations.defused_quote(together)):
        return SentenceSupport(claim, cites, 1.0, supported=True, reason="quoted")
    if missing := _missing_facts(bare, together):
        return SentenceSupport(claim, cites, 0.0, supported=False, reason=missing)
    share = _share(bare, together)
    if share >= CONTAINED:
        return SentenceSupport(claim, cites, share, supported=True, reason="its words stand there")
    judgements = await grader.grade(bare, [p.chunk.passage for p in passages])
    score = max((j.score for j in judgements if j.score is not None and j.score == j.score), default=0.0)
    supported = score >= GRADED and share >= OVERLAP
    return SentenceSupport(claim, cites, score, supported, "" if supported else "the cited passage doesn't say so")


def _squeezed(text: str) -> str:
    return " ".join(words(text))


def _share(claim: str, passage: str) -> float:
    own = content_words(claim)
    there = set(content_words(passage))
    return sum(w in there for w in own) / len(own) if own else 0.0


def _missing_facts(claim: str, passage: str) -> str:
    if missing := _numbers(claim) - _numbers(passage):
        return f"the passage doesn't have the number {sorted(missing)[0]}"
    known = {stem(w) for w in words(passage)}
    for name in _NAME.findall(claim):
        parts = [w for w in words(name) if w not in STOP_WORDS and w not in _NUMBER_WORDS]
        if parts and not any(stem(w) in known for w in parts):
            return f"the passage doesn't name {name}"
    if _negated(claim) != _negated(_closest(claim, passage)):
        return "one negates, the other doesn't"
    return ""


def _numbers(text: str) -> set[str]:
    digits = {re.sub(r"(?<=\d)[,](?=\d{3}\b)", "", n).rstrip(".,:") for n in _NUMBER.findall(text)}
    return digits | {str(_NUMBER_WORDS[w]) for w in words(text) if w in _NUMBER_WORDS and w != "one"}


def _negated(text: str) -> bool:
    return any(w in NEGATIONS for w in words(text))


def _closest(claim: str, passage: str) -> str:
    own = set(content_words(claim))
    return max((s.text for s in sentences(passage)), key=lambda s: len(own & set(content_words(s))), default="")
