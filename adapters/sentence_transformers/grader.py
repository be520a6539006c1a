"""Any sentence-transformers CrossEncoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Event
from typing import Any

import numpy as np
import torch
from sentence_transformers import CrossEncoder

from adapters.local_model import LocalModel
from adapters.sentence_transformers.weights import Weights, fingerprint, load, readable
from crag.errors import ModelError
from crag.types import Judgement

BATCH = 8
"""Pairs computed at once; a call that nobody waits for any more ends between two batches."""

YES = ("relevant", "yes", "true", "positive", "answer", "answers", "supported", "entailment")
"""Names of the class that means "the passage answers"; entailment as in QNLI, whose pairs are question and sentence."""

UNREADABLE = "the model gave no number"

Loaded = Weights[CrossEncoder]


class CrossEncoderGrader(LocalModel[Loaded]):
    """Open it with `async with`: that loads and warms the model `name_or_path` on `device` ("cpu", "cuda", ...; None:
    what the library finds).

    The activation that the model's own config names is left out, so that the score is the same probability whatever it
    is: of one logit the sigmoid, of several classes the softmax of the one that means yes. A head whose yes can't be
    told is refused at opening. No passages never reach the model, nor do two calls at once
    (sentence-transformers #3465, #993, #1058).
    """

    service = "grading model"

    def __init__(self, name_or_path: str, *, device: str | None) -> None:
        super().__init__()
        self._name = name_or_path
        self._device = device
        self._yes = 0

    async def grade(self, question: str, passages: Sequence[str]) -> Sequence[Judgement]:
        if not passages:
            return []
        scores = await self._run(lambda model, stop: self._scores(model, question, passages, stop))
        return [Judgement(score) if score == score else Judgement(None, UNREADABLE) for score in scores.tolist()]

    def _load(self) -> Loaded:
        network = load(CrossEncoder, self._name, self._device, self.service)
        self._yes = _yes(self._name, network.config)
        model = Weights(fingerprint(self._name, network, network.max_seq_length, self._yes), network)
        self._scores(model, "warm?", ["warm"], Event())
        return model

    def _scores(self, model: Loaded, question: str, passages: Sequence[str], stop: Event) -> np.ndarray:
        """One probability a passage, NaN where there is none."""
        scores = np.full(len(passages), np.nan)
        order = sorted(range(len(passages)), key=lambda at: -len(passages[at]))
        for start in range(0, len(order), BATCH):
            if stop.is_set():
                break
            batch = order[start : start + BATCH]
            pairs = [(readable(question, model.network), readable(passages[at], model.network)) for at in batch]
            logits = model.network.predict(pairs, activation_fn=torch.nn.Identity(), show_progress_bar=False)
            scores[batch] = _probabilities(logits, self._yes)
        return scores


def _yes(name: str, config: Any) -> int:
    """The index of the class that means yes; 0 of one. Raises ModelError where the labels don't tell."""
    labels: Mapping[int, str] = config.id2label
    if len(labels) == 1:
        return 0
    named = [at for at, label in labels.items() if label.casefold() in YES]
    if len(named) == 1:
        return int(named[0])
    if len(labels) == 2 and all(label.startswith("LABEL_") for label in labels.values()):
        return 1
    message = f"The grading model {name!r} has the classes {', '.join(labels.values())}; which means yes can't be told."
    advice = f"Take a model with one score, or name the right class {YES[0]!r} in its config.json (id2label)."
    raise ModelError(message, advice=advice)


def _probabilities(logits: np.ndarray, yes: int) -> np.ndarray:
    """[pairs] or [pairs, classes] -> [pairs]."""
    columns = torch.as_tensor(logits, dtype=torch.float64).reshape(len(logits), -1)
    scores = columns[:, 0].sigmoid() if columns.shape[1] == 1 else columns.softmax(dim=1)[:, yes]
    probabilities: np.ndarray = scores.numpy()
    return probabilities
