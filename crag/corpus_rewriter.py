"""Rewriting without an LLM, from what the corpus knows: spelling, abbreviations, headings. And stand-alone questions
from the user's own earlier turns."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from crag.follow_ups import read
from crag.phrases import Phrase, phrases
from crag.smalltalk import courtesy
from crag.text import STOP_WORDS, content_words, stem, words
from crag.types import Chunk, Glossary, Rewrite, Turn

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_DEPENDENT = re.compile(
    r"^(?:and|but|or|so|then|also|what about|how about|und|aber|et|mais)\b"
    r"|\b(?:it|its|that|this|those|these|they|them|their|there|he|she|him|her|one|ones|same|else|instead)\b",
    re.IGNORECASE,
)
_RESOLVABLE = re.compile(r"they|them|their|its?|she|her|he|him", re.IGNORECASE)
_POSSESSIVE = re.compile(r"their|its|her", re.IGNORECASE)
_INTRODUCED = re.compile(
    r"\b(?:an?(?!\s+(?:day|week|month|year|yr|lot|bit|few|couple)\b)|(?:some|any|every)(?:one|body)|each|every)\b"
    r"|\b(?:if|when|once|after|before|while)\s+(?:\w+\s+)?\w{3,}s\b",
    re.IGNORECASE,
)
"""Somebody or something that the question itself brings in: "an employee", "if contractors"."""
_SUBORDINATE = re.compile(r"\b(?:if|when|once|before|after|until|while|because)\s+$", re.IGNORECASE)
_OWN = re.compile(r"(?:my|our|your|an?)\b", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[,.;:!?]\s|\s[-–—]\s")
_EXISTS = re.compile(
    r"\b(?:is|are|was|were) there\b|\bdoes it (?=take (?:to|for|until)\b)"
    r"|\bis it (?=(?:ok|okay|possible|allowed) (?:to|if|that)\b)",
    re.IGNORECASE,
)
"""Where "there" and "it" stand for nothing."""
_DEFINES = re.compile(
    r"^(?:what|who|how much)(?:['’]s|\s+is|\s+are)\s+an?\s+\w+\W*$|^what\s+does\s+\w+\s+(?:mean|stand\s+for)\b",
    re.IGNORECASE,
)
_ABOUT_A_NAME = re.compile(
    r"^(?i:what|who|where|when|why|how|was|wer|wo|wann|warum|wie)\b.*?"
    r"(?i:['’]s|\b(?:is|are|was|were|does|do|did|ist|sind))\s+(?:(?i:an?|the)\s+)?[A-ZÀ-Þ]\w+"
)
"""One content word, but a name that the question says something of: "who is Ines?", not "in Porto?"."""
_ABOUT_A_THING = re.compile(
    r"\b(?:I|we|you|people|there)(?:['’]\w+)?\s+(?!(?:(?:have|need|want)\s+to\s+)?\w+\W*$)"
    r"|\b(?:my|our|your)\s+\w|\b(?:an?|free|many|much)\s+(?!(?:is|are|was|do|does|can)\b)\w+\s+\w",
    re.IGNORECASE,
)
"""One content word, but a thing that the question says something of: "can I get a hotel?", not "how do I apply?"."""
_WHOLE = (_DEFINES, _ABOUT_A_NAME, _ABOUT_A_THING)
_RELATIVE = frozenset(
    stem(word)
    for word in (
        "limit deadline exception process form cost price rule maximum minimum amount fee reason step option "
        "difference example contact number address link day week month year hour minute time date way more good new "
        "long exactly"
    ).split()
)
"""Stems that say of what only together with another word."""
_ENDINGS = ("s", "es", "e", "n", "en", "er", "d", "ed", "ing")
SIMILAR = 0.8
"""difflib's ratio from which on a known word counts as the right spelling of an unknown one."""


class CorpusRewriter:
    """Satisfies crag.ports.Rewriter without a model."""

    model = "corpus"

    async def rewrite(self, question: str, near: Sequence[Chunk], glossary: Glossary) -> Rewrite | None:
        """Spelling and abbreviations first; else the heading that shares most with the question. One slip of the pen
        keeps the meaning; a guess that goes further ("Austria", "Australia") is only searched for."""
        normalised, sure = _normalised(question, glossary)
        if normalised.casefold() != question.casefold():
            return Rewrite(normalised, same_meaning=sure)
        heading = _heading(question, near)
        return Rewrite(f"{question} {heading}") if heading else None

    async def standalone(self, question: str, history: Sequence[Turn]) -> str:
        """A question that leans on the conversation, in the light of the user's last question that stood alone before
        it: by rule where the rules know, else both one after the other. One that found nothing lends no words."""
        if not leans_on_history(question):
            return question
        followed = zip(history, [*history, Turn("")][1:], strict=True)
        own = [turn.text for turn, then in followed if not turn.by_bot and not then.unknown and not courtesy(turn.text)]
        earlier = ""
        for text in own[-4:]:
            if not leans_on_history(text):
                earlier = text
            elif earlier:
                earlier = read(text, earlier) or earlier
        if earlier:
            return read(question, earlier) or f"{earlier.rstrip()} {question}"
        return f"{own[-1].rstrip()} {question}" if own else question


