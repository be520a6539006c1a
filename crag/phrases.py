"""The noun phrases of an English question, by as little grammar as that takes: runs of words that are neither grammar
nor what is done. Wrong now and then, so nothing may rest on a phrase alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crag.suggesting.english import IRREGULAR, THIRD, VERBS

ASKING = frozenset("how what which who whom whose when where why what's who's where's whats".split())
HELPERS = frozenset(
    "is are was were am do does did can could may might must should will would shall has have had isn't don't".split()
)
PRONOUNS = frozenset("i we you he she it they them me us him her there this that these those if".split())
PLACES = frozenset("in at near".split())
PREPOSITIONS = PLACES | frozenset(
    "of on for with from to by as per about than after before during until within under above over between into".split()
)
_DETERMINERS = frozenset("a an the my our your its their any some each every".split())
_FUNCTION = frozenset(
    "and or but not so then too also only still many much long often far soon fast be been one get gets got".split()
) | ASKING.union(HELPERS, PRONOUNS, PREPOSITIONS)
_SUBJECTS = frozenset("i we you he she they it".split())
_BEING = frozenset("is are was were".split())
_DOING = HELPERS - _BEING - {"am", "isn't"}
_MODALS = frozenset("can could may might must should will would shall".split())
_VERBS = frozenset(VERBS).union(THIRD.values(), ("allow", "come", "mean", "spend", "stand", "ring"))
_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[^\s\w]")
_MEASURE = re.compile(
    r"(?:(?:an?|each|every|one|two|\d[\d.,]*) )?(?:hour|day|night|week|month|year)s?(?: ahead)?", re.IGNORECASE
)
_THINGS = frozenset(
    """
    anchor charger chapter coffee colour computer corridor counter cover dinner door elevator error factor fee filter
    floor flyer folder grant insurer letter locker meter mirror monitor motor newsletter number offer order other
    over paper parlour plant poster power printer projector quarter restaurant router scanner scooter sensor server
    shower speaker sticker summer supper tier tower trailer transfer uber voucher water weather winter
    """.split()
)
_PERSON = re.compile(
    r"(?i:(?:some|any|every)(?:one|body)|people|staff|heads?|leads?|colleagues?|apprentices?|interns?|employees?|trainees?)"
    r"|[a-z][\w-]+(?:er|or|ist|ant)s?"
)
"""Capitalised it is a name: "Larder"."""
_MODIFIES = re.compile(r" (?:in|at|from|on|with|of) ")


@dataclass(frozen=True, slots=True)
class Phrase:
    """With its article. `span` is [start, end) in characters of the question; `before` is the word before it, in lower
    case; a `subject` stands right after the helper ("do charities get")."""

    text: str
    span: tuple[int, int]
    before: str
    subject: bool

    @property
    def bare(self) -> str:
        """Without the article."""
        first, _, rest = self.text.partition(" ")
        return rest if rest and first.lower() in _DETERMINERS else self.text

    @property
    def name(self) -> bool:
        return self.text.split()[-1][:1].isupper()

    @property
    def plural(self) -> bool:
        head = self.bare.split(" of ")[0].split()[-1].lower()
        return bool(re.search(r"[^sui]s$", head)) or head in ("people", "staff")

    @property
    def person(self) -> bool:
        return is_person(self.text)

    @property
    def measure(self) -> bool:
        return is_measure(self.text)


def is_person(text: str) -> bool:
    """Whether a phrase reads like a group of people or one of them: "contractors", "a Head"."""
    head = _MODIFIES.split(text)[0].split()[-1]
    return bool(_PERSON.fullmatch(head)) and head not in _THINGS and head.removesuffix("s") not in _THINGS


def is_measure(text: str) -> bool:
    """Whether a phrase is a stretch of time only: "a week"."""
    return bool(_MEASURE.fullmatch(text))


def known_verb(word: str) -> bool:
    return word.lower() in _VERBS


def phrases(question: str) -> Iterator[Phrase]:
    """In order."""
    tokens = [t for t in _TOKEN.finditer(question) if t.group() not in "?!."]
    said = [t.group().lower() for t in tokens]
    at, done = 0, False
    while at < len(said):
        if not _nominal(said[at]) or _verb(said, at, done):
            done |= _nominal(said[at])
            at += 1
            continue
        end = _end(said, at, done)
        if said[end - 1] not in _DETERMINERS:
            span = (tokens[at].start(), tokens[end - 1].end())
            before = said[at - 1] if at else ""
            asked = at > 1 and said[at - 2] in _SUBJECTS
            yield Phrase(question[slice(*span)], span, before, before in HELPERS and not done and not asked)
        at = end


def _end(said: Sequence[str], at: int, done: bool) -> int:
    """Where the phrase that begins at `at` ends. "is lunch free" has its last word for what is said of lunch."""
    end = at + 1
    while end < len(said) and (_nominal(said[end]) or (said[end] == "of" and end + 1 < len(said))):
        if _verb(said, end, done) or (said[end] in _DETERMINERS and said[end - 1] != "of"):
            break
        end += 1
    return end - 1 if at == 1 and said[0] in _BEING and end == len(said) and end > at + 1 else end


def _nominal(word: str) -> bool:
    return word[:1].isalnum() and word not in _FUNCTION


def _verb(said: Sequence[str], at: int, done: bool) -> bool:
    """Whether a word is what is done: by its place, or a known verb after its subject."""
    word, before = said[at], said[at - 1] if at else ""
    after = said[at + 1] if at + 1 < len(said) else ""
    if before == "who" or before in _SUBJECTS or (before == "to" and word in _VERBS):
        return word not in _DETERMINERS
    if before == "what" and word in THIRD:
        return True
    opens = after in PRONOUNS or after in ("my", "our", "your", "the")
    if not before or done or before in _DETERMINERS or before in PREPOSITIONS:
        return not before and word in _VERBS and opens
    follows = _nominal(before)
    helped = any(w in HELPERS for w in said[:at])
    if follows and ((word.endswith("s") and opens) or (helped and (word.endswith("ed") or word in IRREGULAR))):
        return True
    return word in _VERBS and (before in _MODALS or (follows and any(w in _DOING for w in said[:at])))
