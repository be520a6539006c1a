"""What needs torch is collected only by `pytest -m torch`, in an environment that has the extra."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    needs_torch = collection_path.name == "test_training.py"
    return True if needs_torch and config.getoption("markexpr") != "torch" else None
