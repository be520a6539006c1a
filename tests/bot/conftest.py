import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from config import settings
from tests.bot.house import Parts


@dataclass
class Run:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


@dataclass
class CommandLine:
    """Runs commands in this process, on fake parts."""

    capture: pytest.CaptureFixture[str]
    parts: Parts = field(default_factory=Parts.filled)

    def __call__(self, *arguments: str) -> Run:
        code = main(arguments, self.parts.wiring)
        out, err = self.capture.readouterr()
        return Run(code, out, err)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, thresholds for the fakes, and no other setting."""
    for name in os.environ:
        if name.upper().startswith("CANDOR_"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(settings, "CHECKOUT", tmp_path / "no-checkout")
    monkeypatch.chdir(tmp_path)
    calibration = tmp_path / "calibration.json"
    calibration.write_text(json.dumps({"upper": 0.6, "lower": 0.3, "measured_on": "the fakes"}))
    monkeypatch.setenv("CANDOR_CRAG__CALIBRATION", str(calibration))
    monkeypatch.setenv("CANDOR_WEAVIATE__DATA_DIRECTORY", str(tmp_path / "data"))
    monkeypatch.setenv("CANDOR_JOURNAL__URL", f"sqlite:///{tmp_path}/journal.db")
    return tmp_path


@pytest.fixture
def candor(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(capsys)


@pytest.fixture
def setting(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    return lambda name, value: monkeypatch.setenv(f"CANDOR_{name}", value)
