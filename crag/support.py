"""The support check: every sentence of an answer against the evidence it cites.

A sentence stands if it is quoted, if a cited passage contains nearly all of its words, or if the grader finds it
there - and if its numbers and names stand in that passage, beside what they are said of, and it negates where the
passage does. What doesn't stand is dropped.

Measured on ClapNQ (human answers beside their passage, shipped grader; thresholds chosen on one half, told of the
other, 113 sentences and 389 spoiled ones): kept as written 91 %; dropped with a number or name from outside of the
passage, with a negation put in or taken out, or beside another passage 100 %; with a number from elsewhere in the
passage 88 %, with a name from elsewhere in it 68 %. Words decide nearly all; GRADED from .3 to .9 changes under 2 %.
Of 13,487 quoted strips of a real handbook 0.3 % are dropped, those without content.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from crag import citations, facts
from crag.ports import Grader
from crag.tables import told
from crag.text import clean, content_words, has_words, sentences, words
from crag.types import Evidence, SentenceSupport, Support

CONTAINED = 0.85
"""Share of a sentence's content words in the cited passage from which on no model is asked."""

GRADED = 0.7
"""The grader's probability from which on a sentence with at least `OVERLAP` of its words in the passage stands."""

OVERLAP = 0.5

UNBORNE = "the cited passage doesn't say so"
_FILLER = frozenset({"yes", "ja", "nein", "oui", "non"})
_LIST_MARKER = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+", re.MULTILINE)
_LEADING_MARKS = re.compile(r"(?:\[\d{1,3}\]\s*)+(?=\S)")


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
    pieces = claims(text)
    verdicts = [await _settled(claim, cites, by_number, grader) for claim, cites, _ in pieces]
    kept = [(v, gap) for v, (_, _, gap) in zip(verdicts, pieces, strict=True) if v.supported]
    body = "".join(_marked(kept, at) + gap for at, (_, gap) in enumerate(kept)).strip()
    support = Support.NONE if not kept else Support.FULL if len(kept) == len(verdicts) else Support.PARTIAL
    return Checked(body, support, tuple(verdicts), citations.cited(body))


def _marked(kept: Sequence[tuple[SentenceSupport, str]], at: int) -> str:
    """A kept sentence; with its borrowed marks where the sentence that carried them for both is gone."""
    sentence, gap = kept[at]
    follows = kept[at + 1][0] if at + 1 < len(kept) and "\n\n" not in gap else None
    if citations.cited(sentence.text) or (follows and set(sentence.cites) <= set(follows.cites)):
        return sentence.text
    return f"{sentence.text} {''.join(f'[{n}]' for n in sentence.cites)}"


def claims(text: str) -> list[tuple[str, tuple[int, ...], str]]:
    """(sentence, what it cites, the white space after it). A sentence without a mark shares the marks of the next one
    of its paragraph, else of the one before; "Yes." and its like belong to what follows; marks after a full stop
    belong to what stands before them."""
    joined: list[tuple[int, int]] = []
    for piece in sentences(text):
        start, end = piece.span
        if joined and (marks := _LEADING_MARKS.match(text, start, end)):
            joined[-1] = (joined[-1][0], start + len(marks.group().rstrip()))
            start = marks.end()
        if joined and (not has_words(citations.without_marks(text[start:end])) or _leads_on(text[slice(*joined[-1])])):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    claims: list[tuple[str, tuple[int, ...], str]] = []
    for at, (start, end) in enumerate(joined):
        after = text[end : joined[at + 1][0]] if at + 1 < len(joined) else ""
        claims.append((text[start:end], citations.cited(text[start:end]), after))
    return [(claim, cites or _borrowed(claims, at), after) for at, (claim, cites, after) in enumerate(claims)]


def _leads_on(sentence: str) -> bool:
    return not citations.cited(sentence) and set(content_words(sentence)) <= _FILLER


def _borrowed(claims: Sequence[tuple[str, tuple[int, ...], str]], at: int) -> tuple[int, ...]:
    """The marks of the next sentence that has some in the paragraph; else those of the nearest before and after it."""
    end = next((i for i in range(at, len(claims)) if "\n\n" in claims[i][2]), len(claims) - 1)
    inside, before, after = (
        next((claims[i][1] for i in order if claims[i][1]), ())
        for order in (range(at, end + 1), range(at - 1, -1, -1), range(end + 1, len(claims)))
    )
    return inside or tuple(dict.fromkeys(before + after))


