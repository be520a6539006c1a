"""Questions with their candidate passages, from every set the calibration is measured on, in one shape.

Sources: NoMIRACL and ClapNQ (folders `nomiracl` and `clapnq` of the data folder, see its README), the grader's own
development pairs (`grader/dev.jsonl.gz`), and the team handbook of `examples/`, which `bench.handbook_pool` builds.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("BENCH_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


@dataclass(frozen=True, slots=True)
class Passage:
    """What a model reads of one chunk: `title` is its heading path, `text` what stands under it."""

    id: str
    title: str
    text: str

    @property
    def full(self) -> str:
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Pool:
    """One question with its candidates. `answerable` is the label of the whole set; `group` keeps questions that share
    passages in one fold; `fused` is the rank score of a hybrid search, empty where the set was not searched."""

    dataset: str
    id: str
    question: str
    passages: tuple[Passage, ...]
    answerable: bool
    group: str
    kind: str = ""
    split: str = "dev"
    fused: tuple[float, ...] = ()


def nomiracl(data: Path = DATA) -> list[Pool]:
    """Ten retrieved Wikipedia passages a question; the label says whether any of the ten answers it."""
    folder = data / "nomiracl"
    passages = {row["id"]: Passage(row["id"], row["title"], row["text"]) for row in _lines(folder / "passages.jsonl")}
    return [
        Pool(
            "nomiracl",
            row["id"],
            row["question"],
            tuple(passages[p] for p in row["top10"]),
            row["answerable"],
            row["id"],
        )
        for row in _lines(folder / "questions.jsonl")
    ]


def clapnq(data: Path = DATA) -> list[Pool]:
    """One passage a question: the gold one, or - where nobody found an answer - the nearest miss of the same page."""
    folder = data / "clapnq"
    passages = {row["id"]: Passage(row["id"], row["title"], row["text"]) for row in _lines(folder / "passages.jsonl")}
    return [
        Pool("clapnq", row["id"], row["question"], (passages[row["passage_id"]],), row["answerable"], row["id"])
        for row in _lines(folder / "questions.jsonl")
    ]


def grader_pairs(data: Path = DATA, share: float = 0.4) -> list[Pool]:
    """Development pairs of the grader's training set, one passage each, grouped by question: the `share` of the
    questions whose hash says so, as a few features need no more."""
    return [
        Pool(
            "pairs",
            f"pair-{number}",
            row["q"],
            (Passage(f"pair-{number}", "", row["p"]),),
            bool(row["label"]),
            row["q"],
            kind=f"{row['src'].split(':')[0]}/{row['kind']}",
        )
        for number, row in enumerate(_lines(data / "grader" / "dev.jsonl.gz"))
        if int(hashlib.sha256(row["q"].encode()).hexdigest()[:8], 16) < share * 0xFFFFFFFF
    ]


def fingerprint(pools: list[Pool]) -> str:
    """SHA-256 (first 16 hex digits) of everything a fit can see."""
    digest = hashlib.sha256()
    for pool in pools:
        digest.update(f"{pool.dataset}\0{pool.id}\0{pool.question}\0{pool.answerable}\0".encode())
        for passage in pool.passages:
            digest.update(passage.full.encode())
    return digest.hexdigest()[:16]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            yield from map(json.loads, stream)
    else:
        with path.open(encoding="utf-8") as stream:
            yield from map(json.loads, stream)
