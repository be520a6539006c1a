"""Sentences that say who, what, how, whether and what if."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crag.suggesting.clauses import MODAL, Draft, asks, counted, short, subject
from crag.suggesting.english import IRREGULAR, THIRD, VERBS, asker
from crag.suggesting.passages import Names
from crag.text import STOP_WORDS

_ROLES = (
    "admin admins administrator analyst buddy coordinator designer director employee employees engineer engineers head "
    "heads lead leads lawyer leadership liaison manager managers member members officer officers official owner owners "
    "partner partners person recruiter representative specialist specialists staff supervisor supervisors team teams"
).split()
_ROLE = rf"(?:The(?: [\w'-]+){{1,3}}?|(?:Your|A|An|Only|Any)(?: [\w'-]+){{0,3}}?) (?:{'|'.join(_ROLES)})"
_DOER = re.compile(rf"([A-ZÀ-Þ][a-zà-ÿ]+ [A-ZÀ-Þ][a-zà-ÿ]+|{_ROLE}) ({MODAL} [a-z]+|[a-z]+) (.+)$")
_MEANING = re.compile(r"((?:An? |The )?[\w'-]+(?: [\w'-]+){0,3}?) (is|are) (?:an?|the|our) (?:[\w'-]+ ){3}")
_DETERMINERS = ("A", "An", "Each", "Every", "Any", "No", "All")
_EMPTY = frozenset(
    "goal purpose way reason result example thing part option difference step key list point idea answer best first "
    "last next most rest rule exception problem main other same what how why when where only everything everyone "
    "all".split()
)
_WAY = re.compile(
    r"(?:In order to|To|If you (?:want|need|would like|wish) to) ([a-z]+)( [^,]{4,70}), (?:please )?(\w+)"
)
_CASE = re.compile(r"If (you(?:'re| are| have|'ve| [a-z]+)\b[^,]{6,70}|your [^,]{6,70}), (?:then |please )?(.+)$")
_NO_CASE = (
    "you do ",
    "you are a ",
    "you are an ",
    "you have any",
    "you need help",
    "you have questions",
    "you want to learn",
)
_OUTCOME = re.compile(r"(?:you|the|your|we) [\w' ]{0,40}?(?:will|won't|loses?|goes|expires?|becomes?)\b")
_RULE = re.compile(
    r"(You|We) (?:also )?(can|may|can't|cannot|may not|don't have to|don't need to|do not need to|must|have to|need to|"
    r"don't|do not)(?: also| only| still)? ([a-z]+) (.+)$"
)
_SIGNPOSTS = frozenset("find learn see read refer reach contact check view choose follow look".split())
"""What "You can find the form here" says of a page is no rule that anybody asks for."""
_POSSIBLE = re.compile(
    rf"(.{{3,50}}?) (can|can't|cannot|may not|must|have to|has to) be ([a-z]+ed|{'|'.join(IRREGULAR)})\b(.*)$"
)
_ADJECTIVE = re.compile(
    r"(.{3,50}?) (is|are|isn't|aren't) (?:not )?(possible|allowed|paid|required|mandatory|optional|covered|reimbursed|"
    r"free|permitted|included)\b(.*)$"
)
_WHOLE = frozenset("possible allowed paid included free mandatory optional".split())
_SIGNED = frozenset("found seen read accessed viewed used considered".split())
_EXISTS = re.compile(
    r"There(?:'s| is| are) (an?|two|three|four|five|\d+) (?!few|number|variety|lot|couple|range|way|reason|general)"
    r"([a-z][^,.;:]{5,60}?)(?:[,.;:]|$)"
)


def doers(text: str, names: Names) -> Iterator[Draft]:
    """Bela Krumm helps with the forms -> Who helps with the forms?"""
    found = _DOER.match(text)
    is_role = bool(re.match(_ROLE, text))
    if not found or (found[1].split()[0].lower() in STOP_WORDS and not is_role):
        return
    does, rest = found[2], re.sub("^you ", "me ", short(found[3]))
    known = does.split()[-1] in VERBS if " " in does else does in THIRD
    if does == "is":
        known = rest.startswith(("the ", "responsible "))
    person = "" if is_role else found[1]
    if known and len(rest.split()) >= 3 and not any(word.lower() in names.ordinary for word in person.split()):
        yield asks("Who", does, asker(rest), person=person)


def meanings(text: str, names: Names) -> Iterator[Draft]:
    """A detail is a temporary assignment -> What is a detail?"""
    found = _MEANING.match(text)
    if not found or (about := subject(found[1], names)) in ("", "I", "we", "everybody"):
        return
    said = found[1].split()
    named = any(word in names.known or word.isupper() for word in said)
    if said[-1].lower() in _EMPTY or any(word.lower() in _EMPTY for word in said[:2]):
        return
    if said[0] in ("A", "An") or named:
        thing = about if named and found[2] == "is" and said[0] not in _DETERMINERS else ""
        yield asks("What", found[2], about, thing=thing)


def ways(text: str, names: Names) -> Iterator[Draft]:
    """To get approval for a trip, write to ... -> How do I get approval for a trip?"""
    found = _WAY.match(text)
    if found and found[1] in VERBS and (found[3] in ("you", "please", "we") or found[3].lower() in VERBS):
        action = asker(f"{found[1]}{found[2]}")
        if len(action.split()) <= 10:
            yield asks("How do I", action, action=action)


def cases(text: str, names: Names) -> Iterator[Draft]:
    """If you lose your badge, tell ... -> What should I do if I lose my badge?"""
    found = _CASE.match(text)
    if not found or found[1].startswith(_NO_CASE) or not 4 <= len(found[1].split()) <= 13:
        return
    main = found[2]
    if main.split()[0].lower() in VERBS or re.match(r"you (?:must|should|need to|have to|will need to)\b", main):
        yield asks("What should I do if", asker(found[1]))
    elif _OUTCOME.match(main):
        yield asks("What happens if", asker(found[1]))


def rules(text: str, names: Names) -> Iterator[Draft]:
    """You can't sell unused days -> Can I sell unused days?"""
    found = _RULE.match(text)
    if not found or found[3] not in VERBS or found[3] in _SIGNPOSTS or found[4].startswith("once") or "@" in found[4]:
        return
    who, modal = ("I" if found[1] == "You" else "we"), found[2]
    action = asker(f"{found[3]} {short(found[4])}")
    if modal.startswith(("can", "may")):
        helper = f"{modal[:3].capitalize()} {who}"
    elif modal in ("don't", "do not"):
        helper = f"Do {who}" if who == "we" else ""
    else:
        helper = f"Do {who} have to"
    if helper and len(action.split()) >= 3:
        yield asks(helper, action)


