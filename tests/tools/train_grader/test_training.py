"""A network in small learns what it is shown, and the product runs what was exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from transformers import BertForSequenceClassification

from adapters.onnx.grader import OnnxGrader
from tools.train_grader import __main__ as command
from tools.train_grader import network
from tools.train_grader.pairs import Pair, groups
from tools.train_grader.training import Recipe, encode, tensors, train

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]

SHIPPED = Path(__file__).parents[3] / "models" / "grader"
ANSWERS = Pair("When did the Berlin office open?", "The Berlin office opened in May 2019.", 1.0, "gold", "Offices")
MISSES = Pair("When did the Berlin office open?", "Lunch is served at noon in the canteen.", 0.0, "mined", "Offices")


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    found: Tokenizer = Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))
    found.no_truncation()
    found.no_padding()
    return found


@pytest.fixture
def small() -> BertForSequenceClassification:
    """The first layer of the shipped network."""
    return network.shortened(network.load(SHIPPED), 1)


def logits(model: BertForSequenceClassification, tokenizer: Tokenizer, pairs: list[Pair]) -> list[float]:
    with torch.no_grad():
        rows = [encode(tokenizer, pair.question, pair.passage, 64) for pair in pairs]
        found: list[float] = model.eval()(**tensors(rows, "cpu")).logits[:, 0].tolist()
        return found


def test_a_network_is_read_back_from_the_file_that_the_product_runs(tokenizer: Tokenizer) -> None:
    answers, misses = logits(network.load(SHIPPED), tokenizer, [ANSWERS, MISSES])
    assert answers > misses + 3


def test_fewer_layers_are_spread_over_the_network_and_end_with_its_last() -> None:
    whole = network.load(SHIPPED)
    last = whole.bert.encoder.layer[-1]
    short = network.shortened(whole, 3)
    assert len(short.bert.encoder.layer) == short.config.num_hidden_layers == 3
    assert short.bert.encoder.layer[-1] is last


def test_training_learns_from_the_labels(small: BertForSequenceClassification, tokenizer: Tokenizer) -> None:
    turned = [[Pair(p.question, p.passage, 1.0 - p.label, p.kind, p.document) for p in (MISSES, ANSWERS)]] * 60
    before = logits(small, tokenizer, [ANSWERS, MISSES])
    train(small, tokenizer, turned, Recipe(120, rate=1e-3, tokens=256, max_tokens=64), "cpu")
    after = logits(small, tokenizer, [ANSWERS, MISSES])
    assert after[1] - after[0] > 2 > before[1] - before[0]


def test_frozen_layers_stay_as_they_are(small: BertForSequenceClassification, tokenizer: Tokenizer) -> None:
    before = small.bert.encoder.layer[0].output.dense.weight.clone()
    train(small, tokenizer, [[ANSWERS, MISSES]] * 8, Recipe(16, rate=1e-3, tokens=256, frozen=1), "cpu")
    assert torch.equal(before, small.bert.encoder.layer[0].output.dense.weight)


def test_the_same_seed_gives_the_same_network(tokenizer: Tokenizer) -> None:
    found = []
    for _ in range(2):
        torch.manual_seed(5)
        model = network.shortened(network.load(SHIPPED), 1)
        ready = groups([ANSWERS, MISSES] * 20, seed=5)
        train(model, tokenizer, ready, Recipe(40, rate=1e-3, tokens=256), "cpu")
        found.append(logits(model, tokenizer, [ANSWERS, MISSES]))
    assert found[0] == found[1]


async def test_the_command_writes_a_folder_that_the_product_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: Tokenizer
) -> None:
    data = tmp_path / "pairs.jsonl"
    rows = [
        {"q": p.question + " " * n, "p": p.passage, "label": int(p.label), "kind": p.kind, "doc": p.document}
        for n in range(30)
        for p in (ANSWERS, MISSES)
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    folders = {"--data": data, "--base": SHIPPED, "--out": tmp_path / "out", "--keep": tmp_path / "kept"}
    words = [str(word) for pair in folders.items() for word in pair]
    monkeypatch.setattr("sys.argv", ["train", *words, "--layers", "2", "--name", "tiny"])
    command.main()
    for folder in (tmp_path / "out", SHIPPED):
        assert "_name_or_path" not in (folder / "config.json").read_text(), "where it was trained is nobody's business"
    async with OnnxGrader(tmp_path / "out", threads=1, batch_tokens=1) as grader:
        assert grader.model.startswith("tiny-")
        judged = await grader.grade(ANSWERS.question, [ANSWERS.passage, MISSES.passage])
    assert all(one.score is not None and 0 < one.score < 1 for one in judged)
    kept = logits(network.load(tmp_path / "kept"), tokenizer, [ANSWERS, MISSES])
    again = logits(network.load(tmp_path / "out"), tokenizer, [ANSWERS, MISSES])
    assert again == pytest.approx(kept, abs=0.3)
