"""The parts of an English clause that questions are made of, and whether a question sounds like one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from crag.suggesting.english import THIRD, VERBS, asker, sentence
from crag.suggesting.passages import Names

ABOUT = (
    r"(?:(?:up to|at least|at most|a (?:maximum|minimum|total) of|no more than|not more than|about|around|only|exactly|"
    r"approximately|roughly|typically|usually|normally|another|the first) )*"
)
NUMBER = r"(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|sixty|ninety)"
MONEY = r"[£$€]\s?\d[\d,.]*"
SPAN = r"(?:working |business |calendar |full |consecutive )?(?:minutes?|hours?|days?|weeks?|months?|years?)"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
DAY = r"(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)s?"
CLOCK = r"(?:\d{1,2}:\d\d\b|\d{1,2} ?[ap]\.?m\b|noon|midnight)"
TIME = (
    r"(?:(?:early |late |mid-|summer |spring |autumn |winter )?"
    rf"(?:{_MONTH}|{DAY}|\d{{1,2}} {_MONTH}|\d{{4}}\b|{CLOCK})|"
    rf"the (?:(?:first|second|third|fourth|last) (?:{DAY}|(?:working |business )?day|week|month)|"
    r"(?:end|beginning|start|day) (?:of|before|after)).{0,40})"
)
AT = r"(?:on|at|by|from|between|in|until|since)"
MODAL = r"(?:can|may|must|should|will|could)"

_CUT = re.compile(
    r",(?!\d)|[;:–—]|\s-\s|\b(?:so|because|but|which|who|unless|otherwise|or you|and you|and then|as long as)\b"
)
_TAIL = re.compile(r"(?: (?:also|too|instead|as well|only|always|again|and|or|either|however))+$", re.IGNORECASE)
DANGLING = frozenset(
    "a an the with in at within after of than to for by from on before into about under and or as per between "
    "during until through near least most up your my our if that more every each its is are be than".split()
)
"""Words that nothing ends with."""
_VAGUE = re.compile(
    r"\b(?:it|its|they|them|their|this|these|those|he|she|him|his|her|hers|such|there|here|above|below|following|"
    r"previous|former|latter|same|you|your|one|ones|us|respective|etc|e\.g|i\.e|example|whatever|a lot|meantime)\b"
    r"|\bthat$|\bdo so\b",
    re.IGNORECASE,
)
_EMPTY_SUBJECT = re.compile(r"\b(?:is there|are there|does it take|does it cost)\b", re.IGNORECASE)
_POINTING = re.compile(r"\b(?:above|below|the following|this page|see|as follows|for example)\b", re.IGNORECASE)
_NO_SUBJECT = re.compile(r"\b(?:that|which|who|if|when|to|not|is|are|can|will|for|by|with|you|it)\b")
_NO_START = frozenset(
    "no some many if most but then also what how as in on at one both all after before because since while although "
    "though once depending whether please note when".split()
)
_COUNTED_TO = frozenset(
    "to for per each every a an in from when if without while after before during on at by within and or with once "
    "ahead until as the".split()
)
_EACH = re.compile(
    r"((?:a|per|each|every) (?:\w+ )?(?:year|quarter|month|week|day|night|person|period))\b(?! and) ?(.*)"
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A question before anybody has looked at it. `action` is what it asks how to do ("update my address"), `person`
    and `thing` are names that it was made from; "" where there is none."""

    question: str
    action: str = ""
    person: str = ""
    thing: str = ""


def asks(*parts: str, action: str = "", person: str = "", thing: str = "") -> Draft:
    """The parts as one question."""
    return Draft(sentence(" ".join(part for part in parts if part)), action, person, thing)


def sounds(question: str) -> bool:
    """Whether it can be understood alone, and ends as a question does."""
    said = question.rstrip("?").split()
    return (
        3 <= len(said) <= 20
        and said[-1].lower() not in DANGLING
        and not _VAGUE.search(_EMPTY_SUBJECT.sub("", question))
        and question.count('"') % 2 == 0
        and "%" not in question
    )


def points_elsewhere(told: str) -> bool:
    """Whether the sentence leans on another place of its page."""
    return bool(_POINTING.search(told))


def short(text: str, longest: int = 12) -> str:
    """The text up to where another thought begins; "" where it is long."""
    text = _TAIL.sub("", _CUT.split(text, maxsplit=1)[0].strip())
    return text if len(text.split()) <= longest else ""


def subject(text: str, names: Names) -> str:
    """What the sentence is about, as it stands inside of a question; "" where it is no plain noun phrase."""
    text = re.sub(r"^(?:By default|Currently|Usually|Typically|In general),? ", "", text.strip())
    if text in ("You", "We", "Everybody", "Everyone"):
        return {"You": "I", "We": "we"}.get(text, "everybody")
    said = text.split()
    if not 1 <= len(said) <= 6 or not text[0].isupper() or said[0].lower() in _NO_START:
        return ""
    return "" if _NO_SUBJECT.search(text) or _CUT.search(text) else asker(names.lowered(text))


def verb(word: str, about: str) -> tuple[str, str]:
    """("does", base form) of a verb in the present tense, ("", "") where it is none."""
    if word in THIRD and about not in ("I", "we"):
        return "does", THIRD[word]
    plural = about in ("I", "we") or about.split()[-1].endswith("s") or " of " in about or " and " in about
    known = word in VERBS or word in THIRD.values()
    return ("do", word) if known and plural else ("", "")


def counted(what: str) -> tuple[str, str]:
    """("hours of sick leave a year", "in all") of "hours of sick leave a year in all"; ("", "") where nothing is
    counted."""
    said = what.split()
    at = next((i for i, word in enumerate(said) if i and word.strip(",;:").lower() in _COUNTED_TO), len(said))
    noun = " ".join(said[:at])
    if "," in noun or ";" in noun:
        noun, at = re.split("[,;]", noun)[0], len(said)
    head = noun.split(" of ")[0].split()
    if (
        not head
        or len(head) > 4
        or head[0] == "more"
        or not (head[-1].endswith("s") or head[-1] == "people")
        or re.search(r"\d", noun)
    ):
        return "", ""
    rest = short(" ".join(said[at:]))
    each = _EACH.match(rest)
    return (f"{noun} {each[1]}", each[2]) if each else (noun, rest)
