"""Headings turned into the questions that their passages answer."""

from __future__ import annotations

import re

from crag.suggesting.clauses import Draft, sounds
from crag.suggesting.english import action_of, asker, sentence
from crag.suggesting.passages import Names, plain
from crag.text import content_words

_ASKED = re.compile(
    r"(?:how|what|when|where|which|who|whom|whose|why|can|may|do|does|did|is|are|am|should|must|will|could|wie|was|wann|"
    r"wo|wer|welche[rsn]?|warum|kann|darf|muss|ist|sind)\b",
    re.IGNORECASE,
)
_TO_READER = re.compile(
    r"(?:do|are|have|did|can|could|will|would) you\b|\byou\b.*\byou\b|\b(?:now what|this|these|those|it)\b", re.I
)
_NUMBERED = re.compile(r"^(?:step )?\d+[.:)]?\s+|^step \d+\s*|\s*#+$", re.IGNORECASE)
_NOT_ASKED = re.compile(
    r"^(?:see|read|use|get involved|learn|find|check|meet|ask|follow|work|talk|have|keep|take|be|go|come|stay|start|"
    r"tell|close)\b",
    re.IGNORECASE,
)
_ASPECTS = {
    "eligibility": "Who is eligible for {}?",
    "requirements": "What are the requirements for {}?",
    "prerequisites": "What are the prerequisites for {}?",
    "deadline": "What is the deadline for {}?",
    "deadlines": "What are the deadlines for {}?",
    "costs": "How much does {} cost?",
    "cost": "How much does {} cost?",
    "price": "How much does {} cost?",
    "what it costs": "How much does {} cost?",
    "pricing": "How much does {} cost?",
    "who can have it": "Who can have {}?",
    "who can apply": "Who can apply for {}?",
    "how to apply": "How do I apply for {}?",
    "how to claim": "How do I claim {}?",
}
_THINGS = (
    "allowance bonus budget cap cost costs deadline fee fees limit limits period policy price prices process procedure "
    "rate rates requirements rule rules schedule hours steps benefits discount discounts tiers timeline guidelines"
).split()
"""Headings that end so name something that can be asked for as it stands: "Referral bonus"."""


def heading_drafts(headings: tuple[str, ...], names: Names) -> list[Draft]:
    """What the nearest heading asks or promises; its parents say what it is about."""
    heading = _NUMBERED.sub("", plain(headings[-1])).strip(" :.")
    if not heading or len(heading) > 90:
        return []
    found = [
        _question(heading),
        _action(heading, names),
        _aspect(headings, heading, names),
        _thing(headings, heading, names),
    ]
    return [draft for draft in found if draft and sounds(draft.question)][:1]


def is_question(heading: str) -> bool:
    """Whether it is asked as a reader would ask it."""
    return bool(heading.endswith("?") and _ASKED.match(heading) and not _TO_READER.search(heading)) and (
        len(content_words(heading)) >= 2
    )


def _question(heading: str) -> Draft | None:
    if not is_question(heading):
        return None
    found = re.match(r"How (?:do|can|should) I (.+)\?$", heading)
    return Draft(heading, found[1] if found else "")


def _action(heading: str, names: Names) -> Draft | None:
    told = re.sub(r"^How to ", "", heading, flags=re.IGNORECASE)
    action = asker(_small(action_of(told) or "?", names)).strip("?")
    if told != heading and not action:
        first, _, rest = told.partition(" ")
        action = asker(f"{first.lower()} {rest}") if rest else ""
    if not action or (told == heading and _NOT_ASKED.match(heading)) or re.search(r"[,:;!?&/]", action):
        return None
    return Draft(sentence(f"How do I {action}"), action)


def _aspect(headings: tuple[str, ...], heading: str, names: Names) -> Draft | None:
    pattern = _ASPECTS.get(heading.lower())
    topic = names.lowered(topic_of(headings[:-1])) if pattern else ""
    return Draft(sentence(pattern.format(topic))) if pattern and topic else None


def _thing(headings: tuple[str, ...], heading: str, names: Names) -> Draft | None:
    heading = re.sub("^(?:The|Our|Your) ", "", heading)
    said = heading.split()
    if (
        said[-1].lower() not in _THINGS
        or not 2 <= len(said) <= 4
        or re.search(r"[,:;!?&/]| (?:and|or|of|for|to|in) ", heading)
    ):
        return None
    be = "are" if said[-1].endswith("s") and said[-1].lower() != "bonus" else "is"
    return Draft(sentence(f"What {be} the {_small(heading, names)}"))


def topic_of(headings: tuple[str, ...]) -> str:
    """The title as a thing to ask about, without what stands in brackets or in front of a colon."""
    title = re.sub(r"\s*\([^()]*\)", "", plain(headings[0])) if headings else ""
    title = title.rpartition(": ")[2].strip(" .?!")
    return title if 1 <= len(title.split()) <= 4 else ""


def _small(text: str, names: Names) -> str:
    """Without the Capitals of a Heading, save those of names; in a heading that isn't written so, all inner capitals
    are those of names."""
    first, *others = text.split()
    if any(len(word) > 4 and word[0].islower() for word in others):
        return " ".join([names.lowered(first), *others])
    return " ".join(names.lowered(word) for word in text.split())
