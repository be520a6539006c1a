"""Which passages the grader learns to refuse although the embedder likes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tools.train_grader.mining import confused, embedded
from tools.train_grader.pairs import CONFUSED, Pair, groups

SHIPPED = Path(__file__).parents[3] / "models" / "embedder"
BERLIN = Pair("When did the Berlin office open?", "The Berlin office opened in 2019.", 1.0, "gold", "Offices")
LEASE = Pair("When did the Berlin office open?", "The Berlin office's lease ends in 2030.", 0.0, "same_doc", "Offices")
LISBON = Pair("Who runs the Lisbon office?", "Ana runs the Lisbon office.", 1.0, "gold", "People")
LUNCH = Pair("What is for lunch?", "Lunch is soup.", 1.0, "gold", "Canteen")
PAIRS = [BERLIN, LEASE, LISBON, LUNCH]


def test_the_nearest_passages_of_other_documents_are_taken() -> None:
    found = confused(PAIRS, *embedded(PAIRS, SHIPPED, threads=1), each=1)
    berlin = next(pair for pair in found if pair.question == BERLIN.question)
    assert (berlin.passage, berlin.document, berlin.label) == (LISBON.passage, "People", 0.0)
    assert all(pair.kind == CONFUSED for pair in found)


def test_no_passage_of_an_answering_document_is_taken_however_near() -> None:
    rows = {text: n for n, text in enumerate(dict.fromkeys(t for p in PAIRS for t in (p.question, p.passage)))}
    alike = np.ones((len(rows), 4), np.float32)
    found = confused(PAIRS, rows, alike, alike, each=9)
    assert {pair.passage for pair in found if pair.question == BERLIN.question} == {LISBON.passage, LUNCH.passage}


def test_they_come_beside_a_questions_other_passages() -> None:
    near = [Pair(BERLIN.question, f"Passage {n}.", 0.0, CONFUSED, "People") for n in range(2)]
    group = next(g for g in groups([*PAIRS, *near], seed=1, negatives=1) if g[0].question == BERLIN.question)
    assert [pair.label for pair in group] == [1.0, 0.0, 0.0, 0.0]
    assert [pair.kind for pair in group[2:]] == [CONFUSED, CONFUSED]
