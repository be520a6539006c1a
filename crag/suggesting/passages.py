"""What a passage says, as plain English sentences; and which of the corpus' words are names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from crag.text import clean, sentences, words
from crag.types import Chunk

_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])")
_MARKS = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|</?\w[^<>]{0,80}>")
_ITEM = re.compile(r"^(?:[-*+•]|\d{1,3}[.)])\s+")
_BRACKET = re.compile(r"\s*\([^()]*\)")
_STRANGE = re.compile(r"[{}<>|\[\]()#=\\]|https?:|www\.|:[a-z_]+:")
_CAPITAL = re.compile(r"(?<=[a-z,;] )[A-ZÀ-Þ][\w'-]*\w")
_ENGLISH = frozenset(
    "the a an of to and in for is are be you your we our with on it by or if as that this can at from not will have "
    "has was any who when they but out up no do more than one should must may each all".split()
)
_DETERMINERS = frozenset("A An The Your Our All Each Every Any No".split())
_LEAST_ENGLISH = 0.15
_CODE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)


def plain(text: str) -> str:
    """One line without Markdown's marks."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", clean(text))).split())


def told(chunk: Chunk) -> list[str]:
    """The passage's whole sentences, in plain words and without what stands in brackets; none of another language, of
    tables and of code."""
    if not is_english(chunk.text):
        return []
    found = []
    for strip in sentences(_CODE.sub("", chunk.text)):
        if strip.text.startswith(("|", "#", ">")):
            continue
        line = _BRACKET.sub("", plain(_ITEM.sub("", strip.text)))
        if line[-1:] == "." and line[0].isupper() and not _STRANGE.search(line):
            found.append(line)
    return found


def is_english(text: str) -> bool:
    """By its small words."""
    found = words(text)
    return bool(found) and sum(word in _ENGLISH for word in found) >= _LEAST_ENGLISH * len(found)


@dataclass(frozen=True, slots=True)
class Names:
    """The words that the corpus writes with a capital inside of its sentences, more often than without."""

    known: frozenset[str]
    ordinary: frozenset[str]
    """Words that it writes small anywhere."""

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> Names:
        capital: Counter[str] = Counter()
        small: Counter[str] = Counter()
        for chunk in chunks:
            if is_english(chunk.text):
                text = plain(chunk.text)
                capital.update(word.removesuffix("'s") for word in _CAPITAL.findall(text))
                small.update(re.findall(r"\b[a-z][\w'-]*\w", text))
        return cls(frozenset(word for word, count in capital.items() if count > small[word.lower()]), frozenset(small))

    def lowered(self, text: str) -> str:
        """The text as it stands inside of a sentence: a name keeps its capital."""
        first, *others = re.split(r"[\s'’]", text)
        kept = first in self.known or any(c.isupper() or c.isdigit() for c in first[1:])
        kept = kept or (first not in _DETERMINERS and bool(others) and bool(re.match("[A-ZÀ-Þ][a-zà-ÿ]", others[0])))
        return text if kept else text[:1].lower() + text[1:]
