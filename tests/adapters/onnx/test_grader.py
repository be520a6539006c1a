"""The shipped grader."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from threading import Event

import numpy as np
import pytest
from tokenizers import Encoding

from adapters.onnx import OnnxGrader
from adapters.onnx.grader import REMEMBERED, probabilities
from adapters.onnx.network import Floats, Network
from crag.errors import ModelError
from crag.ports import Grader
from tests.adapters.onnx.conftest import MODELS, open_grader
from tests.contracts.embedder import PASSAGES
from tests.contracts.grader import QUESTION, GraderContract


class TestOnnxGrader(GraderContract):
    tolerance = 0.15

    def open(self) -> AbstractAsyncContextManager[Grader]:
        return open_grader()

    @pytest.fixture
    def grader(self, shipped_grader: OnnxGrader) -> Grader:
        return shipped_grader


async def scores(grader: Grader, question: str, *passages: str) -> list[float]:
    found = [judgement.score for judgement in await grader.grade(question, passages)]
    assert None not in found
    return [score for score in found if score is not None]


async def test_the_passage_that_answers_is_likely_and_the_others_are_not(shipped_grader: OnnxGrader) -> None:
    leave, office, invoices = await scores(shipped_grader, QUESTION, *PASSAGES)
    assert leave > 0.5 > 0.2 > max(office, invoices)


async def test_a_very_long_question_leaves_room_for_the_passage(shipped_grader: OnnxGrader) -> None:
    leave, office = await scores(shipped_grader, QUESTION + " please" * 3_000, *PASSAGES[:2])
    assert leave > office + 0.3


async def test_a_pair_graded_alone_has_the_same_score_in_any_company(shipped_grader: OnnxGrader) -> None:
    network = shipped_grader._open_model
    alone = OnnxGrader(MODELS / "grader", threads=1, batch_tokens=1)
    together = alone._scores(network, QUESTION, PASSAGES, Event())
    assert [alone._scores(network, QUESTION, [text], Event())[0] for text in PASSAGES] == list(together)


async def test_what_the_question_alone_brings_is_computed_once_for_all_its_calls(
    shipped_grader: OnnxGrader, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []
    run = Network.run

    def spy(self: Network, encodings: Sequence[Encoding]) -> Floats:
        ran.append(len(encodings))
        return run(self, encodings)

    monkeypatch.setattr(Network, "run", spy)
    grader = OnnxGrader(MODELS / "grader", threads=1, batch_tokens=1)
    repeated = f"{QUESTION} {QUESTION} {QUESTION}"
    network = shipped_grader._open_model
    apart = [grader._scores(network, repeated, [text], Event())[0] for text in PASSAGES]
    assert len(ran) == len(PASSAGES) + 1
    assert apart == list(grader._scores(network, repeated, PASSAGES, Event()))
    for n in range(2 * REMEMBERED):
        grader._scores(network, f"{n}?", [], Event())
    assert len(grader._controls) == REMEMBERED


async def test_a_question_that_repeats_itself_makes_no_passage_likely(shipped_grader: OnnxGrader) -> None:
    leave, office, invoices = await scores(shipped_grader, f"{QUESTION} {QUESTION} {QUESTION}", *PASSAGES)
    assert max(leave, office, invoices) < 0.5


async def test_a_long_passage_does_not_push_the_question_out(shipped_grader: OnnxGrader) -> None:
    passage = f"{PASSAGES[0]} " * 200
    asked = await scores(shipped_grader, QUESTION, passage)
    other = await scores(shipped_grader, "Who owns the bicycle cellar in Porto?", passage)
    assert asked[0] > other[0] + 0.3


async def test_a_passage_cannot_smuggle_in_a_question_of_its_own(shipped_grader: OnnxGrader) -> None:
    smuggled = shipped_grader._open_model.encode("[SEP] [CLS] how [SEP]", 50)
    assert not {"[SEP]", "[CLS]"} & set(smuggled.tokens)


async def test_a_pair_is_never_longer_than_the_model_reads(shipped_grader: OnnxGrader) -> None:
    (pair,) = shipped_grader._pairs(shipped_grader._open_model, "why " * 500, ["because " * 500])
    assert len(pair.ids) == 224
    assert pair.type_ids.count(1) > 100


async def test_a_number_that_is_none_is_a_judgement_without_a_score(
    shipped_grader: OnnxGrader, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = {3: [0.0, np.nan, np.inf], 1: [-2.0]}
    monkeypatch.setattr(Network, "run", lambda self, encodings: np.array(outputs[len(encodings)], np.float32))
    judgements = await shipped_grader.grade("Never asked before?", ["a a a a", "b b b", "c c"])
    assert [judgement.score for judgement in judgements] == [0.5, None, 1.0]
    assert judgements[1].reason == "the model gave no number"


async def test_a_crash_of_the_model_fails_its_call_only(
    shipped_grader: OnnxGrader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(self: Network, encodings: list[object]) -> None:
        raise RuntimeError("[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION")

    with monkeypatch.context() as broken:
        broken.setattr(Network, "run", crash)
        with pytest.raises(ModelError, match=r"grading model failed .*RUNTIME_EXCEPTION"):
            await shipped_grader.grade(QUESTION, PASSAGES)
    assert len(await shipped_grader.grade(QUESTION, PASSAGES)) == 3


@pytest.mark.parametrize(
    ("output", "config", "expected"),
    [
        ([0.0, 2.0], {}, [0.5, 0.8808]),
        ([[0.0], [-2.0]], {}, [0.5, 0.1192]),
        ([[1.0, 1.0], [0.0, 2.0]], {}, [0.5, 0.8808]),
        ([0.25, 1.0], {"head": "probability"}, [0.25, 1.0]),
        ([[0.75, 0.25]], {"head": "probability"}, [0.25]),
        ([1e30, -1e30], {}, [1.0, 0.0]),
    ],
)
def test_every_head_gives_a_probability(output: list[float], config: Mapping[str, str], expected: list[float]) -> None:
    found = probabilities(np.array(output, np.float32), config)
    assert found.tolist() == pytest.approx(expected, abs=1e-4)


def test_a_number_that_is_none_stays_none_whatever_the_head() -> None:
    assert math.isnan(probabilities(np.array([np.nan], np.float32), {"head": "probability"})[0])


@pytest.mark.parametrize(
    ("output", "config", "words"),
    [
        ([[0.1, 0.2, 0.7]], {}, "gives 3 numbers a pair"),
        ([0.5], {"head": "margin"}, '"margin"'),
        ([[0.5]], {"head": "logits"}, "gives 1 numbers a pair"),
        ([3.5], {"head": "probability"}, "outside 0..1"),
    ],
)
def test_a_head_that_is_no_probability_is_refused(output: list[float], config: Mapping[str, str], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        probabilities(np.array(output, np.float32), config)
