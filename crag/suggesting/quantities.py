"""Sentences with a number, a sum or a time -> how many, how much, how long, when."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crag.suggesting.clauses import (
    ABOUT,
    AT,
    CLOCK,
    DANGLING,
    DAY,
    MODAL,
    MONEY,
    NUMBER,
    SPAN,
    TIME,
    Draft,
    asks,
    counted,
    short,
    subject,
    verb,
)
from crag.suggesting.english import IRREGULAR, THIRD, VERBS, asker
from crag.suggesting.passages import Names

_ALLOWED = re.compile(
    rf"(?:If (you .{{5,60}}), )?[Yy]ou ({MODAL}|have to|need to) (?:also |only |still )?"
    rf"((?:be )?[a-z]+(?: [a-z']+){{0,6}}?) {ABOUT}{NUMBER} (.+)$"
)
_AMOUNT = re.compile(rf"(.{{2,60}}?) ([a-z]+) (for )?{ABOUT}({MONEY}|{NUMBER}) ?(.*)$")
_FIRST = re.compile(rf"{ABOUT}{NUMBER} ((?:[a-z'-]+ ){{0,2}}[a-z]+s) ({'|'.join(VERBS)}) (.+)$", re.IGNORECASE)
_VALID = re.compile(
    rf"(.{{2,60}}?) (is|are) (valid|closed|open|available|protected|stored|kept|held) for {ABOUT}{NUMBER} {SPAN}"
)
_DONE = re.compile(
    rf"(.{{2,60}}?) (is|are|was|were) ((?:[a-z]+ed|{'|'.join(IRREGULAR)})(?: [a-z]+){{0,4}}?) (?:only )?"
    rf"(?:({AT}) {TIME}|every (?:{NUMBER} )?(?:{SPAN}|{DAY}))"
)
_DOES = re.compile(
    rf"(.{{2,60}}?) ({'|'.join((*THIRD, *VERBS))})((?: [a-z]+){{0,3}}?) "
    rf"(?:({AT}) {TIME}|every (?:{NUMBER} )?(?:{SPAN}|{DAY}))"
)
_DATED = re.compile(rf"(.{{2,60}}?) (is|are|was|were) (?:(?:on|at|from|in|between) {TIME}|{CLOCK})")
_DEADLINE = re.compile(
    rf"(?:Please |You (?:must|need to|have to|should) )?([A-Za-z]+)((?: [\w'-]+){{0,7}}?),? (?:(by) {TIME}"
    rf"|(within) {NUMBER} ({SPAN})|{ABOUT}{NUMBER} {SPAN}'?s? (?:ahead|before|in advance|prior|of notice|notice)\b)"
)


def allowances(text: str, names: Names) -> Iterator[Draft]:
    """You can request up to 240 hours of leave -> How many hours of leave can I request?"""
    found = _ALLOWED.match(text)
    if not found or found[3].split()[0] not in (*VERBS, "be"):
        return
    condition, modal, does = found[1], found[2], asker(found[3])
    noun, rest = counted(found[4])
    helper = f"do I {modal}" if modal in ("have to", "need to") else f"{modal} I"
    tail = asker(f"{rest} if {condition}" if condition else rest)
    before, _, last = does.rpartition(" ")
    if re.match(SPAN, noun) and re.match("(?:in advance|before|ahead|prior)", rest):
        yield asks("How far in advance", helper, does)
    elif last in ("for", "within") and re.match(SPAN, noun):
        yield asks("How long" if last == "for" else f"Within how many {noun}", helper, before, tail)
    elif noun and last not in DANGLING:
        yield asks("How many", asker(noun), helper, does, tail)


def amounts(text: str, names: Names) -> Iterator[Draft]:
    """Each person has 4 shuttles a year -> How many shuttles a year does each person have?"""
    found = _AMOUNT.match(text)
    if not found or not (about := subject(found[1], names)):
        return
    word, lasting, amount, what = found[2], found[3], found[4], found[5]
    if word in ("is", "are"):
        if re.match(MONEY, amount):
            yield asks(f"How much {word}", about)
        elif re.match(SPAN, what) and " " in about and not lasting:
            yield asks(f"How long {word}", about)
        return
    helper, base = verb(word, about)
    noun, rest = counted(what)
    if base == "cost" and re.match(MONEY, amount):
        yield asks(f"How much {helper}", about, "cost")
    elif base in ("last", "take") and re.match(SPAN, noun):
        yield asks(f"How long {helper}", about, base, asker(rest))
    elif (
        base
        and noun
        and not lasting
        and not re.match(MONEY, amount)
        and not re.match(r"a \w+ and", what.partition(" ")[2])
    ):
        yield asks("How many", noun, helper, about, base, asker(rest))


def leading(text: str, names: Names) -> Iterator[Draft]:
    """Up to 8 unused days move to the next year -> How many unused days move to the next year?"""
    found = _FIRST.match(text)
    if found and (rest := short(found[3])):
        yield asks("How many", found[1], found[2], asker(rest))


def validities(text: str, names: Names) -> Iterator[Draft]:
    """An offer is valid for 7 days -> How long is an offer valid?"""
    found = _VALID.match(text)
    if found and (about := subject(found[1], names)):
        yield asks(f"How long {'am' if about == 'I' else found[2]}", about, found[3])


def times(text: str, names: Names) -> Iterator[Draft]:
    """The fridge is emptied on Friday -> When is the fridge emptied?"""
    if (found := _DONE.match(text)) and (about := subject(found[1], names)):
        be = "am" if about == "I" else found[2]
        yield asks("When" if found[4] else "How often", be, about, asker(found[3]))
    elif (found := _DATED.match(text)) and (about := subject(found[1], names)) and " " in about:
        yield asks("When", found[2], about)
    elif (found := _DOES.match(text)) and (about := subject(found[1], names)):
        helper, base = verb(found[2], about)
        if base and (found[3].split() or [""])[-1] not in DANGLING:
            yield asks("When" if found[4] else "How often", helper, about, base, asker(found[3].strip()))


def deadlines(text: str, names: Names) -> Iterator[Draft]:
    """Register guests by 16:00 -> By when do I have to register guests?"""
    found = _DEADLINE.match(text)
    if not found or found[1].lower() not in VERBS or (found[2].split() or [""])[-1].lower() in DANGLING:
        return
    action = asker(f"{found[1].lower()}{found[2]}")
    how = "By when" if found[3] else f"Within how many {found[5]}" if found[4] else "How far in advance"
    yield asks(how, "do I have to", action, action=action if " " in action else "")
