"""`.env.example` is a start that works once the # are gone."""

import os
import re
from pathlib import Path

import pytest

from config import settings
from config.names import environment_name, leaves

CHECKOUT = Path(__file__).resolve().parents[2]
EXAMPLE = CHECKOUT / ".env.example"
GUIDES = ("README.md", "docs/slack.md", "docs/discord.md", "docs/docker.md", "docs/weaviate.md", "docs/journal.md")
"""What people read who set Candor up."""


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


def test_every_secret_stands_in_it() -> None:
    secrets = {environment_name(path) for path, leaf in leaves(settings.Settings) if leaf.secret}
    assert secrets
    assert secrets - _names(EXAMPLE) == set()


@pytest.mark.parametrize("guide", GUIDES)
def test_what_a_guide_tells_to_set_stands_in_it(guide: str) -> None:
    known = {environment_name(path) for path, _ in leaves(settings.Settings)}
    told = _names(CHECKOUT / guide) & known
    assert told - _names(EXAMPLE) == set()


def _names(file: Path) -> set[str]:
    return set(re.findall(r"CANDOR_[A-Z_]*[A-Z]", file.read_text(encoding="utf-8")))
