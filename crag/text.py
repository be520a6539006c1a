"""Text, the way every stage sees it: cleaned, cut into sentences, reduced to content words. Standard library only."""

from __future__ import annotations

import re
import unicodedata

from crag.types import Strip

_BLANK = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)}
"""Letters and marks that show nothing: joiners, fillers, variation selectors."""
_SEEN = {*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD}
"""Format characters (Cf) that do show: Arabic, Syriac and Kaithi number signs."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])[\"”’)\]]*\s+(?=[\"“‘(\[*_`]*[A-ZÀ-ÞŒ0-9А-Я\[])|\n{2,}|\n(?=\s*(?:[-*+•|#>]|\d+[.)])\s?)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|z\.B|d\.h|u\.a|bzw|ca|approx|vs|etc|cf|dr|mr|mrs|ms|prof|gen|maj|col|capt|sgt|lt|st|inc|ltd|co|jr"
    r"|sr|tel|usw|evtl|ggf|inkl|zzgl)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_BEFORE_A_NUMBER = re.compile(r"\b(?:no|nr|vol|p|pp|fig|max|min)\.$", re.IGNORECASE)
_LIST_NUMBER = re.compile(r"\s*\d{1,3}\.")
_DAY = re.compile(r"\b\d{1,2}\.$")
_MONATE = frozenset("Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez".split())
STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been but by can could did do does doing for from
    get had has have having he her him his how i if in into is it its just let like many may me might more most
    much must my no not of on one only or our out over please same shall she should so some such than that the
    their them then there these they this those to too under up us was we were what when where which while who
    whom whose why will with would you your yours tell know want need give show find anyone someone somebody hi
    hello hey thanks thank whats hows wheres whos stand stands mean means happen happens spend
    der die das den dem des ein eine einen einem einer und oder ist sind wie wer wo wann
    warum welche welcher welches ich du er sie es wir ihr man kann können muss soll darf für mit von vom zu zum
    zur im auf bei aus nach über le la les un une de et ou est sont que qui quoi quand où comment pourquoi je tu
    il elle nous vous ils pour avec dans sur par au aux ce cette ces
    """.split()
)
NEGATIONS = frozenset(
    """
    not no never none nobody nothing neither nor without cannot can't don't doesn't didn't isn't aren't wasn't
    weren't won't wouldn't shouldn't couldn't mustn't nicht kein keine keinen keiner nie niemals ohne ne pas
    jamais aucun aucune sans
    """.split()
)


def clean(text: str) -> str:
    """Normalise (NFC) and drop what a reader can't see: zero-width, bidi, tag and control characters.

    Hidden text is a vehicle for prompt injection (garak: badchars; Unicode tag block U+E0000..U+E007F)."""
    kept = (
        c
        for c in unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
        if not (
            ord(c) in _BLANK
            or 0xE0000 <= ord(c) <= 0xE01EF
            or (unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co") and c not in "\n\t" and ord(c) not in _SEEN)
        )
    )
    return "".join(kept)


def words(text: str) -> list[str]:
    """The words of a text, lower-case, in order."""
    return [w.replace("’", "'") for w in _WORD.findall(text.lower())]


def stem(word: str) -> str:
    """A light stem: enough that "days" meets "day" and "expensed" meets "expense"; never shorter than three letters."""
    if len(word) <= 3 or any(c.isdigit() for c in word):
        return word
    for suffix in ("'s", "ings", "ing", "edly", "ied", "ies", "ed", "ers", "er", "es", "s", "ly"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            base = word[: -len(suffix)]
            if suffix in ("ies", "ied"):
                return base + "y"
            if suffix in ("ing", "ed", "er", "ings", "ers", "es") and len(base) > 3 and base[-1] == base[-2]:
                base = base[:-1]
            return base.rstrip("e") if len(base) > 3 else base
    return word.rstrip("e") if len(word) > 4 else word


def content_words(text: str) -> list[str]:
    """The stems that carry meaning, in order, each once."""
    return list(dict.fromkeys(stem(w) for w in words(text) if w not in STOP_WORDS))


def sentences(text: str) -> list[Strip]:
    """Cut into sentences, list items and table rows, each with its span; a code fence stays one piece."""
    pieces: list[Strip] = []
    for start, end, fenced in _fences(text):
        if fenced:
            pieces.append(Strip(text[start:end].strip(), (start, end)))
        else:
            pieces.extend(_split(text, start, end))
    return [p for p in pieces if p.text]


def _fences(text: str) -> list[tuple[int, int, bool]]:
    parts: list[tuple[int, int, bool]] = []
    at = 0
    for match in re.finditer(r"^(```|~~~)[^\n]*\n.*?(?:^\1[^\n]*$|\Z)", text, re.MULTILINE | re.DOTALL):
        parts += [(at, match.start(), False), (match.start(), match.end(), True)]
        at = match.end()
    return [*parts, (at, len(text), False)]


def _split(text: str, start: int, end: int) -> list[Strip]:
    pieces: list[Strip] = []
    begin = start
    for match in _SENTENCE_END.finditer(text, start, end):
        if "\n" not in match.group() and _goes_on(text[begin : match.start()], text[match.end() : match.end() + 4]):
            continue
        pieces.append(_stripped(text, begin, match.start() + len(match.group().rstrip())))
        begin = match.end()
    pieces.append(_stripped(text, begin, end))
    return pieces


def _goes_on(before: str, after: str) -> bool:
    """Whether a full stop ends no sentence: an abbreviation, the number of a list item, a German date."""
    if _LIST_NUMBER.fullmatch(before) or _ABBREVIATION.search(before):
        return True
    if after[:1].isdigit():
        return bool(_BEFORE_A_NUMBER.search(before))
    return after[:3] in _MONATE and bool(_DAY.search(before))


def _stripped(text: str, start: int, end: int) -> Strip:
    raw = text[start:end]
    lead = len(raw) - len(raw.lstrip())
    body = raw.strip()
    return Strip(body, (start + lead, start + lead + len(body)))


def has_words(text: str) -> bool:
    """Whether there is anything to search for: at least one letter or digit."""
    return any(c.isalnum() for c in text)
