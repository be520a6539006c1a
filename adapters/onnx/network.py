"""One ONNX model with its tokenizer and its config, read from a folder; everything here is synchronous."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from crag.errors import ModelError

Floats = NDArray[np.float32]

FILES = ("config.json", "tokenizer.json", "model.onnx")
ADVICE = (
    "Restore the folder (in a checkout: git restore models), or point the setting at a folder that holds "
    f"{', '.join(FILES)}."
)
# No text needs more characters a token than this; the rest of an endless one isn't worth tokenizing.
CHARACTERS_A_TOKEN = 32


@dataclass(frozen=True, slots=True)
class Network:
    """`fingerprint` is the model's name and the first 12 hex digits of the SHA-256 of its files."""

    fingerprint: str
    config: Mapping[str, Any]
    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer
    inputs: tuple[str, ...]

    @classmethod
    def load(cls, directory: Path, *, threads: int, service: str) -> Network:
        """Raises ModelError, naming the file that is missing or can't be read."""
        config, tokenizer, session = (
            _read(directory / name, reader, service)
            for name, reader in zip(FILES, (_config, _tokenizer, lambda path: _session(path, threads)), strict=True)
        )
        digest = hashlib.sha256()
        for name in FILES:
            with (directory / name).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        name = config.get("name") or directory.resolve().name
        inputs = tuple(each.name for each in session.get_inputs())
        return cls(f"{name}-{digest.hexdigest()[:12]}", config, session, tokenizer, inputs)

    def encode(self, text: str, limit: int) -> Encoding:
        """At most `limit` tokens, special ones not added. Half an emoji becomes a question mark."""
        text = text[: limit * CHARACTERS_A_TOKEN].encode("utf-8", "replace").decode()
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        encoding.truncate(limit)
        return encoding

    def run(self, encodings: Sequence[Encoding]) -> Floats:
        """The first output, one row an encoding. Raises whatever the runtime does."""
        shape = (len(encodings), max(len(encoding.ids) for encoding in encodings))
        ids, mask, types = (np.zeros(shape, np.int64) for _ in range(3))
        for row, encoding in enumerate(encodings):
            width = len(encoding.ids)
            ids[row, :width] = encoding.ids
            mask[row, :width] = 1
            types[row, :width] = encoding.type_ids
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        output: Floats = self.session.run(None, {name: feed[name] for name in self.inputs})[0]
        return output


def batches(encodings: Sequence[Encoding], tokens: int) -> Iterator[list[int]]:
    """The encodings' indices in batches of like length, the longest first, each of at most `tokens` with its padding;
    one longer text is a batch of its own."""
    order = sorted(range(len(encodings)), key=lambda at: -len(encodings[at].ids))
    while order:
        size = max(1, tokens // max(1, len(encodings[order[0]].ids)))
        yield order[:size]
        order = order[size:]


def _read(path: Path, reader: Any, service: str) -> Any:
    if not path.is_file():
        raise ModelError(f"The model file {path} is missing.", service=service, advice=ADVICE)
    try:
        return reader(path)
    except Exception as error:
        message = f"The model file {path} can't be read: it is damaged or of another kind ({_line(error)})."
        raise ModelError(message, service=service, advice=ADVICE) from error


def _config(path: Path) -> Mapping[str, Any]:
    config = json.loads(path.read_text("utf-8"))
    if not isinstance(config, dict):
        raise ValueError("not a JSON object")
    return config


def _tokenizer(path: Path) -> Tokenizer:
    """Special tokens that stand in a text are read as plain characters, so that no document can end its own passage."""
    tokenizer: Tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def _session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    """Idle threads sleep: spinning doubles the CPU time of a call on two cores and takes it from the others. Memory is
    given back after a call instead of being kept for the largest one."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
