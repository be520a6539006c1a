"""The writer that needs no LLM: it quotes the strips that answer best, in reading order, each with its citation."""

from __future__ import annotations

import math
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from crag.asides import aside
from crag.citations import LINK_PLACEHOLDER, defused_quote
from crag.currency import superseded
from crag.definitions import defines, matter, term
from crag.disagreement import Told, contradiction, statements
from crag.features import logit
from crag.grading import Judge
from crag.ports import Embedder
from crag.strips import strips
from crag.subjects import names_all, without_strangers
from crag.tables import in_words
from crag.text import content_words
from crag.types import Evidence, Strip

MODEL = "extractive"
MAX_STRIPS = 4
MAX_CHARACTERS = 700

CLOSE = 0.6
"""A further strip is quoted if its odds (calibrated, with its own cosine) are at least this share of the best one's.
When that was chosen, on the answers to examples/questions.jsonl and bench/unseen.jsonl, 87 and 88 % of the
quoted passages were right, and the figures of the right answer were quoted in 34 of 48 and 26 of 29; by the grader
alone, times its passage's score, 85 and 85 %, 31 and 23 (bench/RESULTS.md)."""

NAMED = 1.1
"""The odds of a strip with an item that says it is about all that was asked, as a multiple of the best strip's."""

MAX_GRADED = 10
"""Strips graded and embedded at most, the best passages' first; with 24 the answers were the same, and took longer."""

OUTDATED = 0.3
"""What the odds of a strip of a document that says it no longer holds count for, beside a current one."""

_LEANS_BACK = re.compile(
    r"(?:they|it|its|this|that|these|those|he|she|later than that|dies|diese|sie|er)\b", re.IGNORECASE
)

_LIST_END = re.compile(r"^(- [^\n]*)\n\n", re.MULTILINE)
"""Where a table, told in words, is followed by text in the same strip: it has a mark of its own."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A strip with its place among those of its passage, and what it says with figures."""

    evidence: Evidence
    strip: Strip
    at: int
    told: Told = ()
    odds: float = 0.0


class ExtractiveWriter:
    """Quotes; satisfies crag.ports.Writer. `judge` finds the strips; with one strip nothing is graded."""

    model = MODEL

    def __init__(self, judge: Judge, embedder: Embedder) -> None:
        self._judge = judge
        self._embedder = embedder

    async def write(self, question: str, evidence: Sequence[Evidence]) -> AsyncIterator[str]:
        """One paragraph a quoted place. Raises ModelError or LanguageModelError where they can't be graded."""
        candidates = [_fitting(question, _Candidate(e, s, at)) for e in evidence for at, s in enumerate(strips(e.text))]
        ranked = await self._ranked(question, [c for c in candidates if _says_something(c)][:MAX_GRADED])
        chosen = _with_antecedents(_chosen(question, ranked), candidates)
        before: _Candidate | None = None
        for candidate in _in_reading_order(question, chosen):
            if before:
                yield _between(before, candidate)
            yield _LIST_END.sub(rf"\1 [{candidate.evidence.number}]\n\n", _readable(candidate))
            before = candidate
        if before:
            yield f" [{before.evidence.number}]"

    async def _ranked(self, question: str, candidates: Sequence[_Candidate]) -> list[_Candidate]:
        if len(candidates) < 2:
            return [replace(c, odds=1.0) for c in candidates]
        judged = await self._judge.score_strips(question, [_in_context(c) for c in candidates], self._embedder)
        scored = [replace(c, odds=_odds(one.score) * _weight(c)) for c, one in zip(candidates, judged, strict=True)]
        best = NAMED * max(c.odds for c in scored)
        named = [replace(c, odds=best) if _names_all(question, c) else c for c in scored]
        return sorted(named, key=lambda c: -c.odds)


def _fitting(question: str, candidate: _Candidate) -> _Candidate:
    """Without the list items and rows that are about less of the question than one beside them."""
    chunk = candidate.evidence.chunk
    text = without_strangers(matter(question), candidate.strip.text, chunk)
    return replace(candidate, strip=Strip(text, candidate.strip.span), told=statements(in_words(text, chunk.text)))


