"""Loading by name or path, and the fingerprint of what was loaded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch

from crag.errors import ModelError

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Weights(Generic[M]):
    fingerprint: str
    network: M


def load(kind: Callable[..., M], name_or_path: str, device: str | None, service: str) -> M:
    """Raises ModelError, naming the model. It is taken from the disk where it is there, else from the hub."""
    try:
        return kind(name_or_path, device=device or None)
    except Exception as error:
        found = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        message = f"The {service} {name_or_path!r} can't be loaded ({type(error).__name__}: {found})."
        advice = "Check the name; without internet, give the path of a folder that holds the model."
        raise ModelError(message, service=f"the {service}", advice=advice) from error


def fingerprint(name_or_path: str, network: Any, *settings: object) -> str:
    """The model's last name and the first 12 hex digits of a SHA-256 over its weights, vocabulary and `settings`."""
    digest = hashlib.sha256(json.dumps([repr(setting) for setting in settings]).encode())
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    vocabulary: dict[str, int] = getattr(network.tokenizer, "get_vocab", dict)()
    digest.update(json.dumps(sorted(vocabulary.items())).encode())
    return f"{Path(name_or_path).name}-{digest.hexdigest()[:12]}"


def readable(text: str, network: Any) -> str:
    """What the model's tokenizer takes: half an emoji, which it refuses, becomes a question mark; an endless text, on
    which it spends seconds only to cut it, ends where the model can't read on (32 characters a token)."""
    tokens = network.max_seq_length or 8_192
    return text[: tokens * 32].encode("utf-8", "replace").decode()
