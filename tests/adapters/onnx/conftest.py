"""The shipped models, opened once a module: they are bound to no event loop."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from adapters.onnx import OnnxEmbedder, OnnxGrader

MODELS = Path(__file__).resolve().parents[3] / "models"


def open_embedder(directory: Path = MODELS / "embedder") -> OnnxEmbedder:
    return OnnxEmbedder(directory, threads=1)


def open_grader(directory: Path = MODELS / "grader") -> OnnxGrader:
    return OnnxGrader(directory, threads=1, batch_tokens=512)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shipped_embedder() -> AsyncIterator[OnnxEmbedder]:
    async with open_embedder() as embedder:
        yield embedder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shipped_grader() -> AsyncIterator[OnnxGrader]:
    async with open_grader() as grader:
        yield grader


@pytest.fixture
def copy_of_grader(tmp_path: Path) -> Path:
    """The grader's folder, to be damaged."""
    return Path(shutil.copytree(MODELS / "grader", tmp_path / "grader"))