def possibilities(text: str, names: Names) -> Iterator[Draft]:
    """Quiet hours can be set for the whole account -> Can quiet hours be set for the whole account?"""
    if (found := _POSSIBLE.match(text)) and (about := _plain(found[1], names)):
        modal, rest = found[2][:3], asker(short(found[4], 8))
        if found[3] in _SIGNED or len(rest.split()) < 2:
            return
        if modal in ("can", "may"):
            yield asks(modal.capitalize(), about, "be", found[3], rest)
        else:
            yield asks("Do" if about.endswith("s") else "Does", about, "have to be", found[3], rest)
    elif (found := _ADJECTIVE.match(text)) and (about := _plain(found[1], names)):
        rest = asker(short(found[4], 8))
        if len(rest.split()) >= 2 or (found[3] in _WHOLE and not found[4].strip()):
            yield asks("Are" if found[2].startswith("are") else "Is", about, found[3], rest)


def _plain(text: str, names: Names) -> str:
    """A short subject; "" for one with "and", behind which a second verb may stand, and for "you" and "we"."""
    about = subject(text, names) if len(text.split()) <= 4 and " and " not in text else ""
    return "" if about in ("I", "we") else about


def existences(text: str, names: Names) -> Iterator[Draft]:
    """There's a quiet room in Kiln House -> Is there a quiet room in Kiln House?"""
    if found := _EXISTS.match(text):
        noun, rest = counted(found[2])
        if found[1] in ("a", "an"):
            yield asks("Is there", found[1], asker(short(found[2])))
        elif noun:
            yield asks("How many", noun, "are there", asker(rest))
