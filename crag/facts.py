"""What no grader sees well: whether the numbers, names and negations of a sentence are those of its passage.

A cross-encoder gives a sentence with one number or name changed nearly the score of the true one (measured in
crag/support.py), so these are compared word by word.
"""

from __future__ import annotations

import re

from crag.text import NEGATIONS, STOP_WORDS, content_words, sentences, stem, words

NEAR = 5
"""Content words between a number or name and the word that stands next to it in the claim, at most."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_][^\W_]*(?:['’][^\W_]+)?")
_NAME = re.compile(r"(?<![.!?:;\n|*>“„\"] )(?<!^)(?<![\n|])\b[A-ZÀ-Þ][\w’'-]*\w")
_FIRST = re.compile(r"\W*([A-ZÀ-Þ][\w’']*)")
_ISO = re.compile(r"\b\d{4}-(\d\d)-\d\d\b")
_LEAD = re.compile(r"^\W*(?:yes|no|ja|nein|oui|non)\s*[,.!:–—]\s*", re.IGNORECASE)
_GERMAN = frozenset("der die das den dem und ist sind nicht wird für mit ein eine einen im zum zur von auf".split())
_MONTHS = "january february march april may june july august september october november december".split()
_ENGLISH = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
).split()
_DEUTSCH = "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split()
_TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_VALUES = {w: n for names in (_ENGLISH, _DEUTSCH) for n, w in enumerate(names, 2)} | _TENS


def contradicted(claim: str, passage: str, headings: str) -> str:
    """Why the claim's facts are not the passage's, "" where they are. `headings` hold for the whole passage, so a name
    that stands there needn't stand near what is said of it."""
    claim = _LEAD.sub("", claim)
    whole = f"{headings}\n{passage}"
    if missing := numbers(claim) - numbers(whole):
        return f"the passage doesn't have the number {sorted(missing)[0]}"
    known = {stem(w) for w in words(whole)} | {
        stem(_MONTHS[int(m) - 1]) for m in _ISO.findall(whole) if 0 < int(m) < 13
    }
    for name in names(claim):
        if any(w not in STOP_WORDS and w not in _VALUES and stem(w) not in known for w in words(name)):
            return f"the passage doesn't name {name}"
    if negated(claim) != negated(closest(claim, passage)):
        return "one negates, the other doesn't"
    if lost := _displaced(claim, passage, headings):
        return f"the passage says it of something else than {lost}"
    return ""


def opens_unknown(claim: str, passage: str) -> bool:
    """Whether the first word might be a name that the passage doesn't have: every sentence begins with a capital, so
    this proves nothing; but the words alone don't do then."""
    first = _FIRST.match(_LEAD.sub("", claim))
    return bool(first) and not set(content_words(first.group(1) if first else "")) <= set(content_words(passage))


def numbers(text: str) -> set[str]:
    """Every number in one spelling: 1,500 and 1.500 are 1500; 09:00 is 9; fifteen is 15; a date is its parts."""
    found = {part for match in _NUMBER.findall(text) for part in _canonical(match)}
    spoken = words(text)
    for at, word in enumerate(spoken):
        if word in _TENS and at + 1 < len(spoken) and 1 < _VALUES.get(spoken[at + 1], 0) < 10:
            found.add(str(_TENS[word] + _VALUES[spoken[at + 1]]))
        elif word in _VALUES and not (at and spoken[at - 1] in _TENS and _VALUES[word] < 10):
            found.add(str(_VALUES[word]))
    return found


def _canonical(number: str) -> list[str]:
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", number):
        return [re.sub(r"[.,]", "", number).lstrip("0") or "0"]
    parts = re.split(r"[.,:]", number)
    if len(parts) > 2:
        return [part.lstrip("0") or "0" for part in parts]
    whole = parts[0].lstrip("0") or "0"
    rest = parts[1] if len(parts) > 1 and parts[1].strip("0") else ""
    if not rest:
        return [whole]
    return [f"{whole}:{rest}" if ":" in number else f"{whole}.{rest.rstrip('0')}"]


def names(text: str) -> list[str]:
    """Words with a capital inside of a sentence. German writes every noun so; there it means nothing."""
    if sum(w in _GERMAN for w in words(text)) > 1:
        return []
    return [part for name in _NAME.findall(text) for part in name.split("-") if part[:1].isupper()]


def negated(text: str) -> bool:
    """Whether a negation stands anywhere."""
    return any(w in NEGATIONS for w in words(text))


def closest(claim: str, passage: str) -> str:
    """The sentence of the passage that shares most words with the claim."""
    own = set(content_words(claim))
    return max((s.text for s in sentences(passage)), key=lambda s: len(own & set(content_words(s))), default="")


def _displaced(claim: str, passage: str, headings: str) -> str:
    """The first number or name none of whose neighbours in the claim stands near it in the passage, "" if none: so
    "the office in Porto opens at 9" is not borne out by Lisbon's nine beside Porto's eight."""
    named = {stem(w) for name in names(claim) for w in words(name)}
    exempt = set(content_words(headings))
    said = _tokens(claim)
    where: dict[str, list[int]] = {}
    for at, word in enumerate(_tokens(passage)):
        where.setdefault(word, []).append(at)
    for at, word in enumerate(said):
        if word in exempt or word not in where or not (word[0].isdigit() or word in named):
            continue
        near = [w for w in (*said[max(0, at - 1) : at], *said[at + 1 : at + 2]) if w != word]
        if near and not any(abs(a - b) <= NEAR for w in near for a in where.get(w, ()) for b in where[word]):
            return word
    return ""


def _tokens(text: str) -> list[str]:
    return [stem(w) for w in (t.lower().replace("’", "'") for t in _TOKEN.findall(text)) if w not in STOP_WORDS]
