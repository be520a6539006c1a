import os
from collections.abc import Callable
from pathlib import Path

import pytest

from config import settings
from config.settings import Loaded, load


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and no CANDOR_ variable and no file of the checkout in the way."""
    for name in os.environ:
        if name.upper().startswith("CANDOR_"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(settings, "CHECKOUT", tmp_path / "checkout")
    (tmp_path / "work").mkdir()
    (tmp_path / "checkout").mkdir()
    return tmp_path / "work"


@pytest.fixture
def read(place: Path) -> Callable[[], Loaded]:
    return lambda: load(place)
