"""The shipped models' raw opinion of (question, passage) pairs, remembered in `.cache/` so that a fit takes seconds."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "bench"
PAIR_TOKENS, TEXT_TOKENS, BATCH, PORTION = 224, 512, 16, 640
Pair = tuple[str, str]


class Model:
    """One ONNX model with its tokenizer. `fingerprint` is the SHA-256 of the weights (first 12 hex digits)."""

    def __init__(self, folder: Path, max_tokens: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        self._session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(
            max_tokens, strategy="only_second" if max_tokens == PAIR_TOKENS else "longest_first"
        )
        self._tokenizer.no_padding()
        self.fingerprint = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()[:12]

    def run(self, inputs: Sequence[str] | Sequence[Pair]) -> NDArray[np.float32]:
        """One row an input, in order; computed in batches of like length."""
        encoded: list[Encoding] = self._tokenizer.encode_batch(list(inputs))
        order = sorted(range(len(encoded)), key=lambda at: len(encoded[at].ids))
        rows: dict[int, NDArray[np.float32]] = {}
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            for at, row in zip(batch, self._batch([encoded[at] for at in batch]), strict=True):
                rows[at] = row
        return np.array([rows[at] for at in range(len(encoded))], dtype=np.float32)

    def _batch(self, encoded: Sequence[Encoding]) -> NDArray[np.float32]:
        width = max(len(one.ids) for one in encoded)

        def padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
            return np.array([[*row, *[0] * (width - len(row))] for row in rows], dtype=np.int64)

        feed = {
            "input_ids": padded([one.ids for one in encoded]),
            "attention_mask": padded([one.attention_mask for one in encoded]),
            "token_type_ids": padded([one.type_ids for one in encoded]),
        }
        return np.asarray(self._session.run(None, feed)[0], dtype=np.float32)


def grader_logits(pairs: Sequence[Pair], folder: Path = ROOT / "models" / "grader") -> tuple[list[float], str]:
    """The cross-encoder's logit of each pair, and the model's fingerprint."""
    model = Model(folder, PAIR_TOKENS)
    return _remembered(pairs, model.fingerprint, lambda some: [float(x) for x in model.run(some).ravel()])


def cosines(pairs: Sequence[Pair], folder: Path = ROOT / "models" / "embedder") -> tuple[list[float], str]:
    """The embedder's cosine of each pair, and the model's fingerprint."""
    model = Model(folder, TEXT_TOKENS)

    def compute(some: Sequence[Pair]) -> list[float]:
        questions = list(dict.fromkeys(question for question, _ in some))
        passages = list(dict.fromkeys(passage for _, passage in some))
        asked = dict(zip(questions, model.run([f"query: {text}" for text in questions]), strict=True))
        found = dict(zip(passages, model.run([f"passage: {text}" for text in passages]), strict=True))
        return [float(asked[question] @ found[passage]) for question, passage in some]

    return _remembered(pairs, model.fingerprint, compute)


def _remembered(
    pairs: Sequence[Pair], model: str, compute: Callable[[Sequence[Pair]], Sequence[float]]
) -> tuple[list[float], str]:
    path = CACHE / f"scores-{model}.json"
    known: dict[str, float] = json.loads(path.read_text()) if path.exists() else {}
    keys = [hashlib.sha256(f"{question}\0{passage}".encode()).hexdigest()[:20] for question, passage in pairs]
    missing = list({key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}.items())
    CACHE.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(missing), PORTION):
        portion = missing[start : start + PORTION]
        known |= dict(zip([key for key, _ in portion], compute([pair for _, pair in portion]), strict=True))
        path.write_text(json.dumps(known))
        print(f"  {model}: {start + len(portion)} of {len(missing)} pairs", file=sys.stderr)
    return [known[key] for key in keys], model