async def _settled(
    claim: str, cites: tuple[int, ...], by_number: dict[int, Evidence], grader: Grader
) -> SentenceSupport:
    """The verdict on one sentence. Of several passages that it cites it keeps those that say it on their own, if any
    does. If what it cites doesn't bear it out, but another passage has it in nearly the same words, it cites that one
    from now on: small models mix the numbers up."""
    if len(cites) > 1 and (alone := tuple(n for n in cites if _says(claim, n, by_number))):
        claim, cites = citations.with_known_marks(claim, alone), alone
    verdict = await _judge(claim, cites, by_number, grader)
    if verdict.supported or not cites:
        return verdict
    for number in by_number:
        if number not in cites and (other := _says(claim, number, by_number)):
            moved = f"{citations.without_marks(claim)} [{number}]"
            return replace(other, text=moved, reason=f"{other.reason}; it cited another passage")
    return verdict


async def _judge(claim: str, cites: tuple[int, ...], by_number: dict[int, Evidence], grader: Grader) -> SentenceSupport:
    if verdict := _plain(claim, cites, by_number):
        return verdict
    bare, headings, passage = _sides(claim, [by_number[n] for n in cites if n in by_number])
    judgements = await grader.grade(bare, [f"{headings}\n{_window(bare, passage)}"])
    score = max((j.score for j in judgements if j.score is not None and j.score == j.score), default=0.0)
    supported = score >= GRADED
    return SentenceSupport(claim, cites, score, supported, "" if supported else UNBORNE)


def _says(claim: str, number: int, by_number: dict[int, Evidence]) -> SentenceSupport | None:
    """The verdict where words alone show that this passage says it; else None."""
    verdict = _plain(claim, (number,), by_number)
    return verdict if verdict and verdict.supported else None


def _plain(claim: str, cites: tuple[int, ...], by_number: dict[int, Evidence]) -> SentenceSupport | None:
    """The verdict as far as words, numbers and names decide it; None where only the grader can tell."""
    cited = [by_number[n] for n in cites if n in by_number]
    bare, headings, passage = _sides(claim, cited)
    if not cited:
        return SentenceSupport(claim, cites, 0.0, supported=False, reason="cites nothing")
    if not content_words(bare):
        return SentenceSupport(claim, cites, 0.0, supported=False, reason="says nothing")
    if _quoted(bare, f"{headings}\n{passage}"):
        return SentenceSupport(claim, cites, 1.0, supported=True, reason="quoted")
    if wrong := facts.contradicted(bare, passage, headings):
        return SentenceSupport(claim, cites, 0.0, supported=False, reason=wrong)
    share = _share(bare, f"{headings}\n{passage}")
    if share >= CONTAINED and not facts.opens_unknown(bare, f"{headings}\n{passage}"):
        return SentenceSupport(claim, cites, share, supported=True, reason="its words stand there")
    return SentenceSupport(claim, cites, 0.0, supported=False, reason=UNBORNE) if share < OVERLAP else None


def _sides(claim: str, cited: Sequence[Evidence]) -> tuple[str, str, str]:
    """The claim without its furniture, and the headings and the text that it is held against."""
    bare = facts.uniform(_LIST_MARKER.sub("", citations.without_marks(claim)))
    headings = facts.uniform("\n".join(" > ".join(e.chunk.headings or (e.chunk.title,)) for e in cited))
    return bare, headings, "\n\n".join(_readable(e) for e in cited)


def _readable(evidence: Evidence) -> str:
    """The passage as a writer may have quoted it: its own text, then its table rows in words."""
    text = clean(evidence.chunk.text)
    return facts.uniform(citations.defused_quote("\n\n".join(part for part in (text, told(text)) if part)))


def _quoted(claim: str, passage: str) -> bool:
    """Whether the claim stands there word for word, without a negation beside it that it leaves out."""
    said = f" {' '.join(words(claim))} "
    before, found, after = f" {' '.join(words(passage))} ".partition(said)
    return bool(found) and not facts.negated(" ".join([*before.split()[-3:], *after.split()[:1]]))


def _share(claim: str, passage: str) -> float:
    own = content_words(claim)
    there = set(content_words(passage))
    return sum(w in there for w in own) / len(own) if own else 0.0


def _window(claim: str, passage: str) -> str:
    """The three sentences in a row that share most with the claim: a grader reads only so far."""
    own = set(content_words(claim))
    read = [s.text for s in sentences(passage)]
    windows = [" ".join(read[max(0, at - 1) : at + 2]) for at in range(len(read))]
    return max(windows, key=lambda w: len(own & set(content_words(w))), default=passage)
