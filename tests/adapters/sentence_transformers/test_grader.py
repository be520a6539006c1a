"""Any sentence-transformers CrossEncoder, whatever its head."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import torch
from sentence_transformers import CrossEncoder

from adapters.sentence_transformers import CrossEncoderGrader
from crag.errors import ModelError
from crag.ports import Grader
from tests.adapters.sentence_transformers import tiny
from tests.contracts.embedder import PASSAGES
from tests.contracts.grader import QUESTION, GraderContract

pytestmark = pytest.mark.torch

HEADS: dict[str, Callable[[Path], str]] = {
    "logit": lambda path: tiny.cross_encoder(path, {0: "LABEL_0"}, torch.nn.Identity()),
    "sigmoid by config": lambda path: tiny.cross_encoder(path, {0: "LABEL_0"}, torch.nn.Sigmoid()),
    "two classes": lambda path: tiny.cross_encoder(path, {0: "LABEL_0", 1: "LABEL_1"}),
    "named classes": lambda path: tiny.cross_encoder(path, {0: "entailment", 1: "not_entailment"}),
    "three classes": lambda path: tiny.cross_encoder(path, {0: "off-topic", 1: "near", 2: "relevant"}),
}


@pytest.fixture(scope="module", params=list(HEADS.values()), ids=list(HEADS))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    build: Callable[[Path], str] = request.param
    return build(tmp_path_factory.mktemp("models") / "tiny")


class TestCrossEncoderGrader(GraderContract):
    folder: str

    @pytest.fixture(autouse=True)
    def _tiny(self, folder: str) -> None:
        self.folder = folder

    def open(self) -> AbstractAsyncContextManager[Grader]:
        return CrossEncoderGrader(self.folder, device="cpu")


async def score(folder: str, passage: str) -> float:
    async with CrossEncoderGrader(folder, device="cpu") as grader:
        (judgement,) = await grader.grade(QUESTION, [passage])
    assert judgement.score is not None
    return judgement.score


async def test_a_logit_gives_the_same_probability_with_and_without_a_sigmoid_in_the_config(tmp_path: Path) -> None:
    plain, squashed = HEADS["logit"](tmp_path / "plain"), HEADS["sigmoid by config"](tmp_path / "squashed")
    raw = float(CrossEncoder(plain, device="cpu").predict([(QUESTION, PASSAGES[0])])[0])
    assert not 0 <= raw <= 1
    assert await score(plain, PASSAGES[0]) == pytest.approx(1 / (1 + math.exp(-raw)), abs=1e-5)
    assert await score(squashed, PASSAGES[0]) == pytest.approx(1 / (1 + math.exp(-raw)), abs=1e-5)


@pytest.mark.parametrize(("head", "yes"), [("two classes", 1), ("named classes", 0), ("three classes", 2)])
async def test_the_class_that_means_yes_is_taken(tmp_path: Path, head: str, yes: int) -> None:
    folder = HEADS[head](tmp_path / "tiny")
    softmax = CrossEncoder(folder, device="cpu").predict([(QUESTION, PASSAGES[0])], apply_softmax=True)[0]
    assert await score(folder, PASSAGES[0]) == pytest.approx(float(softmax[yes]), abs=1e-5)


async def test_classes_that_do_not_say_yes_are_refused_with_their_names(tmp_path: Path) -> None:
    folder = tiny.cross_encoder(tmp_path / "tiny", {0: "cold", 1: "warm", 2: "hot"})
    with pytest.raises(ModelError, match="cold, warm, hot") as caught:
        async with CrossEncoderGrader(folder, device="cpu"):
            pass
    assert "id2label" in caught.value.advice


async def test_a_model_that_cannot_be_loaded_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nowhere") as caught:
        async with CrossEncoderGrader(str(tmp_path / "nowhere"), device="cpu"):
            pass
    assert "give the path" in caught.value.advice


async def test_other_weights_have_another_fingerprint(tmp_path: Path) -> None:
    folder = HEADS["logit"](tmp_path / "tiny")
    async with CrossEncoderGrader(folder, device="cpu") as one:
        pass
    network = CrossEncoder(folder, device="cpu")
    network.model.classifier.bias.data += 0.5
    network.save(folder)
    async with CrossEncoderGrader(folder, device="cpu") as other:
        assert other.model != one.model


async def test_a_number_that_is_none_is_a_judgement_without_a_score(tmp_path: Path) -> None:
    async with CrossEncoderGrader(HEADS["logit"](tmp_path / "tiny"), device="cpu") as grader:
        grader._open_model.network.model.classifier.bias.data.fill_(float("nan"))
        (judgement,) = await grader.grade(QUESTION, [PASSAGES[0]])
    assert judgement.score is None
    assert judgement.reason == "the model gave no number"
