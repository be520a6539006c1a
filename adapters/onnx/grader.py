"""The shipped grader: a cross-encoder that reads question and passage together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from tokenizers import Encoding

from adapters.local_model import LocalModel
from adapters.onnx.network import ADVICE, Floats, Network, batches
from crag.errors import ModelError
from crag.types import Judgement

MAX_TOKENS = 224
QUESTION_TOKENS = 96
"""What a question may take of them; the rest, at least 125, is the passage's."""
UNREADABLE = "the model gave no number"
CONTROL = 0.3
"""What the model may give an empty passage. A question that repeats its own words can reach .93 with any passage, the
empty one too, because the model takes the repetition for the answer; of 857 real questions (ClapNQ, NoMIRACL) .7 % are
above this. What the empty passage has more than this, in log-odds, is taken off every passage of the question."""
REMEMBERED = 64
"""Questions whose empty passage isn't graded again: a question's passages come in several calls."""


class OnnxGrader(LocalModel[Network]):
    """(question, passage) -> probability. Open it with `async with`: that loads and warms it. Only the passage is cut
    at `max_tokens` (config.json, else 224); a question of more than 96 tokens is cut there.

    `config.json` may name the `head`, what the graph's first output is: "logit" (one number a pair: sigmoid), "logits"
    (two: softmax, the second is "yes") or "probability" (taken as it is). Without it, the output's shape decides.
    `batch_tokens` is how many tokens, padding included, are computed at once; 1 means each pair alone. An int8 network
    shares its scales over a batch, so that in company a score moves by up to .14 (mean .01); alone it is always the
    same, for 4 % more CPU time with passages of 110 tokens and 15 % with strips of 30. More than 512 is slower.
    """

    service = "grading model"

    def __init__(self, directory: Path, *, threads: int, batch_tokens: int, max_tokens: int | None = None) -> None:
        super().__init__()
        self._directory = directory
        self._threads = threads
        self._batch_tokens = batch_tokens
        self._max_tokens = max_tokens
        self._controls: dict[str, np.float32] = {}

    async def grade(self, question: str, passages: Sequence[str]) -> Sequence[Judgement]:
        if not passages:
            return []
        scores = await self._run(lambda network, stop: self._scores(network, question, passages, stop))
        return [Judgement(score) if score == score else Judgement(None, UNREADABLE) for score in scores.tolist()]

    def _load(self) -> Network:
        network = Network.load(self._directory, threads=self._threads, service=f"the {self.service}")
        self._scores(network, "warm?", ["warm " * 100, "warm"], Event())
        return network

    def _scores(self, network: Network, question: str, passages: Sequence[str], stop: Event) -> Floats:
        """One probability a passage, NaN where there is none; ends between two batches when nobody waits any more."""
        pairs = self._pairs(network, question, passages)
        scores = np.full(len(pairs), np.nan, np.float32)
        for batch in batches(pairs, self._batch_tokens):
            if stop.is_set():
                break
            scores[batch] = probabilities(network.run([pairs[at] for at in batch]), network.config)
        return controlled(scores, self._control(network, question))

    def _control(self, network: Network, question: str) -> np.float32:
        """The score of the empty passage, computed alone: it must not depend on which passages came first. Only the
        model's own thread comes here."""
        if question not in self._controls:
            output = network.run(self._pairs(network, question, [""]))
            self._controls[question] = probabilities(output, network.config)[0]
            for oldest in list(self._controls)[:-REMEMBERED]:
                del self._controls[oldest]
        return self._controls[question]

    def _pairs(self, network: Network, question: str, passages: Sequence[str]) -> list[Encoding]:
        limit = self._max_tokens or int(network.config.get("max_tokens", MAX_TOKENS))
        limit -= network.tokenizer.num_special_tokens_to_add(True)
        asked = network.encode(question, min(QUESTION_TOKENS, limit // 2))
        room = limit - len(asked.ids)
        return [network.tokenizer.post_process(asked, network.encode(passage, room)) for passage in passages]


def probabilities(output: Floats, config: Mapping[str, Any]) -> Floats:
    """Any head's output, [batch] or [batch, classes], as P("the passage answers"). NaN stays. Raises ModelError where
    the head is unknown or its numbers are no probabilities."""
    columns = output.reshape(len(output), -1).astype(np.float32)
    classes = columns.shape[1]
    head = config.get("head") or {1: "logit", 2: "logits"}.get(classes, "")
    if head not in HEADS or classes not in HEADS[head][0]:
        message = f'The grading model gives {classes} numbers a pair (head "{head}"), which is no probability.'
        raise ModelError(message, advice=f'Set "head" in its config.json to one of {", ".join(HEADS)}. {ADVICE}')
    scores = HEADS[head][1](columns)
    if np.any((scores < 0) | (scores > 1)):
        message = f'The grading model gave numbers outside 0..1, though its config.json says "head": "{head}".'
        raise ModelError(message, advice='Set "head" to "logit" there.')
    return scores


def controlled(scores: Floats, empty: np.float32) -> Floats:
    """The scores without what the question alone brings: `empty` is the score of the empty passage."""
    if not empty > CONTROL:
        return scores
    return _sigmoid(_logit(scores) - _logit(empty) + _logit(np.float32(CONTROL)))


def _logit(scores: Floats | np.float32) -> Floats:
    inside = np.clip(np.asarray(scores, np.float64), 1e-9, 1 - 1e-9)
    odds: Floats = np.log(inside / (1 - inside)).astype(np.float32)
    return odds


def _sigmoid(logits: Floats) -> Floats:
    scores: Floats = (0.5 * (1.0 + np.tanh(0.5 * logits))).astype(np.float32)
    return scores


HEADS: Mapping[str, tuple[tuple[int, ...], Callable[[Floats], Floats]]] = {
    "logit": ((1,), lambda columns: _sigmoid(columns[:, 0])),
    "logits": ((2,), lambda columns: _sigmoid(columns[:, 1] - columns[:, 0])),
    "probability": ((1, 2), lambda columns: columns[:, -1]),
}
"""Name -> how many numbers a pair it may have, and how they become one probability."""
