"""These tests need torch: they are collected only by `pytest -m torch`, in an environment that has the extra. What
stands here imports neither, as every run of pytest reads it."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if config.getoption("markexpr") == "torch" else True
