"""The words a corpus knows itself, gathered while it is indexed: they let a query be rewritten without an LLM."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from crag.types import Chunk, Glossary, Shelf

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LINK_TARGET = re.compile(r"\]\([^)\s]{0,300}\)")
_MARKS = "*_`[]\"'“”‘’,;:."
_SHORT = frozenset("a an and at by de der die et for in la le of on or the to und von with".split())
_MAX_WORD = 40
_MAX_WORDS = 50_000
_MAX_ABBREVIATION = 8
_MAX_BRACKET = 100
"""Characters between two brackets that can still be a long form."""
_BEFORE = 160
"""Characters before a bracket in which a long form is sought."""


class GlossaryBuilder:
    """Takes chunks one after the other and keeps counts only. Time is linear in the text."""

    def __init__(self) -> None:
        self._words: Counter[str] = Counter()
        self._forms: dict[str, Counter[str]] = {}

    def add(self, chunks: Iterable[Chunk]) -> None:
        for chunk in chunks:
            text = _LINK_TARGET.sub("]", f"{' '.join(chunk.headings)}\n{chunk.text}")
            self._words.update({word for word in _WORD.findall(text.lower()) if 1 < len(word) <= _MAX_WORD})
            for short, long in written_out(text):
                self._forms.setdefault(short.lower(), Counter())[long] += 1

    def build(self) -> Glossary:
        """The commonest words, and for each abbreviation the long form that stands in most chunks."""
        best = {short: max(forms.items(), key=lambda form: form[1])[0] for short, forms in self._forms.items()}
        return Glossary(abbreviations=best, words=dict(self._words.most_common(_MAX_WORDS)))


class Glossaries:
    """A glossary for each shelf: a word is shown to those only who may see a document that has it."""

    def __init__(self) -> None:
        self._shelves: dict[Shelf, GlossaryBuilder] = {}
        self._documents: dict[Shelf, set[str]] = {}

    def add(self, chunks: Iterable[Chunk]) -> None:
        for chunk in chunks:
            shelf = Shelf(chunk.corpus, chunk.access)
            self._shelves.setdefault(shelf, GlossaryBuilder()).add([chunk])
            self._documents.setdefault(shelf, set()).add(chunk.document)

    def build(self) -> dict[Shelf, Glossary]:
        return {
            replace(shelf, documents=len(self._documents[shelf])): builder.build()
            for shelf, builder in self._shelves.items()
        }


def visible(glossaries: Mapping[Shelf, Glossary], corpora: frozenset[str], access: frozenset[str]) -> Glossary:
    """One glossary of all that a question with this scope sees. Where two shelves write an abbreviation out
    differently, the one that uses it in more chunks decides."""
    seen = [glossary for shelf, glossary in glossaries.items() if shelf.seen(corpora, access)]
    words: Counter[str] = Counter()
    uses: dict[str, int] = {}
    abbreviations: dict[str, str] = {}
    for glossary in seen:
        words.update(glossary.words)
        for short, long in glossary.abbreviations.items():
            if (used := glossary.words.get(short, 0)) > uses.get(short, -1):
                uses[short], abbreviations[short] = used, long
    return Glossary(abbreviations, dict(words))


def written_out(text: str) -> Iterable[tuple[str, str]]:
    """Pairs from "Paid Time Off (PTO)", "PTO (paid time off)", and lines like "| PTO | paid time off |"."""
    for line in text.splitlines():
        yield from _defined(line)
    at = text.find("(")
    while at >= 0:
        close = text.find(")", at, at + _MAX_BRACKET)
        if close > 0:
            inside = text[at + 1 : close].strip(_MARKS + " ")
            before = _words(text[max(0, at - _BEFORE) : at].rpartition("\n")[2])
            if _is_abbreviation(inside):
                long = _long_form(inside, before)
                if long:
                    yield _singular(inside), long
            elif before and _is_abbreviation(before[-1]):
                words = _words(inside)
                if words and _long_form(before[-1], words) == " ".join(words):
                    yield _singular(before[-1]), " ".join(words)
        at = text.find("(", at + 1)


def _defined(line: str) -> Iterable[tuple[str, str]]:
    """The pair of a line that begins with an abbreviation and goes on with its long form."""
    words = _words(line.strip().lstrip("|-*+• ").replace("|", " ").replace(" – ", " ").replace(" - ", " ")[:_BEFORE])
    if len(words) < 3 or not _is_abbreviation(words[0]):
        return
    for end in range(3, min(len(words), 3 * _MAX_ABBREVIATION) + 1):
        long = " ".join(words[1:end])
        if _long_form(words[0], words[1:end]) == long:
            yield _singular(words[0]), long
            return


def _words(text: str) -> list[str]:
    return [word for word in (part.strip(_MARKS) for part in text.split()) if word]


def _is_abbreviation(word: str) -> bool:
    letters = _singular(word)
    return 2 <= len(letters) <= _MAX_ABBREVIATION and letters.isalpha() and letters.isupper()


def _singular(word: str) -> str:
    return word[:-1] if word[-1:] == "s" and word[:-1].isupper() else word


def _long_form(short: str, words: Sequence[str]) -> str:
    """The last words whose initials spell `short`; small words may stand between them, hyphens part words."""
    letters = list(_singular(short).lower())
    taken: list[str] = []
    for word in islice(reversed(words), 3 * _MAX_ABBREVIATION):
        initials = [part[0].lower() for part in word.split("-") if part]
        if letters[-len(initials) :] == initials:
            del letters[-len(initials) :]
        elif not taken or word.lower() not in _SHORT:
            return ""
        taken.append(word)
        if not letters:
            return " ".join(reversed(taken))
    return ""
