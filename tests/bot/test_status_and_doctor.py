import json
import os
import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from bot.doctor import Outcome, data_directory, thresholds
from crag.calibration import Calibration
from crag.errors import LanguageModelError, ModelError, SearchError
from tests.bot.conftest import CommandLine
from tests.bot.house import Parts
from tests.fakes.language_model import ScriptedLanguageModel


def test_status_names_index_models_thresholds_and_server(candor: CommandLine) -> None:
    found = candor("status", "--json").json
    assert found["kind"] == "status"
    assert (found["generation"], found["chunks"], found["fits"]) == ("Candor_1", 3, True)
    assert (found["embedder"], found["calibrated_on"]) == ("fake-embedder-1", "the fakes")
    assert found["server"].startswith("http://127.0.0.1:8080")


MEASURED = "60 questions over a handbook, and many others. " * 6


@pytest.fixture
def measured(place: Path) -> None:
    found = json.loads((place / "calibration.json").read_text())
    (place / "calibration.json").write_text(json.dumps(found | {"measured_on": MEASURED, "date": "2026-11-30"}))


@pytest.mark.usefixtures("measured")
def test_doctor_says_in_a_line_when_the_thresholds_were_measured(candor: CommandLine) -> None:
    assert "ok   calibration: upper 0.60, lower 0.30, measured 2026-11-30\n" in candor("doctor").out


@pytest.mark.usefixtures("measured")
def test_status_is_short_and_says_all_where_asked(candor: CommandLine) -> None:
    lines = dict(line.split(maxsplit=1) for line in candor("status").out.splitlines())
    assert lines["index"] == "0 documents, 3 passages; Candor_1"
    assert lines["Weaviate"].startswith("embedded, http://127.0.0.1:8080")
    assert lines["thresholds"] == "0.30 and 0.60, not from your questions"
    assert len(lines) == 6
    told = candor("status", "--verbose").out
    assert "calibrated at  2026-11-30\nown questions  no\n" in told
    assert MEASURED not in f"{lines} {told}"
    assert candor("status", "--json").json["calibrated_on"] == MEASURED


def test_status_without_an_index_ends_with_1_and_says_what_to_do(candor: CommandLine) -> None:
    candor.parts = Parts()
    run = candor("status")
    assert run.code == 1
    assert "candor index PATH" in run.err


def test_status_of_an_index_of_another_model_ends_with_1(candor: CommandLine) -> None:
    candor.parts.embedder.model = "another"
    run = candor("status")
    assert run.code == 1
    assert "--full" in run.err


def checks(candor: CommandLine) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in candor("doctor", "--json").json["checks"]}


def test_doctor_finds_all_well(candor: CommandLine) -> None:
    run = candor("doctor")
    assert run.code == 0
    assert "ok   weaviate: http://127.0.0.1:8080" in run.out
    assert "ok   index: " in run.out
    assert "fail" not in run.out


def test_doctor_goes_on_after_a_failure_and_ends_with_1(candor: CommandLine) -> None:
    candor.parts.unreachable = SearchError("Weaviate could not be started.", advice="Look at its log.")
    found = checks(candor)
    assert found["weaviate"]["outcome"] == "fail"
    assert found["weaviate"]["advice"] == "Look at its log."
    assert found["grader"]["outcome"] == "ok"
    assert candor("doctor").code == 1


def test_doctor_names_a_model_that_does_not_work(candor: CommandLine) -> None:
    candor.parts.grader.error = ModelError("The grading model is broken.", advice="Restore it.")
    assert checks(candor)["grader"]["text"] == "The grading model is broken."


def test_doctor_warns_where_nothing_is_indexed(candor: CommandLine) -> None:
    candor.parts = Parts()
    run = candor("doctor")
    assert run.code == 0
    assert "warn index: Nothing is indexed yet.\n     Run: candor index PATH" in run.out


def test_doctor_names_an_index_of_another_model(candor: CommandLine) -> None:
    candor.parts.embedder.model = "another"
    assert checks(candor)["index"]["outcome"] == "fail"


def test_doctor_names_a_missing_calibration(candor: CommandLine, place: Path) -> None:
    (place / "calibration.json").unlink()
    assert checks(candor)["calibration"]["outcome"] == "fail"


def test_doctor_asks_the_language_model(candor: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_WRITER__KIND", "ollama")
    monkeypatch.setenv("CANDOR_WRITER__MODEL", "tiny")
    candor.parts.model = ScriptedLanguageModel("yes")
    assert checks(candor)["writer"]["outcome"] == "ok"
    candor.parts.model = ScriptedLanguageModel(LanguageModelError("The model tiny isn't there.", advice="Pull it."))
    assert checks(candor)["writer"]["text"] == "The model tiny isn't there."


def test_a_data_directory_that_cannot_be_written_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    check = data_directory(tmp_path / "file")
    assert check.outcome is Outcome.FAIL
    assert "CANDOR_WEAVIATE__DATA_DIRECTORY" in check.advice


@pytest.mark.parametrize(("free", "outcome"), [(90, Outcome.OK), (15, Outcome.WARN), (5, Outcome.FAIL)])
def test_a_disk_that_fills_up_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, outcome: Outcome
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100 * 10**9, (100 - free) * 10**9, free * 10**9))
    (tmp_path / "disk").mkdir()
    assert data_directory(tmp_path / "disk" / "not" / "yet").outcome is outcome
    assert os.listdir(tmp_path / "disk") == []


def test_thresholds_of_other_models_are_a_warning() -> None:
    assert thresholds(Calibration(0.6, 0.3, grader="a"), "b", "e").outcome is Outcome.WARN
    assert thresholds(Calibration(0.6, 0.3), "b", "e").outcome is Outcome.WARN