def leans_on_history(question: str) -> bool:
    """Whether a question reads as if something said before were needed to understand it."""
    carried = content_words(question)
    whole = any(word not in _RELATIVE for word in carried)
    told = _EXISTS.sub("", question) if whole else question
    if any(not _refers_back(told[: found.start()], found.group()) for found in _DEPENDENT.finditer(told)):
        return True
    return len(carried) < 2 and not (whole and any(way.search(question) for way in _WHOLE))


def _refers_back(before: str, pronoun: str) -> bool:
    """Whether a pronoun is about what the question brought in before it: in an earlier clause, or as an owner."""
    if _SUBORDINATE.search(before) and any(_antecedent(phrase, pronoun.lower()) for phrase in phrases(before)):
        return True
    if not _RESOLVABLE.fullmatch(pronoun) or not (introduced := _INTRODUCED.search(before)):
        return False
    return bool(_POSSESSIVE.fullmatch(pronoun) or _CLAUSE_ENDS.search(before, introduced.end()))


def _antecedent(phrase: Phrase, pronoun: str) -> bool:
    """Whether a pronoun may stand for a phrase of its own question: "my laptop" for "it"."""
    if phrase.measure:
        return False
    return phrase.plural if pronoun == "they" else pronoun == "it" and bool(_OWN.match(phrase.text))


def _normalised(question: str, glossary: Glossary) -> tuple[str, bool]:
    """The question with its spelling mended and its abbreviations written out, and whether that is beyond doubt."""
    known = glossary.words
    sure = True

    def better(match: re.Match[str]) -> str:
        nonlocal sure
        word = match.group().lower()
        if long_form := glossary.abbreviations.get(word):
            return f"{match.group()} ({long_form})" if long_form.lower() not in question.lower() else match.group()
        if len(word) < 4 or not known or word in STOP_WORDS or any(form in known for form in _forms(word)):
            return match.group()
        right = _spelling(word, glossary)
        if right is None:
            return match.group()
        named = match.group()[0].isupper() and question[: match.start()].strip()
        sure = sure and not named and _one_slip(word, right)
        return right

    return _TOKEN.sub(better, question), sure


def _forms(word: str) -> Iterator[str]:
    """The word, and it with another ending: "dies" is no slip of "diese"."""
    yield word
    yield from (word + ending for ending in _ENDINGS)
    yield from (word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))


def _one_slip(word: str, right: str) -> bool:
    """One letter more, less or other, or two swapped; never the first."""
    same = next((i for i, (a, b) in enumerate(zip(word, right, strict=False)) if a != b), min(len(word), len(right)))
    a, b = word[same:], right[same:]
    return same > 0 and (a[1:] == b[1:] or a == b[1:] or a[1:] == b or (a[1::-1] == b[:2] and a[2:] == b[2:]))


def _spelling(word: str, glossary: Glossary) -> str | None:
    near = [
        w
        for w in glossary.words
        if abs(len(w) - len(word)) <= 2 and (w[0] == word[0] or w[1:3] == word[1:3]) and w[0].isalpha()
    ]
    found = difflib.get_close_matches(word, near, n=3, cutoff=SIMILAR)
    if not found:
        return None
    ratio = {w: difflib.SequenceMatcher(None, w, word).ratio() for w in found}
    return max(found, key=lambda w: (round(ratio[w], 2), glossary.words[w]))


def _heading(question: str, near: Sequence[Chunk]) -> str:
    asked = set(content_words(question))
    best = max(
        ((h, chunk) for chunk in near[:5] for h in (*chunk.headings[-1:], chunk.title)),
        key=lambda pair: len(asked & set(content_words(pair[0]))),
        default=None,
    )
    if best is None or not asked & set(content_words(best[0])):
        return ""
    new = [w for w in words(" ".join(best[1].headings)) if w not in set(words(question)) and w not in STOP_WORDS]
    return " ".join(dict.fromkeys(new))