def _names_all(question: str, candidate: _Candidate) -> bool:
    """Whether it says that it is about all that was asked, or defines it."""
    return names_all(matter(question), candidate.strip.text) or defines(term(question), candidate.strip.text)


def _chosen(question: str, ranked: Sequence[_Candidate]) -> list[_Candidate]:
    """The best, and what is close to it, as long as it fits; what contradicts a chosen one is never left out."""
    wanted = _to_the_point(question, [c for c in ranked if c.odds >= CLOSE * ranked[0].odds])
    chosen: list[_Candidate] = []
    for candidate in [*wanted, *(c for c in ranked if c not in wanted)]:
        if any(candidate.strip.text == c.strip.text for c in chosen):
            continue
        fits = sum(len(c.strip.text) for c in (*chosen, candidate)) <= MAX_CHARACTERS and len(chosen) < MAX_STRIPS
        quoted = fits and candidate in wanted
        if not chosen or quoted or any(_contradict(question, candidate, c) for c in chosen):
            chosen.append(candidate)
    return chosen


def _to_the_point(question: str, close: Sequence[_Candidate]) -> list[_Candidate]:
    """Without the side rules of a document that has something about as good without the condition."""
    plain = [c for c in close if not aside(question, c.strip.text, c.evidence.chunk)]
    answered = {c.evidence.chunk.document for c in plain}
    return [c for c in close if c in plain or c.evidence.chunk.document not in answered]


def _in_reading_order(question: str, chosen: Sequence[_Candidate]) -> list[_Candidate]:
    """Passage by passage, those first that have an item about all that was asked."""
    named = {c.evidence.number for c in chosen if _names_all(question, c)}
    return sorted(chosen, key=lambda c: (c.evidence.number not in named, c.evidence.number, c.at))


def _with_antecedents(chosen: Sequence[_Candidate], candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """A strip that begins with "They" says little without the one before it."""
    places = {(c.evidence.number, c.at): c for c in candidates}
    leaning = [c for c in chosen if _LEANS_BACK.match(c.strip.text)]
    before = [(c, places.get((c.evidence.number, c.at - 1))) for c in leaning]
    brought = {(b.evidence.number, b.at): b for c, b in before if b and _follows(c, b)}
    return list((brought | {(c.evidence.number, c.at): c for c in chosen}).values())


def _between(before: _Candidate, candidate: _Candidate) -> str:
    """What stood there, in one paragraph; else the mark, since every paragraph has its own."""
    if _follows(candidate, before):
        stood = candidate.evidence.text[before.strip.span[1] : candidate.strip.span[0]]
        if "\n\n" not in stood:
            return stood
    return f" [{before.evidence.number}]\n\n"


def _follows(candidate: _Candidate, before: _Candidate) -> bool:
    """Whether nothing but white space stood between the two."""
    if candidate.evidence.number != before.evidence.number:
        return False
    return not candidate.evidence.text[before.strip.span[1] : candidate.strip.span[0]].strip()


def _contradict(question: str, one: _Candidate, other: _Candidate) -> bool:
    """Whether two documents say nearly the same with other figures."""
    return bool(contradiction(question, one.told, one.evidence, other.told, other.evidence))


def _says_something(candidate: _Candidate) -> bool:
    return bool(content_words(_readable(candidate).replace(LINK_PLACEHOLDER, "")))


def _odds(probability: float | None) -> float:
    return 0.0 if probability is None else math.exp(logit(probability))


def _weight(candidate: _Candidate) -> float:
    return OUTDATED if superseded(candidate.evidence.chunk) else 1.0


def _in_context(candidate: _Candidate) -> str:
    chunk = candidate.evidence.chunk
    return " > ".join(chunk.headings or (chunk.title,)) + "\n" + _in_words(candidate)


def _in_words(candidate: _Candidate) -> str:
    return in_words(candidate.strip.text, candidate.evidence.chunk.text)


def _readable(candidate: _Candidate) -> str:
    """The strip without links and foreign marks, tables in words, headings and quote signs off."""
    text = re.sub(r"^(?:#{1,6}|>)[ \t]+", "", candidate.strip.text, flags=re.MULTILINE)
    return defused_quote(in_words(text, candidate.evidence.chunk.text)).strip()
