"""Training pairs: read, grouped by question, and made harder.

A row of the data is `{"q": question, "p": passage, "label": 0 or 1, "kind": ..., "doc": ...}`, in `.jsonl` or
`.jsonl.gz`. What is added to it: near-misses made by swapping a name or a number, and the document's title before a
passage, as the product's passages have it.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

CONFUSED = "confused"
"""The kind of a pair whose passage the embedder takes for an answer (`mining`)."""
TITLED = ("gold", "ablated", "same_doc", "swapped", "name_swapped", "number_swapped", CONFUSED)
"""Kinds whose passage comes from the row's own document."""
NAME = re.compile(r"(?<![.?!:]\s)(?<!^)\b[A-Z][a-z]+(?:\s+(?:of\s+|the\s+)?[A-Z][a-z]+)*\b")
NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,]?\d)")


@dataclass(frozen=True, slots=True)
class Pair:
    """One example. `label` is 1.0 where the passage answers the question."""

    question: str
    passage: str
    label: float
    kind: str
    document: str


def read(path: Path) -> list[Pair]:
    """All rows of a file. Raises KeyError or ValueError for a row that isn't one."""
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
    with opened as stream:
        rows = [json.loads(line) for line in stream if line.strip()]
    return [
        Pair(row["q"], row["p"], float(row["label"]), row.get("kind", ""), row.get("doc") or row.get("src", ""))
        for row in rows
    ]


def groups(pairs: Sequence[Pair], *, seed: int, negatives: int = 2) -> list[list[Pair]]:
    """One list a question, its answering passage first, then at most `negatives` others, swapped ones first, then all
    that the embedder takes for an answer. Questions with a swapped passage and others take turns, as long as there are
    both: who trains on a part sees many near-misses. Questions with nothing but negatives keep one of them."""
    chance = random.Random(seed)
    by_question: dict[str, list[Pair]] = defaultdict(list)
    for pair in [*pairs, *swapped(pairs, seed=seed)]:
        by_question[pair.question].append(pair)
    out = []
    for own in by_question.values():
        chance.shuffle(own)
        good = [pair for pair in own if pair.label][:1]
        near = [pair for pair in own if pair.kind == CONFUSED]
        bad = sorted((p for p in own if not p.label and p.kind != CONFUSED), key=lambda pair: _hardness(pair, chance))
        out.append([_titled(pair, chance) for pair in [*good, *bad[: negatives if good else 1], *near]])
    chance.shuffle(out)
    swaps = [group for group in out if _swapped(group)]
    rest = [group for group in out if not _swapped(group)]
    both = [group for two in zip(swaps, rest, strict=False) for group in two]
    return [*both, *swaps[len(both) // 2 :], *rest[len(both) // 2 :]]


def swapped(pairs: Sequence[Pair], *, seed: int) -> Iterator[Pair]:
    """Near-misses: the answering passage under another name than the question's, or with another number."""
    chance = random.Random(seed + 1)
    names: dict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        if pair.label:
            names[pair.document].extend(NAME.findall(pair.passage))
    for pair in pairs:
        if pair.label:
            yield from _name_swapped(pair, names[pair.document], chance)
            yield from _number_swapped(pair, chance)


def _name_swapped(pair: Pair, known: Sequence[str], chance: random.Random) -> Iterator[Pair]:
    shared = [name for name in NAME.findall(pair.question) if name in pair.passage]
    if not shared:
        return
    name = chance.choice(shared)
    others = [one for one in known if one not in pair.passage and one not in pair.question and one.count(" ") < 3]
    if not others:
        return
    other = chance.choice(others)
    if chance.random() < 0.5:
        yield replace(pair, passage=pair.passage.replace(name, other), label=0.0, kind="name_swapped")
    else:
        question = pair.question.replace(name, other)
        yield replace(pair, question=question, label=0.0, kind="name_swapped")
        elsewhere = pair.passage.replace(name, other)
        yield replace(pair, question=question, passage=elsewhere, kind="name_moved")


def _number_swapped(pair: Pair, chance: random.Random) -> Iterator[Pair]:
    shared = [number for number in NUMBER.findall(pair.question) if number in pair.passage]
    if not shared:
        return
    number = chance.choice(shared)
    step = chance.randint(1, max(2, int(number) // 10 if len(number) < 4 else 20))
    other = str(int(number) + chance.choice([-1, 1]) * step)
    if other in pair.passage or other.startswith("-"):
        return
    pattern = re.compile(rf"(?<!\d){number}(?!\d)")
    if chance.random() < 0.5:
        yield replace(pair, passage=pattern.sub(other, pair.passage), label=0.0, kind="number_swapped")
    else:
        yield replace(pair, question=pattern.sub(other, pair.question), label=0.0, kind="number_swapped")


def _swapped(group: Sequence[Pair]) -> bool:
    return any(pair.kind.endswith(("swapped", "moved")) for pair in group)


def _hardness(pair: Pair, chance: random.Random) -> tuple[int, float]:
    order = ("name_swapped", "number_swapped", "swapped", "ablated", "same_doc")
    return order.index(pair.kind) if pair.kind in order[:3] else 3, chance.random()


def _titled(pair: Pair, chance: random.Random) -> Pair:
    """Half of the passages get their document's title as a first line, where the document's name is one."""
    title = pair.document.replace("_", " ").replace("%E2%80%93", "-")
    plain = re.fullmatch(r"[A-Za-z][A-Za-z ,'()-]+", title) and not title.startswith("Title ")
    if pair.kind not in TITLED or not plain or chance.random() < 0.5:
        return pair
    return replace(pair, passage=f"{title}\n{pair.passage}")
