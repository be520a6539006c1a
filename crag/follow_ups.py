"""A follow-up in the light of the question before it, by rule: "and in Porto?" is that question with another place;
"it", "they" and "there" become the phrase they stand for. What the rules don't know (and all but English) is None."""

from __future__ import annotations

import re
from collections.abc import Sequence

from crag.phrases import (
    ASKING,
    HELPERS,
    PLACES,
    PREPOSITIONS,
    PRONOUNS,
    Phrase,
    is_measure,
    is_person,
    known_verb,
    phrases,
)
from crag.text import stem

LONGEST = 8
"""Words of a follow-up that is nothing but a phrase."""

_OPENER = re.compile(
    r"^(?:(?:ok|okay|and|but|or|so|what about|how about"
    r"|(?:what|how (?:much|many|long))(?:['’]s| is| are) (?:it|that|they)(?= (?:in|at|for|on|with)\b))\b[\s,]*)+",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"[,.!?…;:]\s|\n|\s[-–—]\s")
"""More than one clause: no phrase of it can be trusted to be the topic."""
_VAGUE = re.compile(r"\b(?:other|others|else|same|rest|before|after|last|next|previous|ago)\b", re.IGNORECASE)
"""Phrases that take knowledge to understand: "the other office", "the year before"."""
_FOREIGN = re.compile(r"\s*(?:und|aber|oder|et|mais)\b", re.IGNORECASE)
_LONE = re.compile(
    r"(?:\w+ )*(?:first|second|third|fourth|fifth|weekends?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|mornings?|evenings?|nights?)",
    re.IGNORECASE,
)
"""Phrases that say when, or which one, and so replace no thing."""
_ORDINAL = re.compile(r"\b(?:first|second|third|fourth|fifth)$", re.IGNORECASE)
_ONE = re.compile(r"(?:the )?([\w-]+) ones?", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|there|(?:(?<=the last )|(?<=the next )|(?<=the first ))one)\b(?!['’])", re.IGNORECASE
)
_EMPTY = re.compile(
    r"\b(?:is|are|was|were) there\b|\b(?:does|did|will|is) it (?=take|ok|okay|possible|allowed)", re.IGNORECASE
)
_ASKER = re.compile(
    r"(?<=\bdo )(?:I|we|you)\b|(?<=\b(?:can|may) )(?:I|we|you)\b|(?<=\bmust )(?:I|we|you)\b", re.IGNORECASE
)


def read(question: str, earlier: str) -> str | None:
    """The follow-up as a question of its own. `earlier` is a question that stands alone."""
    rest = _OPENER.sub("", question).strip(" ?!.,")
    if _FOREIGN.match(question) or not rest or _SEVERAL.search(earlier.strip()) or not _asks(earlier):
        return None
    known = list(phrases(earlier))
    if not _fragment(rest):
        if not _asks(question):
            return None
        return _resolved(question, [p for p in known if not p.measure])
    if _VAGUE.search(rest) or known_verb(rest):
        return None
    first, _, noun = rest.partition(" ")
    if noun and first.lower() in PREPOSITIONS:
        return _with_preposition(first.lower(), noun, earlier, known)
    return None if _LONE.fullmatch(rest) else _replaced(rest, earlier, [p for p in known if not p.measure])


def _asks(text: str) -> bool:
    """Whether it is a question by its form."""
    return any(word in ASKING or word in HELPERS for word in text.lower().split())


def _fragment(rest: str) -> bool:
    """Whether it is a phrase only: nothing in it asks, or does something."""
    said = rest.lower().split()
    return len(said) <= LONGEST and not any(w in ASKING or w in HELPERS or w in PRONOUNS for w in said)


def _with_preposition(preposition: str, noun: str, earlier: str, known: Sequence[Phrase]) -> str:
    """In place of what stands after the same preposition, or another one of places; else added."""
    alike = PLACES if preposition in PLACES else {preposition}
    for old in reversed(known):
        if preposition == "of" and " of " in old.text:
            return _put(earlier, _tail(old), noun)
        named = alike is PLACES and old.before in ("to", "from") and old.name
        same_kind = old.text.isdigit() == noun.isdigit() and old.measure == is_measure(noun)
        if (old.before in alike or named) and same_kind:
            head = f" {old.text.split()[-1]}" if _ORDINAL.search(noun) else ""
            start = len(earlier[: old.span[0]].rstrip()) - len(old.before)
            return _put(earlier, (start, old.span[1]), f"{preposition} {noun}{head}")
    if preposition == "for" and is_person(noun):
        return _for_others(noun, earlier, known)
    return f"{earlier.rstrip(' ?!.')} {preposition} {noun}?"


def _for_others(people: str, earlier: str, known: Sequence[Phrase]) -> str:
    """Other people in place of those it was about: "contractors" for "employees", or for the asker."""
    if old := next((p for p in reversed(known) if p.person), None):
        return _put(earlier, old.span, people)
    if asker := _ASKER.search(earlier):
        return _put(earlier, asker.span(), people)
    return f"{earlier.rstrip(' ?!.')} for {people}?"


def _replaced(rest: str, earlier: str, known: Sequence[Phrase]) -> str | None:
    """Another phrase in place of the one it is the counterpart of."""
    if one := _ONE.fullmatch(rest):
        old = next((p for p in known if " " in p.bare), None)
        article = old.text[: len(old.text) - len(old.bare)] if old else ""
        return _put(earlier, old.span, f"{article}{one[1]} {old.bare.partition(' ')[2]}") if old else None
    alike = [p for p in known if stem(p.text.split()[-1].lower()) == stem(rest.split()[-1].lower())]
    if not alike and is_person(rest):
        return _for_others(rest, earlier, known)
    names = [p for p in known if p.name and rest.split()[-1][:1].isupper()]
    objects = [p for p in known if p.before not in ASKING | PLACES | {"many", "much", "to", "from"}]
    found = alike[:1] or names[-1:] or [p for p in known if p.subject] or objects[-1:] or known[:1]
    unclear = found[:1] == objects[-1:] and any(p.before == "to" for p in known)
    if not found or (not (alike or names) and (unclear or found[0].person)):
        return None
    return _put(earlier, found[0].span if alike or names else _tail(found[0]), rest)


def _resolved(question: str, known: Sequence[Phrase]) -> str | None:
    """The question with its first pronoun written out."""
    found = _PRONOUN.search(_EMPTY.sub(lambda empty: " " * len(empty.group()), question))
    if not found or not known:
        return None
    pronoun = found.group().lower()
    if pronoun == "there":
        place = next((p for p in reversed(known) if p.before in PLACES), known[-1])
        where = place.before if place.before in PLACES else "in" if place.name else "at"
        return _put(question, found.span(), f"{where} {place.text.rpartition(' of ')[2]}")
    many = pronoun in ("they", "them", "their")
    fitting = [p for p in known if p.plural == many and p.before not in PLACES and (many or not p.person)]
    if not fitting or len({p.person for p in fitting}) > 1:
        return None
    topic = next((p for p in fitting if p.subject), fitting[0])
    article = "" if pronoun == "one" or (topic.name and topic.bare == topic.text) else "the "
    return _put(question, found.span(), f"{article}{topic.bare}" + ("'s" if pronoun in ("its", "their") else ""))


def _tail(phrase: Phrase) -> tuple[int, int]:
    """Where it says what it is of: "legal" in "the head of legal"; else all of it."""
    return phrase.span[1] - len(phrase.text.rpartition(" of ")[2]), phrase.span[1]


def _put(text: str, span: tuple[int, int], new: str) -> str:
    changed = text[: span[0]] + new + text[span[1] :]
    return f"{changed.rstrip(' ?!.')}?"
