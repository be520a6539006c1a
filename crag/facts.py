"""What no grader sees well: whether the numbers, names and negations of a sentence are those of its passage.

A cross-encoder gives a sentence with one number or name changed nearly the score of the true one (measured in
crag/support.py), so these are compared word by word.
"""

from __future__ import annotations

import re

from crag.text import NEGATIONS, STOP_WORDS, content_words, sentences, stem, words

NEAR = 5
"""Content words between a name and the word that stands next to it in the claim, at most."""

CLOSEST = 0.7
"""The share of its closest sentence's words that a number's own sentence must have."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_][^\W_]*(?:['’][^\W_]+)?")
_NAME = re.compile(r"(?<![.!?:;\n|*>“„\"] )(?<!^)(?<![\n|])\b[A-ZÀ-Þ][\w’'-]*\w")
_FIRST = re.compile(r"\W*([A-ZÀ-Þ][\w’']*)")
_ISO = re.compile(r"\b(\d{4})-(0[1-9]|1[0-2])-(\d\d)\b")
_LEAD = re.compile(r"^\W*(?:yes|no|ja|nein|oui|non)\s*[,.!:–—]\s*", re.IGNORECASE)
GERMAN = frozenset("der die das den dem und ist sind nicht wird für mit ein eine einen im zum zur von auf".split())
MONTHS = "January February March April May June July August September October November December".split()
_UNITS = "two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_DEUTSCH = "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split()
_VALUES = {w: n for names in (_UNITS + _TEENS, _DEUTSCH) for n, w in enumerate(names, 2)}
_VALUES |= {w: n * 10 for n, w in enumerate(_TENS, 2)} | {"one": 1}
_SPOKEN = re.compile(
    rf"\b(?:({'|'.join(_TENS)})[- ]({'|'.join(['one', *_UNITS])})|({'|'.join(w for w in _VALUES if w != 'one')}))\b",
    re.IGNORECASE,
)


def uniform(text: str) -> str:
    """Every number in one spelling, so that texts can be compared: 1,500 and 1.500 are 1500; 09:00 is 9; fifteen is 15;
    2025-01-06 is 6 January 2025."""
    text = _ISO.sub(lambda m: f"{m[3]} {MONTHS[int(m[2]) - 1]} {m[1]}", text)
    text = _SPOKEN.sub(lambda m: str(sum(_VALUES[w.lower()] for w in m.groups() if w)), text)
    return _NUMBER.sub(lambda m: _canonical(m[0]), text)


def _canonical(number: str) -> str:
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", number):
        return re.sub(r"[.,]", "", number).lstrip("0") or "0"
    whole, *rest = (part.lstrip("0") or "0" for part in re.split(r"[.,:]", number))
    if len(rest) != 1:
        return " ".join((whole, *rest))
    fraction = re.split(r"[.,:]", number)[1].rstrip("0" if ":" not in number else "")
    return whole if not fraction.strip("0") else f"{whole}{':' if ':' in number else '.'}{fraction}"


def contradicted(claim: str, passage: str, headings: str) -> str:
    """Why the claim's facts are not the passage's, "" where they are. `headings` hold for the whole passage, so a name
    that stands there needn't stand near what is said of it. All of them are `uniform`."""
    claim = _LEAD.sub("", claim)
    whole = f"{headings}\n{passage}"
    if missing := numbers(claim) - numbers(whole):
        return f"the passage doesn't have the number {sorted(missing)[0]}"
    known = {stem(w) for w in words(whole)}
    for name in names(claim):
        if any(w not in STOP_WORDS and stem(w) not in known for w in words(name)):
            return f"the passage doesn't name {name}"
    if negated(claim) != negated(closest(claim, passage)):
        return "one negates, the other doesn't"
    if lost := _elsewhere(claim, passage, headings) or _displaced(claim, passage, headings):
        return f"the passage says {lost} of something else"
    return ""


def opens_unknown(claim: str, passage: str) -> bool:
    """Whether the first word might be a name that the passage doesn't have: every sentence begins with a capital, so
    this proves nothing; but the words alone don't do then."""
    first = _FIRST.match(_LEAD.sub("", claim))
    return bool(first) and not set(content_words(first.group(1) if first else "")) <= set(content_words(passage))


def numbers(text: str) -> set[str]:
    """The numbers of a uniform text."""
    return set(_NUMBER.findall(text))


def names(text: str) -> list[str]:
    """Words with a capital inside of a sentence. German writes every noun so; there it means nothing."""
    if sum(w in GERMAN for w in words(text)) > 1:
        return []
    return [part for name in _NAME.findall(text) for part in name.split("-") if part[:1].isupper()]


def negated(text: str) -> bool:
    """Whether a negation stands anywhere."""
    return any(w in NEGATIONS for w in words(text))


def closest(claim: str, passage: str) -> str:
    """The sentence of the passage that shares most words with the claim."""
    own = set(content_words(claim))
    return max((s.text for s in sentences(passage)), key=lambda s: len(own & set(content_words(s))), default="")


def _elsewhere(claim: str, passage: str, headings: str) -> str:
    """The first number that stands only in sentences which share much less with the claim than its closest does, "" if
    none: "up to 30 days" isn't borne out by "up to 8 days. They must be taken by 30 June"."""
    own = {w for w in content_words(claim) if not w[0].isdigit()}
    read = [(numbers(s.text), len(own & set(content_words(s.text)))) for s in sentences(passage)]
    best = max((shared for _, shared in read), default=0)
    for number in sorted(numbers(claim) - numbers(headings)):
        if max((shared for found, shared in read if number in found), default=best) < CLOSEST * best:
            return number
    return ""


def _displaced(claim: str, passage: str, headings: str) -> str:
    """The first name none of whose neighbours in the claim stands near it in the passage, "" if none: "Porto won" is
    not borne out where Lisbon won and Porto is named far away."""
    named = {stem(w) for name in names(claim) for w in words(name)} - set(content_words(headings))
    said = _tokens(claim)
    where: dict[str, list[int]] = {}
    for at, word in enumerate(_tokens(passage)):
        where.setdefault(word, []).append(at)
    for at, word in enumerate(said):
        near = [w for w in (*said[max(0, at - 1) : at], *said[at + 1 : at + 2]) if w != word]
        if word not in named or word not in where or not near:
            continue
        if not any(abs(a - b) <= NEAR for w in near for a in where.get(w, ()) for b in where[word]):
            return word
    return ""


def _tokens(text: str) -> list[str]:
    return [stem(w) for w in (t.lower().replace("’", "'") for t in _TOKEN.findall(text)) if w not in STOP_WORDS]
