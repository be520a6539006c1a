"""The shipped models' raw opinion of (question, passage) pairs, remembered in `.cache/` so that a fit takes seconds."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from adapters.onnx.embedder import OnnxEmbedder
from adapters.onnx.grader import OnnxGrader
from crag.features import logit

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "bench"
GRADER, EMBEDDER = ROOT / "models" / "grader", ROOT / "models" / "embedder"
PORTION = 640
Pair = tuple[str, str]


def grader_logits(pairs: Sequence[Pair], folder: Path = GRADER) -> tuple[list[float], str]:
    """The cross-encoder's log-odds of each pair, as the product computes them, and the model's fingerprint."""

    async def ask() -> tuple[list[float], str]:
        async with OnnxGrader(folder, threads=0, batch_tokens=1) as grader:

            async def compute(some: Sequence[Pair]) -> list[float]:
                found: dict[Pair, float] = {}
                for question in dict.fromkeys(question for question, _ in some):
                    passages = [passage for asked, passage in some if asked == question]
                    for passage, judged in zip(passages, await grader.grade(question, passages), strict=True):
                        found[question, passage] = logit(judged.score if judged.score is not None else 0.5)
                return [found[pair] for pair in some]

            return await _remembered(pairs, grader.model, compute), grader.model

    return asyncio.run(ask())


def cosines(pairs: Sequence[Pair], folder: Path = EMBEDDER) -> tuple[list[float], str]:
    """The embedder's cosine of each pair, and the model's fingerprint."""

    async def ask() -> tuple[list[float], str]:
        async with OnnxEmbedder(folder, threads=0) as embedder:

            async def compute(some: Sequence[Pair]) -> list[float]:
                passages = list(dict.fromkeys(passage for _, passage in some))
                found = dict(zip(passages, await embedder.embed_passages(passages), strict=True))
                asked = {q: await embedder.embed_query(q) for q in dict.fromkeys(question for question, _ in some)}
                return [sum(a * b for a, b in zip(asked[q], found[p], strict=True)) for q, p in some]

            return await _remembered(pairs, embedder.model, compute), embedder.model

    return asyncio.run(ask())


async def _remembered(
    pairs: Sequence[Pair], model: str, compute: Callable[[Sequence[Pair]], Awaitable[Sequence[float]]]
) -> list[float]:
    path = CACHE / f"scores-{model}.json"
    known: dict[str, float] = json.loads(path.read_text()) if path.exists() else {}
    keys = [hashlib.sha256(f"{question}\0{passage}".encode()).hexdigest()[:20] for question, passage in pairs]
    missing = list({key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}.items())
    CACHE.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(missing), PORTION):
        portion = missing[start : start + PORTION]
        known |= dict(zip([key for key, _ in portion], await compute([pair for _, pair in portion]), strict=True))
        path.write_text(json.dumps(known))
        print(f"  {model}: {start + len(portion)} of {len(missing)} pairs", file=sys.stderr)
    return [known[key] for key in keys]
