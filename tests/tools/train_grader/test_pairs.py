"""What the grader is trained on: near-misses that differ from an answer in one name or one number."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tools.train_grader.pairs import Pair, groups, read, swapped

BERLIN = Pair("When did the Berlin office open?", "The Berlin office opened in 2019.", 1.0, "gold", "Offices")
LISBON = Pair("Who runs the Lisbon office?", "In Portugal, the Lisbon office is run by Ana.", 1.0, "gold", "Offices")
YEAR = Pair("what did the fee cost in 1987?", "in 1987 the fee was 40 euros.", 1.0, "gold", "fees")
OTHER = Pair("When did the Berlin office open?", "Lunch is at noon.", 0.0, "mined", "Offices")


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs.jsonl.gz"])
def test_pairs_are_read_packed_or_not(tmp_path: Path, name: str) -> None:
    text = json.dumps({"q": "Why?", "p": "Because.", "label": 1, "kind": "gold", "src": "a", "doc": "b"}) + "\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    assert read(path) == [Pair("Why?", "Because.", 1.0, "gold", "b")]


def test_a_swapped_name_makes_a_passage_that_does_not_answer() -> None:
    made = [one for seed in range(20) for one in swapped([BERLIN, LISBON], seed=seed)]
    misses = [one for one in made if one.kind == "name_swapped"]
    assert misses
    for miss in misses:
        assert miss.label == 0.0
        asked = "Berlin" in miss.question, "Lisbon" in miss.question
        assert asked != ("Berlin" in miss.passage, "Lisbon" in miss.passage)


def test_a_name_that_moves_in_question_and_passage_alike_still_has_its_answer() -> None:
    moved = [one for seed in range(20) for one in swapped([BERLIN, LISBON], seed=seed) if one.kind == "name_moved"]
    assert moved
    assert all(one.label == 1.0 for one in moved)
    assert all(("Berlin" in one.question) == ("Berlin" in one.passage) for one in moved)


def test_a_swapped_number_is_another_number() -> None:
    made = [one for seed in range(10) for one in swapped([YEAR], seed=seed)]
    assert {one.kind for one in made} == {"number_swapped"}
    assert all(("1987" in one.question) != ("1987" in one.passage) for one in made)


def test_a_question_comes_once_with_its_answer_first_and_the_hardest_others() -> None:
    found = groups([BERLIN, OTHER, LISBON, YEAR], seed=3, negatives=1)
    berlin = [group for group in found if group[0].question == BERLIN.question]
    assert len(berlin) == 1
    assert [pair.label for pair in berlin[0]] == [1.0, 0.0]


def test_the_same_seed_draws_the_same_and_another_one_something_else() -> None:
    many = [
        Pair(f"What is Item {n} of Berlin?", f"For Item {n}, Berlin has {n}.", 1.0, "gold", "List") for n in range(40)
    ]
    assert groups(many, seed=1) == groups(many, seed=1)
    assert groups(many, seed=1) != groups(many, seed=2)


def test_a_title_stands_before_some_passages_of_its_document() -> None:
    many = [Pair("why " * n, "so it is", 1.0, "gold", "New_York") for n in range(1, 61)]
    titled = [group[0].passage.startswith("New York\n") for group in groups(many, seed=1)]
    assert 15 < sum(titled) < 45
