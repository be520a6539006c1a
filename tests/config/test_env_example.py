"""`.env.example` is a start that works once the # are gone."""

import os
from pathlib import Path

import pytest

from config import settings

EXAMPLE = Path(__file__).resolve().parents[2] / ".env.example"


def test_every_line_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.upper().startswith("CANDOR_"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(settings, "CHECKOUT", tmp_path)
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    chosen = [line.removeprefix("# ") for line in lines if line.startswith("# CANDOR_")]
    (tmp_path / ".env").write_text("\n".join(chosen))
    loaded = settings.load(tmp_path)
    assert len(loaded.origins) == len(chosen) > 10


def test_as_it_is_it_sets_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "CHECKOUT", tmp_path)
    (tmp_path / ".env").write_text(EXAMPLE.read_text(encoding="utf-8"))
    assert ".env" not in set(settings.load(tmp_path).origins.values())
