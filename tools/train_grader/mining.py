"""Passages that the embedder takes for the answer and that aren't: what a grader meets after a search."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adapters.onnx.embedder import OnnxEmbedder
from tools.train_grader.pairs import CONFUSED, Pair

Vectors = NDArray[np.float32]
LOOKED_AT = 60
"""How many of a question's nearest passages are looked through for some of other documents."""


def embedded(pairs: Sequence[Pair], embedder: Path, *, threads: int) -> tuple[Mapping[str, int], Vectors, Vectors]:
    """`(row of each text, questions' vectors, passages' vectors)`: both arrays have a row for each text, (texts, 384),
    zero where a text isn't of that kind. About 40 passages a second on two cores."""
    return asyncio.run(_embedded(pairs, embedder, threads))


async def _embedded(pairs: Sequence[Pair], folder: Path, threads: int) -> tuple[Mapping[str, int], Vectors, Vectors]:
    asked = dict.fromkeys(pair.question for pair in pairs if pair.label)
    said = dict.fromkeys(pair.passage for pair in pairs)
    rows = {text: n for n, text in enumerate(dict.fromkeys([*asked, *said]))}
    async with OnnxEmbedder(folder, threads=threads) as embedder:
        questions, passages = (np.zeros((len(rows), embedder.dimension), np.float32) for _ in range(2))
        for text in asked:
            questions[rows[text]] = await embedder.embed_query(text)
        for text in said:
            passages[rows[text]] = (await embedder.embed_passages([text]))[0]
    return rows, questions, passages


def confused(
    pairs: Sequence[Pair], rows: Mapping[str, int], questions: Vectors, passages: Vectors, *, each: int
) -> list[Pair]:
    """For each answered question the `each` nearest passages of documents that don't answer it, as pairs with label 0.
    The answering documents' own passages are left to the data: there nobody knows which of them answer too."""
    documents: dict[str, set[str]] = defaultdict(set)
    answers: dict[str, set[str]] = defaultdict(set)
    first: dict[str, Pair] = {}
    for pair in pairs:
        documents[pair.passage].add(pair.document)
        if pair.label:
            answers[pair.question].add(pair.passage)
            first.setdefault(pair.question, pair)
    said = list(documents)
    matrix = passages[[rows[text] for text in said]]
    nearest = _nearest(matrix, questions[[rows[question] for question in first]])
    out = []
    for (question, pair), near in zip(first.items(), nearest, strict=True):
        own = {document for passage in answers[question] for document in documents[passage]}
        others = [said[n] for n in near if not documents[said[n]] & own][:each]
        out += [
            replace(pair, passage=passage, label=0.0, kind=CONFUSED, document=min(documents[passage]))
            for passage in others
        ]
    return out


def _nearest(passages: Vectors, questions: Vectors) -> Iterator[NDArray[np.int64]]:
    """For each question, the rows of its nearest passages, nearest first."""
    many = min(LOOKED_AT, len(passages))
    for start in range(0, len(questions), 256):
        cosines = questions[start : start + 256] @ passages.T
        found = np.argpartition(-cosines, many - 1, axis=1)[:, :many]
        for row, own in zip(cosines, found, strict=True):
            yield own[np.argsort(-row[own], kind="stable")]
