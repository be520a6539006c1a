"""As much English grammar as a question needs: verb forms, and who is speaking."""

from __future__ import annotations

import re

VERBS = tuple(
    """
    accept access accrue acknowledge activate add adjust amend appeal apply approve arrange ask assign attach attend
    authorize avoid begin block book borrow bring build buy call cancel carry change charge check choose claim clear
    close collect come complete configure confirm connect contact convert copy count create decide declare decline
    delete deliver deploy determine disable discuss donate download draft drive drop earn edit eat email enable encrypt
    enrol enroll enter escalate estimate expense export extend file fill find finish fix fly follow forward get give go
    hand handle have help hire hold host identify import include inform install invite join keep lead learn leave lend
    link list lock log look lose mail maintain make manage mark measure meet merge migrate modify monitor move
    negotiate nominate notify obtain offer open opt order organise organize pack park pass pay perform pick plan post
    prepare present print process promise propose provide publish purchase put qualify raise reach read receive
    recommend record recover recruit redeem refer refund register reimburse release remove rename renew rent repair
    replace reply report request reschedule reserve reset resign resolve respond restart restore retire retrieve return
    review revoke rotate run save scan schedule search select sell send set set share ship show sign spend start stay
    stop store submit subscribe support swap switch take talk tell terminate test track train transfer travel turn
    update upgrade upload use verify view visit volunteer wait wear withdraw work write
    """.split()
)
"""What people do at work, in its base form."""

_OTHERS = (
    "agree apply belong contain cost cover decide deserve end entitle expire guarantee happen last need own protect "
    "repeat require serve start want".split()
)
_DOUBLED = frozenset(
    "begin cancel drop enrol fit forget get let log opt permit plan put quit refer rub run scan set ship sit "
    "spin stop submit swap transfer travel win".split()
)
_NOUNS = frozenset(
    "billing booking building changing closing coming filing having hiring keeping leading learning listing "
    "mailing marking meeting offering opening packing parking planning pricing printing processing reading "
    "recruiting reporting setting shipping starting staying supporting telling testing training traveling "
    "travelling working writing".split()
)
"""Forms in -ing that are nouns as often: "Training resources", "Meeting rooms"."""
_STATES = frozenset(
    "being closing coming going having keeping looking starting staying talking telling working".split()
)
"""What one doesn't ask how to do."""
_LINKS = frozenset(
    "a an the your our my any all each into to for with from in on up out off back through about around using over "
    "without as at between during yourself money".split()
)
IRREGULAR = frozenset(
    "paid sent given taken made held kept left sold built put set read done seen shown written drawn lost found told "
    "bought brought spent met closed open due run hidden chosen".split()
)


def _third(verb: str) -> str:
    if verb == "have":
        return "has"
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return verb + ("es" if re.search(r"(?:s|sh|ch|x|z|o)$", verb) else "s")


def _gerund(verb: str) -> str:
    if verb in _DOUBLED:
        return f"{verb}{verb[-1]}ing"
    return (verb[:-1] if verb.endswith("e") and not verb.endswith("ee") else verb) + "ing"


_GERUNDS = {_gerund(verb): verb for verb in VERBS} | {f"{verb}ing": verb for verb in ("cancel", "travel")}
THIRD = {_third(verb): verb for verb in (*VERBS, *_OTHERS)}
"""The base form of a verb by its third person: "expires" -> "expire"."""


def action_of(heading: str) -> str:
    """What a heading like "Donating hours" or "Create a group" tells to do, as "donate hours"; "" where it doesn't."""
    first, _, rest = heading.partition(" ")
    word = first.lower()
    second = rest.split(" ", 1)[0].lower()
    if word in VERBS and second and second not in ("and", "or", "of", "by", "is", "are"):
        plain_object = second in _LINKS or rest.split()[-1].endswith("s")
        return f"{word} {rest}" if plain_object and word not in _NOUN_LIKE else ""
    if word not in _GERUNDS or not second or second in ("and", "or", "of", "is"):
        return ""
    if word in _STATES or second in ("something", "back"):
        return ""
    if second in _LINKS or (word not in _NOUNS and len(rest.split()) <= 6):
        return f"{_GERUNDS[word]} {rest}"
    return ""


_NOUN_LIKE = frozenset(
    "access block book call change charge contact copy count draft drive export file handle help hold host "
    "import lead leave link list lock log mail mark measure offer order park pass pay plan post present print "
    "process promise record release repair reply report request reset return review run search set share show "
    "sign start stop store support swap switch test track train transfer travel update upgrade use view visit "
    "volunteer work".split()
)
"""Verbs that are nouns as often: a heading "Contact details" tells nobody to do anything."""

_BEFORE_ME = (
    "for to upon with from by of about on at between against give gives gave help helps ask asks tell tells let lets "
    "allow allows send sends sent show shows require requires reimburse contact notify notifies pay pays remind "
    "reminds invite email emails call calls entitle entitles assist assists support supports guide reach owe owes see "
    "meets takes gets"
).split()
_TO_ME = re.compile(rf"\b({'|'.join(_BEFORE_ME)}) you\b", re.IGNORECASE)
_SPEAKER = (
    (r"\byou are\b", "I am"),
    (r"\byou're\b", "I'm"),
    (r"\byou were\b", "I was"),
    (r"\bare you\b", "am I"),
    (r"\byou\b", "I"),
    (r"\byour own\b", "my own"),
    (r"\byours\b", "mine"),
    (r"\byourself\b", "myself"),
    (r"\byour\b", "my"),
)


def asker(text: str) -> str:
    """What is said to "you", as the person who asks would say it: "your badge" -> "my badge"."""
    text = _TO_ME.sub(lambda m: f"{m[1]} me", text.replace("’", "'"))
    for said, mine in _SPEAKER:
        text = re.sub(said, mine, text, flags=re.IGNORECASE)
    return text


def sentence(text: str) -> str:
    """With a capital and a question mark."""
    text = " ".join(text.split()).rstrip(" .?!")
    return f"{text[:1].upper()}{text[1:]}?"
