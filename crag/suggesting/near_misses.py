"""Near misses: questions as the documents would answer them, but for one thing - another name, number or scope, or a
detail that isn't told. Each comes with what would tell, in a passage, that it is answered after all."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from crag.suggesting.clauses import Draft, sounds
from crag.suggesting.corpus import VERSION, YEAR, Corpus
from crag.suggesting.proposals import Kind, Proposal

MOST = 3
"""Near misses of one question: more of them only differ in little."""
_PEOPLE = (
    ("as a contractor", "contract"),
    ("as an intern", r"intern(?:s|ships?)?\b"),
    ("as a freelancer", "freelance"),
    ("as an apprentice", "apprentice"),
    ("as a working student", r"students?\b"),
)
_TIERS = "Lite Max Pro Premium Enterprise Basic Plus Core Standard Essential Business Team Free".split()
_PLACES = ("Canada", "Japan", "Brazil", "Portugal", "India", "Norway")
_ABROAD = r"abroad|overseas|international|(?:other|another|foreign|outside the) countr|each country|every country"
_AMOUNT = r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|few|couple of)\b"
_UNIT = r"(?:minute|hour|day|week|month|year)s?\b"
_DETAILS = (
    ("How long does it take to {}?", rf"(?:{_AMOUNT})[^.]{{0,20}}{_UNIT}|immediate|right away|instant|same day"),
    ("How much does it cost to {}?", r"[£$€]\s?\d|\bfree\b|\bcosts?\b|\bfees?\b|\bprices?\b|\bpa(?:y|id|ys)\b|charge"),
    ("Can I {} on my phone?", r"phone|mobile|\bapp\b|\bios\b|android|tablet"),
    ("Can I {} for a colleague?", r"colleague|behalf|someone else|others?\b|delegat|coworker|teammate"),
)
_HANDLED = frozenset(
    "add approve book buy cancel change claim configure create download edit enter export file manage order register "
    "renew report request reserve reset schedule set sign submit update upload".split()
)
"""What one does at a screen, and for others."""
_PERSON = (
    ("What is {}'s phone number?", r"\+?\d[\d ()-]{4,}|\bphone|\bext(?:ension)?\b|\bcall\b|\bring\b"),
    ("Who stands in for {} on holiday?", r"deput|stands? in|covers? for|replace|absen|substitut|holiday"),
)
_THING = (
    ("When was {} introduced?", r"\b(?:19|20)\d\d\b|introduc|\bsince\b|launch|started|began"),
    ("How much do we pay for {}?", r"[£$€]\s?\d|\bfree\b|\bcosts?\b|\bprices?\b|\bpa(?:y|id)\b|licen[cs]e"),
)
_WHEN_ASKED = (
    (r"^(.*?\bHow (?:many|much|long)\b.*?) can I\b", r"\1 could I"),
    (r"^(.*?\bHow (?:many|much|long)\b.*?) do we\b", r"\1 did we"),
    (r"^(.*?\bHow much\b.*?) do(?:es)?\b(?! I\b)", r"\1 did"),
    (r"^(.*?\bHow (?:much|long)) is\b", r"\1 was"),
    (r"^(.*?\bHow (?:much|long)) are\b", r"\1 were"),
)


def near_misses(proposal: Proposal, draft: Draft, corpus: Corpus, rng: random.Random) -> list[Proposal]:
    """What can be made of one answerable question, in a mixed order, MOST of them; whether one is answered is for
    a search."""
    found = [
        Proposal(text, kind, proposal.chunk, proposal.quote, note=note, telltale=telltale)
        for kind, text, note, telltale in _swapped(proposal.question, draft, corpus, rng)
        if sounds(text) and text != proposal.question
    ]
    rng.shuffle(found)
    return found[:MOST]


Swap = tuple[Kind, str, str, str]
"""(kind, question, note, telltale)"""


def _swapped(question: str, draft: Draft, corpus: Corpus, rng: random.Random) -> Iterator[Swap]:
    yield from _names(question, corpus)
    yield from _tiers(question, corpus)
    yield from _numbers(question, corpus)
    yield from _scopes(question, corpus, rng)
    verb = draft.action.split(" ", 1)[0]
    if draft.action and len(draft.action.split()) <= 7 and "if I" not in draft.action:
        for pattern, telltale in _DETAILS if verb in _HANDLED else _DETAILS[:1]:
            yield Kind.NOT_TOLD, pattern.format(draft.action), "This detail isn't told.", telltale
    for patterns, about in ((_PERSON, draft.person), (_THING, draft.thing)):
        if about:
            for pattern, telltale in patterns:
                yield Kind.NOT_TOLD, pattern.format(about), "This detail isn't told.", telltale


def _apart(question: str) -> tuple[str, str]:
    """The page's title in front, if there is one, and the question: a title isn't swapped."""
    label, colon, body = question.rpartition(": ")
    return label + colon, body


def _names(question: str, corpus: Corpus) -> Iterator[Swap]:
    label, body = _apart(question)
    for name, others in corpus.beside.items():
        found = re.search(rf"(?<=[\w,;'’] ){re.escape(name)}(?![\w+/-]| [A-Z\d])", body)
        if not found:
            continue
        before = body[: found.start()].split()[-1]
        for other in sorted(others):
            joined = before[:1].islower() or f"{before} {other}" in corpus.joined
            if joined and other not in question and _same_article(before, name, other):
                text = label + body[: found.start()] + other + body[found.end() :]
                yield Kind.OTHER_NAME, text, f"Asks of {other} what is told of {name}.", rf"\b{re.escape(other)}\b"


def _same_article(before: str, name: str, other: str) -> bool:
    """Whether "a" or "an" before the name stays right."""
    return before not in ("a", "an") or (name[0] in "AEIOU") == (other[0] in "AEIOU")


def _tiers(question: str, corpus: Corpus) -> Iterator[Swap]:
    label, body = _apart(question)
    for found in re.finditer(rf"\b([A-Z]\w+) ({'|'.join(_TIERS)})\b", body):
        other = next((f"{found[1]} {tier}" for tier in _TIERS if tier not in corpus.names.known), "")
        if other and found[1] in corpus.names.known:
            text = label + body[: found.start()] + other + body[found.end() :]
            yield Kind.OTHER_NAME, text, f"There is no {other}.", rf"\b{other}\b"


def _numbers(question: str, corpus: Corpus) -> Iterator[Swap]:
    label, body = _apart(question)
    for found in VERSION.finditer(body):
        row, number = found[1], int(found[2])
        if corpus.highest.get(row, 0) >= number and row.strip(" -") not in ("Step", "Day", "Week", "Part", "FY"):
            other = f"{row}{corpus.highest[row] + 1}"
            text = label + body[: found.start()] + other + body[found.end() :]
            yield Kind.OTHER_NUMBER, text, f"No page mentions {other}.", rf"\b{re.escape(other)}\b"
    for found in YEAR.finditer(body):
        year = str(next(year for year in range(int(found[0]) - 2, 0, -1) if year not in corpus.years))
        text = label + body[: found.start()] + year + body[found.end() :]
        yield Kind.OTHER_NUMBER, text, f"Nothing is said of {year}.", year


def _scopes(question: str, corpus: Corpus, rng: random.Random) -> Iterator[Swap]:
    body = question.rstrip("?")
    if re.search(r"\b(?:How (?:many|much|long|often|far)|Can|May|How do)\b.* I\b", body) and " if " not in body:
        who, telltale = rng.choice(_PEOPLE)
        yield Kind.OTHER_SCOPE, f"{body} {who}?", f"Nothing is said of {who.removeprefix('as ')} here.", telltale
    if re.match(r"(?:.*: )?(?:How much|Who can|Who is eligible)\b", body, re.IGNORECASE) and not re.search(
        r"\b(?:in|at|from) [A-Z]", body
    ):
        place = rng.choice(_PLACES)
        yield Kind.OTHER_SCOPE, f"{body} in {place}?", f"No page speaks of {place}.", rf"\b{place}\b|{_ABROAD}"
    for pattern, then in _WHEN_ASKED:
        past = re.sub(pattern, then, question, flags=re.IGNORECASE)
        if past != question and not re.search(r"\bif\b|\b(?:19|20)\d\d\b|\b(?:is|are|has|have|need) ", past[12:]):
            year = next(y for y in range(rng.randint(2012, 2017), 0, -1) if y not in corpus.years)
            yield Kind.OTHER_NUMBER, f"{past.rstrip('?')} in {year}?", f"Nothing is said of {year}.", str(year)
            return
